public import Foundation
public import UndersongPlayback

/// Metadata that belong together.
open class AVMetadataGroup: NSObject, @unchecked Sendable {
    /// The metadata.
    public let items: [AVMetadataItem]

    init(_ items: [AVMetadataItem]) { self.items = items }
}

/// Metadata of a part of an asset, such as a chapter's title, or of a moment. Immutable; any thread
/// may use it.
open class AVTimedMetadataGroup: AVMetadataGroup, @unchecked Sendable {
    /// The part, on the asset's timeline.
    public let timeRange: CMTimeRange

    /// Makes a group.
    public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
        self.timeRange = timeRange
        super.init(items)
    }
}

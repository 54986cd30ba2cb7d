public import Foundation
public import Playback

/// A kind of media, with Apple's names.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a kind of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sound.
    public static let audio = AVMediaType(rawValue: "soun")
    /// Pictures that move: no asset of ours has them.
    public static let video = AVMediaType(rawValue: "vide")
    /// Text: no asset of ours has it.
    public static let text = AVMediaType(rawValue: "text")
}

/// Names a track within its asset.
public typealias CMPersistentTrackID = Int32

/// The sound of an asset, its only track.
public final class AVAssetTrack: NSObject, @unchecked Sendable {
    /// The asset; nil when it is gone.
    public private(set) weak var asset: AVAsset?
    private let head: MediaDescription

    init(_ asset: AVAsset, _ head: MediaDescription) {
        self.asset = asset
        self.head = head
    }

    /// 1.
    public var trackID: CMPersistentTrackID { 1 }
    /// Sound.
    public var mediaType: AVMediaType { .audio }
    /// Always.
    public var isEnabled: Bool { true }
    /// Always: it would not be there otherwise.
    public var isPlayable: Bool { true }
    /// Always.
    public var isDecodable: Bool { true }
    /// The sample rate.
    public var naturalTimeScale: CMTimeScale { CMTimeScale(head.format.sampleRate) }
    /// From zero to what is known of the asset's duration.
    public var timeRange: CMTimeRange {
        CMTimeRange(start: .zero, duration: asset?.duration ?? head.duration)
    }
}

extension AVAsset {
    /// The tracks: one of sound, or none where it cannot be played. Blocks when it is not loaded yet.
    public var tracks: [AVAssetTrack] {
        guard case .success(let description) = loader.load() else { return [] }
        return [AVAssetTrack(self, description)]
    }

    /// The tracks of one kind. Blocks when it is not loaded yet.
    public func tracks(withMediaType mediaType: AVMediaType) -> [AVAssetTrack] {
        tracks.filter { $0.mediaType == mediaType }
    }

    /// The tracks of one kind. Errors: `AVError`.
    public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
        try await load(.tracks).filter { $0.mediaType == mediaType }
    }
}

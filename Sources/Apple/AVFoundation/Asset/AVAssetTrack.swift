public import Foundation
public import UndersongPlayback

/// A type of media, with Apple's names.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    /// Apple's name.
    public let rawValue: String

    /// Makes a type of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Audio.
    public static let audio = AVMediaType(rawValue: "soun")
    /// Video. No asset here has it.
    public static let video = AVMediaType(rawValue: "vide")
    /// Text. No asset here has it.
    public static let text = AVMediaType(rawValue: "text")
}

/// Identifies a track within its asset.
public typealias CMPersistentTrackID = Int32

/// The only track of an asset: its audio.
public final class AVAssetTrack: NSObject, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    /// The asset; nil once it has been released.
    public private(set) weak var asset: AVAsset?
    private let head: MediaDescription

    init(_ asset: AVAsset, _ head: MediaDescription) {
        self.asset = asset
        self.head = head
    }

    /// Always 1.
    public var trackID: CMPersistentTrackID { 1 }
    /// Always audio.
    public var mediaType: AVMediaType { .audio }
    /// Always true.
    public var isEnabled: Bool { true }
    /// Always true: a file that cannot be played has no track.
    public var isPlayable: Bool { true }
    /// Always true.
    public var isDecodable: Bool { true }
    /// The sample rate in Hz.
    public var naturalTimeScale: CMTimeScale { CMTimeScale(head.format.sampleRate) }
    /// From zero to the asset's duration as far as it is known.
    public var timeRange: CMTimeRange {
        CMTimeRange(start: .zero, duration: asset?.duration ?? head.duration)
    }
}

// Properties of a track for `load(_:)`.
extension AVPartialAsyncProperty where Root: AVAssetTrack {
    /// From zero to the asset's exact duration.
    public static var timeRange: AVAsyncProperty<Root, CMTimeRange> {
        AVAsyncProperty(
            "timeRange",
            known: { track in
                switch track.asset?.status(of: .duration) {
                case .notYetLoaded: .notYetLoaded
                case .loading: .loading
                case .failed(let error): .failed(error)
                case .loaded, nil: .loaded(track.timeRange)
                }
            },
            find: { track in
                _ = try await track.asset?.load(.duration)
                return track.timeRange
            })
    }
    /// The sample rate in Hz.
    public static var naturalTimeScale: AVAsyncProperty<Root, CMTimeScale> {
        .known("naturalTimeScale") { $0.naturalTimeScale }
    }
    /// Always true.
    public static var isEnabled: AVAsyncProperty<Root, Bool> {
        .known("enabled") { $0.isEnabled }
    }
    /// Always true: a file that cannot be played has no track.
    public static var isPlayable: AVAsyncProperty<Root, Bool> {
        .known("playable") { $0.isPlayable }
    }
    /// Always true.
    public static var isDecodable: AVAsyncProperty<Root, Bool> {
        .known("decodable") { $0.isDecodable }
    }
}

extension AVAsyncProperty where Root: AVAssetTrack {
    /// A property that a track has from its beginning.
    fileprivate static func known(
        _ name: String, _ value: @escaping @Sendable (Root) -> Value
    ) -> AVAsyncProperty<Root, Value> {
        AVAsyncProperty(name, known: { .loaded(value($0)) }, find: { value($0) })
    }
}

extension AVAsset {
    /// The tracks: one audio track, or none if the asset cannot be played. Blocks if they are not
    /// loaded yet.
    public var tracks: [AVAssetTrack] {
        guard case .success(let description) = loader.load() else { return [] }
        return [AVAssetTrack(self, description)]
    }

    /// The tracks of one media type. Blocks if they are not loaded yet.
    public func tracks(withMediaType mediaType: AVMediaType) -> [AVAssetTrack] {
        tracks.filter { $0.mediaType == mediaType }
    }

    /// Loads the tracks of one media type.
    /// - Throws: `AVError` or `URLError`.
    public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
        try await load(.tracks).filter { $0.mediaType == mediaType }
    }
}

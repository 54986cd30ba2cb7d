// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import UndersongAudioSession
import UndersongBase
public import UndersongPlayback

/// Media that can be played, independent of any player. Any thread may use it.
///
/// The properties `duration`, `metadata` and so on read the file if it has not been loaded yet,
/// which blocks for some milliseconds; `load(_:)` does not block.
open class AVAsset: NSObject, AVURLAsset.Making, AVAsynchronousKeyValueLoading, @unchecked Sendable
{
    /// The location of the media.
    let location: URL
    let loader: AssetLoader

    init(location: URL) {
        self.location = location
        // A URL that is neither a file's nor of HTTP is reported under the name that was given. A
        // path that is not UTF-8 exists only as the URL's percent escapes.
        let isFile = location.isFileURL || location.scheme == nil
        let path =
            PlaylistNames.path(ofFileURL: FilePath(location.absoluteString))
            ?? FilePath(isFile ? location.path : location.absoluteString)
        loader = AssetLoader(MediaSource(path: path))
    }

    /// The playing time; `indefinite` while it is unknown, and if the file cannot be played. It may
    /// be an estimate if the file's header does not state it and `duration` has not been loaded.
    open var duration: CMTime {
        guard case .success(let description) = loader.load() else { return .indefinite }
        return description.duration.isNumeric ? description.duration : .indefinite
    }

    /// True if the asset can be played.
    open var isPlayable: Bool {
        if case .success = loader.load() { true } else { false }
    }

    /// True if seeks are exact: always true.
    open var providesPreciseDurationAndTiming: Bool { true }

    /// True if the content is protected: always false.
    open var hasProtectedContent: Bool { false }
}

/// An asset in a file, or on the network.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// The URL, as it was given.
    public var url: URL { location }

    /// Makes an asset of what is at `url`, which is opened on first use. Apple's options have no
    /// effect: durations of files are exact once loaded, and those on the network as exact as their
    /// headers.
    public init(url: URL, options: [String: Any]? = nil) { super.init(location: url) }

    /// Lets `AVAsset(url:)` make an `AVURLAsset`, as on Apple's systems.
    public protocol Making {}
}

/// Requests exact durations from Apple's assets; they are always exact here.
public let AVURLAssetPreferPreciseDurationAndTimingKey =
    "AVURLAssetPreferPreciseDurationAndTimingKey"

extension AVURLAsset.Making where Self: AVAsset {
    /// Makes an asset, an `AVURLAsset`, of the file at `url`.
    public init(url: URL) {
        // Only AVAsset and its one subclass conform.
        self = unsafe unsafeDowncast(AVURLAsset(url: url, options: nil), to: Self.self)
    }
}

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import AudioSession
public import Foundation
public import Playback

/// Something that can be played: what is known of it, apart from any player. Any thread may use it.
///
/// The properties `duration`, `metadata` and so on read the file when nobody has yet, which blocks
/// for some milliseconds; `load(_:)` does not block.
open class AVAsset: NSObject, AVAssetMaking, AVAsynchronousKeyValueLoading, @unchecked Sendable {
    /// Where the asset is.
    let location: URL
    let loader: AssetLoader

    init(location: URL) {
        self.location = location
        // What is no file is not found, and the error names it as it was given. A path that is not
        // UTF-8 is there only as the URL's escapes.
        let isFile = location.isFileURL || location.scheme == nil
        let path =
            PlaylistNames.path(ofFileURL: FilePath(location.absoluteString))
            ?? FilePath(isFile ? location.path : location.absoluteString)
        loader = AssetLoader(.file(path: path))
    }

    /// The playing time; `indefinite` while it is not known, and where the file cannot be played.
    /// It may be an estimate where the file does not tell it and nobody has loaded `duration`.
    open var duration: CMTime {
        guard case .success(let description) = loader.load() else { return .indefinite }
        return description.duration.isNumeric ? description.duration : .indefinite
    }

    /// Whether it can be played.
    open var isPlayable: Bool {
        if case .success = loader.load() { true } else { false }
    }

    /// Whether seeks land where they are told to: always.
    open var providesPreciseDurationAndTiming: Bool { true }

    /// Whether it is protected: never.
    open var hasProtectedContent: Bool { false }
}

/// An asset in a file.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    /// Where the asset is, as it was given.
    public var url: URL { location }

    /// Makes an asset of the file at `url`. Nothing is opened before somebody asks. Apple's options
    /// change nothing here: durations are exact once loaded, and nothing comes over a network.
    public init(url: URL, options: [String: Any]? = nil) { super.init(location: url) }
}

/// With this option Apple's assets have exact durations; ours have them without.
public let AVURLAssetPreferPreciseDurationAndTimingKey =
    "AVURLAssetPreferPreciseDurationAndTimingKey"

/// Lets `AVAsset(url:)` make an `AVURLAsset`, as on Apple's systems.
public protocol AVAssetMaking {}

extension AVAssetMaking where Self: AVAsset {
    /// Makes an asset, an `AVURLAsset`, of the file at `url`.
    public init(url: URL) {
        // Only AVAsset and its one subclass get here.
        self = unsafe unsafeDowncast(AVURLAsset(url: url, options: nil), to: Self.self)
    }
}

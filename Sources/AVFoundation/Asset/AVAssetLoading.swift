public import Foundation
public import Playback

// What `load(_:)` takes.
extension AVPartialAsyncProperty where Root: AVAsset {
    /// The exact playing time: the file is read through where its head does not tell.
    public static var duration: AVAsyncProperty<Root, CMTime> {
        AVAsyncProperty("duration", known: { .init($0.loader.exactDuration) }) { asset in
            try await asset.loader.value { loader, done in
                loader.measure { _ in done(loader.measuredDuration) }
            }
        }
    }
    /// Whether it can be played. False for a file that holds something else; a file that cannot be
    /// read is an error.
    public static var isPlayable: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty("playable", known: { .init($0.loader.description?.isPlayable) }) { asset in
            try await asset.loader.value { $0.load { [done = $1] in done($0.isPlayable) } }
        }
    }
    /// Everything that the tags tell.
    public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> {
        .tags("metadata") { $0 }
    }
    /// What the tags tell in the terms that are the same in every format.
    public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> {
        .tags("commonMetadata") { $0.filter { $0.commonKey != nil } }
    }
    /// The kinds of tags that it has.
    public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
        .tags("availableMetadataFormats") { $0.isEmpty ? [] : [.id3Metadata] }
    }
    /// The year or date of the recording.
    public static var creationDate: AVAsyncProperty<Root, AVMetadataItem?> {
        .tags("creationDate") { $0.first { $0.commonKey == .commonKeyCreationDate } }
    }
    /// The words.
    public static var lyrics: AVAsyncProperty<Root, String?> {
        .tags("lyrics") {
            $0.first { $0.identifier == .id3MetadataUnsynchronizedLyric }?.stringValue
        }
    }
    /// One track, of sound.
    public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> {
        .head("tracks") { [AVAssetTrack($0, $1)] }
    }
    /// Seeks land where they are told to: always.
    public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> {
        .head("providesPreciseDurationAndTiming") { _, _ in true }
    }
    /// Nothing is protected.
    public static var hasProtectedContent: AVAsyncProperty<Root, Bool> {
        .head("hasProtectedContent") { _, _ in false }
    }
}

extension AVAsyncProperty where Root: AVAsset {
    /// A property that the tags tell.
    fileprivate static func tags(
        _ name: String, _ choose: @escaping @Sendable ([AVMetadataItem]) -> Value
    ) -> AVAsyncProperty<Root, Value> {
        AVAsyncProperty(name, known: { .init($0.loader.metadata?.map(choose)) }) { asset in
            try await asset.loader.value { loader, done in
                loader.loadMetadata { done($0.map(choose)) }
            }
        }
    }

    /// A property that the file's head tells.
    fileprivate static func head(
        _ name: String, _ choose: @escaping @Sendable (Root, MediaDescription) -> Value
    ) -> AVAsyncProperty<Root, Value> {
        AVAsyncProperty(
            name,
            known: { asset in .init(asset.loader.description?.map { choose(asset, $0) }) },
            find: { asset in
                try await asset.loader.value { loader, done in
                    loader.load { done($0.map { choose(asset, $0) }) }
                }
            })
    }
}

extension AVAsyncProperty.Status {
    fileprivate init(_ result: Result<Value, MediaError>?) {
        self =
            switch result {
            case nil: .notYetLoaded
            case .success(let value): .loaded(value)
            case .failure(let error): .failed(AVError(error) as NSError)
            }
    }
}

extension AssetLoader.Description {
    /// Whether it can be played; an error where that is not to be found out.
    fileprivate var isPlayable: Result<Bool, MediaError> {
        switch self {
        case .success: .success(true)
        case .failure(let error):
            switch error.code {
            case .notMPEGAudio, .unsupportedFormat, .empty, .decodeFailed: .success(false)
            default: .failure(error)
            }
        }
    }
}

/// How far a property is loaded, in the older way to load it, with Apple's raw values.
public enum AVKeyValueStatus: Int, Sendable {
    /// Nobody has asked for it.
    case unknown
    /// It is being loaded.
    case loading
    /// It is there.
    case loaded
    /// It cannot be loaded.
    case failed
    /// Loading was cancelled. It never is: it takes some milliseconds.
    case cancelled
}

/// Takes an error to the caller. Foundation on Linux lacks it.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

// The older way to load properties.
extension AVAsset {
    /// Loads the properties of those names and then calls `handler` once, on a thread of the
    /// library's, also when some cannot be loaded: `statusOfValue(forKey:error:)` tells.
    @preconcurrency
    public func loadValuesAsynchronously(
        forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        let loader = loader
        let finish = { @Sendable in
            guard keys.contains("duration") else { return handler?() ?? () }
            loader.measure { _ in handler?() }
        }
        guard keys.contains(where: Self.tagKeys.contains) else {
            return loader.load { _ in finish() }
        }
        loader.loadMetadata { _ in finish() }
    }

    /// How far the property of that name is loaded; when it cannot be, `error` is an `AVError`. A name
    /// that is not known counts as loaded with the file's head.
    public func statusOfValue(forKey key: String, error: NSErrorPointer) -> AVKeyValueStatus {
        let (status, failure) =
            switch key {
            case "duration": older(status(of: .duration))
            case "playable", "isPlayable": older(status(of: .isPlayable))
            case _ where Self.tagKeys.contains(key): older(status(of: .metadata))
            default: older(status(of: .tracks))
            }
        unsafe error?.pointee = failure
        return status
    }

    /// Nothing can be cancelled: loading takes some milliseconds.
    public func cancelLoading() {}

    private static let tagKeys: Set = [
        "metadata", "commonMetadata", "availableMetadataFormats", "creationDate", "lyrics",
    ]

    private func older<Root, Value>(
        _ status: AVAsyncProperty<Root, Value>.Status
    ) -> (AVKeyValueStatus, NSError?) {
        switch status {
        case .notYetLoaded: (loader.isLoading ? .loading : .unknown, nil)
        case .loading: (.loading, nil)
        case .loaded: (.loaded, nil)
        case .failed(let error): (.failed, error)
        }
    }
}

// What blocks when it is not loaded yet.
extension AVAsset {
    /// Everything that the tags tell; nothing where they cannot be read.
    public var metadata: [AVMetadataItem] { (try? loader.readMetadata().get()) ?? [] }

    /// What the tags tell in the terms that are the same in every format.
    public var commonMetadata: [AVMetadataItem] { metadata.filter { $0.commonKey != nil } }

    /// The kinds of tags that it has.
    public var availableMetadataFormats: [AVMetadataFormat] {
        metadata.isEmpty ? [] : [.id3Metadata]
    }

    /// The tags of one kind.
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
        format == .id3Metadata ? metadata : []
    }

    /// The tags of one kind, once they are loaded. Errors: `AVError`.
    public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
        let items = try await load(.metadata)
        return format == .id3Metadata ? items : []
    }

    /// The year or date of the recording.
    public var creationDate: AVMetadataItem? {
        metadata.first { $0.commonKey == .commonKeyCreationDate }
    }

    /// The words.
    public var lyrics: String? {
        metadata.first { $0.identifier == .id3MetadataUnsynchronizedLyric }?.stringValue
    }
}

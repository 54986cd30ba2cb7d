public import Foundation
public import UndersongPlayback

// Properties of an asset for `load(_:)`.
extension AVPartialAsyncProperty where Root: AVAsset {
    /// The exact playing time. Loading it reads the whole file if its header does not state it.
    public static var duration: AVAsyncProperty<Root, CMTime> {
        AVAsyncProperty("duration", known: { .init($0.loader.exactDuration) }) { asset in
            try await asset.loader.value { loader, done in
                loader.measure { _ in done(loader.measuredDuration) }
            }
        }
    }
    /// True if the asset can be played. False for a file of another format; a file that cannot be
    /// read is an error.
    public static var isPlayable: AVAsyncProperty<Root, Bool> {
        AVAsyncProperty("playable", known: { .init($0.loader.description?.isPlayable) }) { asset in
            try await asset.loader.value { $0.load { [done = $1] in done($0.isPlayable) } }
        }
    }
    /// All metadata of the tags.
    public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> {
        .tags("metadata") { $0 }
    }
    /// The metadata with a common key, which is the same in every format.
    public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> {
        .tags("commonMetadata") { $0.filter { $0.commonKey != nil } }
    }
    /// The formats of the tags present.
    public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
        .tags("availableMetadataFormats") { $0.isEmpty ? [] : [.id3Metadata] }
    }
    /// The year or date of the recording.
    public static var creationDate: AVAsyncProperty<Root, AVMetadataItem?> {
        .tags("creationDate") { $0.first { $0.commonKey == .commonKeyCreationDate } }
    }
    /// The lyrics.
    public static var lyrics: AVAsyncProperty<Root, String?> {
        .tags("lyrics") {
            $0.first { $0.identifier == .id3MetadataUnsynchronizedLyric }?.stringValue
        }
    }
    /// The tracks: one audio track.
    public static var tracks: AVAsyncProperty<Root, [AVAssetTrack]> {
        .head("tracks") { [AVAssetTrack($0, $1)] }
    }
    /// The locales of the chapters' titles: `und`, or none if there are no chapters.
    public static var availableChapterLocales: AVAsyncProperty<Root, [Locale]> {
        .head("availableChapterLocales") { AVAsset.locales($1) }
    }
    /// True if seeks are exact: always true.
    public static var providesPreciseDurationAndTiming: AVAsyncProperty<Root, Bool> {
        .head("providesPreciseDurationAndTiming") { _, _ in true }
    }
    /// True if the content is protected: always false.
    public static var hasProtectedContent: AVAsyncProperty<Root, Bool> {
        .head("hasProtectedContent") { _, _ in false }
    }
}

extension AVAsyncProperty where Root: AVAsset {
    /// A property that is read from the tags.
    fileprivate static func tags(
        _ name: String, _ choose: @escaping @Sendable ([AVMetadataItem]) -> Value
    ) -> AVAsyncProperty<Root, Value> {
        AVAsyncProperty(name, known: { .init($0.loader.metadata?.map(choose)) }) { asset in
            try await asset.loader.value { loader, done in
                loader.loadMetadata { done($0.map(choose)) }
            }
        }
    }

    /// A property that is read from the file's header.
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
            case .failure(let error): .failed(AssetError.make(error) as NSError)
            }
    }
}

extension AssetLoader.Description {
    /// True if the asset can be played; an error if that cannot be determined.
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

/// The loading status of a property in the older API, with Apple's raw values.
public enum AVKeyValueStatus: Int, Sendable {
    /// Not requested yet.
    case unknown
    /// Being loaded.
    case loading
    /// Loaded.
    case loaded
    /// Loading failed.
    case failed
    /// Loading was cancelled. Never happens: loading takes some milliseconds.
    case cancelled
}

/// Passes an error to the caller. Foundation on Linux lacks this type.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

// The older API for loading properties.
extension AVAsset {
    /// Loads the named properties and then calls `handler` once, on one of the library's threads,
    /// even if some cannot be loaded; see `statusOfValue(forKey:error:)`.
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

    /// The loading status of the named property; if loading failed, `error` says why. An
    /// unknown name counts as loaded once the file's header is.
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

    /// Does nothing: loading takes only some milliseconds.
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

// Properties that block while they are not loaded yet.
extension AVAsset {
    /// All metadata of the tags; empty if they cannot be read.
    public var metadata: [AVMetadataItem] { (try? loader.readMetadata().get()) ?? [] }

    /// The metadata with a common key, which is the same in every format.
    public var commonMetadata: [AVMetadataItem] { metadata.filter { $0.commonKey != nil } }

    /// The formats of the tags present.
    public var availableMetadataFormats: [AVMetadataFormat] {
        metadata.isEmpty ? [] : [.id3Metadata]
    }

    /// The metadata of one format.
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] {
        format == .id3Metadata ? metadata : []
    }

    /// Loads the metadata of one format.
    /// - Throws: `AVError` or `URLError`.
    public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
        let items = try await load(.metadata)
        return format == .id3Metadata ? items : []
    }

    /// The year or date of the recording.
    public var creationDate: AVMetadataItem? {
        metadata.first { $0.commonKey == .commonKeyCreationDate }
    }

    /// The lyrics.
    public var lyrics: String? {
        metadata.first { $0.identifier == .id3MetadataUnsynchronizedLyric }?.stringValue
    }
}

import Dispatch
import Foundation
import Synchronization
import UndersongAudioIO
import UndersongAudioSession
import UndersongPlayback
import UndersongTransferClient

/// Loads what an asset reports, once each: its header, its tags, and its exact length, which takes
/// reading the whole file if the header does not state it. Works on its own queue of low priority.
final class AssetLoader: Sendable {
    typealias Description = Result<MediaDescription, MediaError>

    fileprivate struct State {
        var description: Description?
        var waiting: [@Sendable (Description) -> Void] = []
        var measuring: [@Sendable (CMTime?) -> Void] = []
        /// True if the exact length was looked for, be it found or not.
        var isMeasured = false
        /// The metadata, once requested.
        var metadata: Result<[AVMetadataItem], MediaError>?
    }

    fileprivate static let queue = DispatchQueue(label: "undersong.assets", qos: .utility)

    let source: MediaSource
    /// The queue for files on the network, which may take long and keep no others waiting.
    fileprivate let queue: DispatchQueue
    fileprivate let state = Mutex(State())

    init(_ source: MediaSource) {
        self.source = source
        queue =
            source.isRemote
            ? DispatchQueue(label: "undersong.asset", qos: .utility) : Self.queue
    }

    /// The way to the network, for what is there.
    fileprivate var network: TransferStreams? { source.isRemote ? NetworkMedia.streams : nil }

    /// The description, if it is loaded.
    var description: Description? { state.withLock(\.description) }

    /// Reads the header, unless it is loaded, while the calling thread waits.
    func load() -> Description {
        if let description { return description }
        guard source.isRemote else { return read() }
        // One thread reads what is on the network.
        return queue.sync { read() }
    }

    /// Reads the header in the background and then calls `handler`; calls it at once if the header
    /// is loaded.
    func load(then handler: @escaping @Sendable (Description) -> Void) {
        let (known, isFirst) = state.withLock { state -> (Description?, Bool) in
            if let known = state.description { return (known, false) }
            state.waiting.append(handler)
            return (nil, state.waiting.count == 1)
        }
        if let known { return handler(known) }
        if isFirst { queue.async { _ = self.read() } }
    }

    /// Reads the header on the calling thread, unless it is loaded.
    private func read() -> Description {
        if let description { return description }
        let result = Description { () throws(MediaError) in
            try MediaLoader.description(of: source, network)
        }
        let (description, waiting) = state.withLock { state in
            let description = state.description ?? result
            state.description = description
            defer { state.waiting = [] }
            return (description, state.waiting)
        }
        for handler in waiting { handler(description) }
        return description
    }

    /// Determines the exact length and calls `handler` with it, or with nil if it cannot be
    /// determined.
    func measure(then handler: @escaping @Sendable (CMTime?) -> Void) {
        load { [self] description in
            guard case .success(let description) = description else { return handler(nil) }
            if description.isDurationExact { return handler(description.duration) }
            let isFirst = state.withLock { state in
                state.measuring.append(handler)
                return state.measuring.count == 1
            }
            if isFirst { queue.async { self.measure() } }
        }
    }

    fileprivate func measure() {
        let length = MediaLoader.length(of: source)
        let waiting = state.withLock { state in
            if let length, case .success(var description) = state.description {
                description.duration = length
                description.isDurationExact = true
                state.description = .success(description)
            }
            state.isMeasured = true
            defer { state.measuring = [] }
            return state.measuring
        }
        for handler in waiting { handler(length) }
    }
}

// The exact length.
extension AssetLoader {
    /// The exact length if it is known, an estimate if it never will be, or the reason why there is
    /// none.
    var exactDuration: Result<CMTime, MediaError>? {
        let (description, isMeasured) = state.withLock { ($0.description, $0.isMeasured) }
        switch description {
        case .success(let known):
            return known.isDurationExact || isMeasured ? measuredDuration : nil
        case .failure(let error): return .failure(error)
        case nil: return nil
        }
    }

    /// The length after `measure`: an estimate if the file cannot be read to its end.
    var measuredDuration: Result<CMTime, MediaError> {
        load().map { $0.duration.isNumeric ? $0.duration : .indefinite }
    }

    /// Determines the exact length on the calling thread, unless it is known; returns an estimate
    /// if that fails.
    func exactDurationNow() -> CMTime {
        if case nil = exactDuration, case .success = load() { measure() }
        return (try? measuredDuration.get()) ?? .indefinite
    }
}

// The tags.
extension AssetLoader {
    /// The metadata, if it is loaded.
    var metadata: Result<[AVMetadataItem], MediaError>? { state.withLock(\.metadata) }

    /// Reads the tags in the background and then calls `handler`; calls it at once if they are
    /// loaded.
    func loadMetadata(
        then handler: @escaping @Sendable (Result<[AVMetadataItem], MediaError>) -> Void
    ) {
        if let metadata { return handler(metadata) }
        // The header comes first: it is read on the queue, which must not wait for it.
        load { [self] _ in queue.async { handler(self.readMetadata()) } }
    }

    /// Reads the tags on the calling thread, unless they are loaded.
    func readMetadata() -> Result<[AVMetadataItem], MediaError> {
        if let metadata { return metadata }
        let (source, network) = (source, network)
        let result = load().flatMap { _ in
            Result { () throws(MediaError) in
                Self.items(of: try MediaLoader.tags(of: source, network), in: source, network)
            }
        }
        return state.withLock { state in
            let metadata = state.metadata ?? result
            state.metadata = metadata
            return metadata
        }
    }

    /// Makes the items. Picture data is not kept but read again on each request.
    private static func items(
        of tags: MediaTags, in source: MediaSource, _ network: TransferStreams?
    ) -> [AVMetadataItem] {
        let texts = tags.texts.map { text in
            AVMetadataItem(frame: text.name, detail: text.detail, content: .text(text.text))
        }
        let pictures = tags.pictures.enumerated().map { index, picture in
            AVMetadataItem(
                frame: "APIC", detail: picture.detail,
                content: .picture(mediaType: picture.mediaType) {
                    let pictures = (try? MediaLoader.tags(of: source, network))?.pictures ?? []
                    return index < pictures.count ? Data(pictures[index].data) : nil
                })
        }
        return texts + pictures
    }
}

// Waiting without blocking.
extension AssetLoader {
    /// True if the header is being read or the length determined.
    var isLoading: Bool {
        state.withLock { !$0.waiting.isEmpty || !$0.measuring.isEmpty }
    }

    /// Awaits the value that `begin` passes to its second argument.
    /// - Throws: Those errors of `AssetError`, or `CancellationError` as soon as the task is
    ///   cancelled.
    func value<Value: Sendable>(
        _ begin: (AssetLoader, @escaping @Sendable (Result<Value, MediaError>) -> Void) -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        let caller = Mutex<CheckedContinuation<Value, any Error>?>(nil)
        let answer = { @Sendable (result: Result<Value, any Error>) -> Void in
            caller.withLock { $0.take() }?.resume(with: result)
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                caller.withLock { $0 = continuation }
                if Task.isCancelled { return answer(.failure(CancellationError())) }
                begin(self) { answer($0.mapError { AssetError.make($0) }) }
            }
        } onCancel: {
            answer(.failure(CancellationError()))
        }
    }

    /// Calls `handler`, which may block, on one of the library's threads.
    static func call(_ handler: @escaping @Sendable () -> Void) { queue.async { handler() } }

    /// Runs `work`, which may block, off the calling thread and returns its result.
    static func offThread<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            call { continuation.resume(returning: work()) }
        }
    }
}

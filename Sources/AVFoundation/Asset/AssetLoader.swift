import AudioSession
import Dispatch
import Playback
import Synchronization

/// Finds out once what an asset is: from its head and tags at once, its exact length by reading all
/// of it where the head does not tell. Works on a queue of its own, of low priority.
final class AssetLoader: Sendable {
    typealias Description = Result<MediaDescription, MediaError>

    private struct State {
        var description: Description?
        var waiting: [@Sendable (Description) -> Void] = []
        var isMeasuring = false
        var measuring: [@Sendable (CMTime?) -> Void] = []
    }

    private static let queue = DispatchQueue(label: "undersong.assets", qos: .utility)

    let source: MediaSource
    private let state = Mutex(State())

    init(_ source: MediaSource) { self.source = source }

    /// What is known already.
    var description: Description? { state.withLock(\.description) }

    /// Reads the head now, on this thread, unless that was done.
    func load() -> Description {
        if let description { return description }
        let result = Description { () throws(MediaError) in
            try MediaLoader.description(of: source)
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

    /// Reads the head in the background and then calls `handler`; at once when that was done.
    func load(then handler: @escaping @Sendable (Description) -> Void) {
        let (known, isFirst) = state.withLock { state -> (Description?, Bool) in
            if let known = state.description { return (known, false) }
            state.waiting.append(handler)
            return (nil, state.waiting.count == 1)
        }
        if let known { return handler(known) }
        if isFirst { Self.queue.async { _ = self.load() } }
    }

    /// Finds the exact length, and calls `handler` with it; nil when that is not to be had.
    func measure(then handler: @escaping @Sendable (CMTime?) -> Void) {
        load { [self] description in
            guard case .success(let description) = description else { return handler(nil) }
            if description.isDurationExact { return handler(description.duration) }
            let isFirst = state.withLock { state in
                state.measuring.append(handler)
                return state.measuring.count == 1
            }
            if isFirst { Self.queue.async { self.measure() } }
        }
    }

    private func measure() {
        let length = MediaLoader.length(of: source)
        let waiting = state.withLock { state in
            if let length, case .success(var description) = state.description {
                description.duration = length
                description.isDurationExact = true
                state.description = .success(description)
            }
            defer { state.measuring = [] }
            return state.measuring
        }
        for handler in waiting { handler(length) }
    }
}

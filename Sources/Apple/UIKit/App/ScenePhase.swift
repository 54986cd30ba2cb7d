import Synchronization

/// The phase of an application, under SwiftUI's name: there are no views whose environment has it.
public enum ScenePhase: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Not visible.
    case background
    /// In the foreground, without input.
    case inactive
    /// In the foreground, with input.
    case active

    /// Returns true if the first is further from the user.
    public static func < (first: ScenePhase, second: ScenePhase) -> Bool {
        first.rawValue < second.rawValue
    }
}

extension UIApplication {
    /// The phases from now on: the current one first, then each that follows. A reader that is slow
    /// misses none.
    nonisolated public var scenePhases: ScenePhases { ScenePhases(board: phases) }

    /// The phase now.
    nonisolated public var scenePhase: ScenePhase { phases.current }

    /// Calls `body` with the current phase, and with each that follows, in order, until the returned
    /// function is called.
    nonisolated package func observeScenePhase(
        _ body: @escaping @Sendable (ScenePhase) -> Void
    ) -> @Sendable () -> Void {
        phases.observe(body)
    }
}

/// The phases of an application, one after the other. Each reader has all of them.
public struct ScenePhases: AsyncSequence, Sendable {
    let board: ScenePhaseBoard

    /// Reads the phases from the present one on.
    public func makeAsyncIterator() -> AsyncStream<ScenePhase>.Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: ScenePhase.self)
        let end = board.observe { continuation.yield($0) }
        continuation.onTermination = { _ in end() }
        return stream.makeAsyncIterator()
    }
}

/// Reports the phases of an application to its observers. Any thread may use it; one at a time sets
/// phases.
final class ScenePhaseBoard: Sendable {
    private struct State {
        var current = ScenePhase.active
        var observers: [Int: @Sendable (ScenePhase) -> Void] = [:]
        var lastObserver = 0
    }

    private let state = Mutex(State())

    var current: ScenePhase { state.withLock(\.current) }

    func set(_ phase: ScenePhase) {
        let observers = state.withLock { state in
            defer { state.current = phase }
            return phase == state.current ? [:] : state.observers
        }
        for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer(phase) }
    }

    /// Calls `body` with the current phase, when it must not call back here, and with those that follow,
    /// until the returned function is called.
    func observe(_ body: @escaping @Sendable (ScenePhase) -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = body
            // Before any that follows.
            body(state.current)
            return state.lastObserver
        }
        return { [weak self] in
            self?.state.withLock { $0.observers[number] = nil }
        }
    }
}

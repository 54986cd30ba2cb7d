import Synchronization
import UndersongPlayback

/// The timeline that the decode thread writes and the clock thread reads.
final class SharedTimeline: Sendable {
    private let timeline = Mutex(Timeline())
    /// Counts the changes, so that a reader does not copy what it already has.
    private let version = Atomic<Int>(0)

    /// Makes a change. Any thread; holds the lock for a moment only.
    func change<Result: Sendable>(_ body: (inout Timeline) -> Result) -> Result {
        let result = timeline.withLock { body(&$0) }
        version.wrappingAdd(1, ordering: .releasing)
        return result
    }

    /// Updates `copy`; returns false if nothing has changed since `seen`.
    @discardableResult
    func update(_ copy: inout Timeline, seen: inout Int) -> Bool {
        let version = version.load(ordering: .acquiring)
        guard version != seen else { return false }
        seen = version
        copy = timeline.withLock { $0 }
        return true
    }

    func hasChanged(since seen: Int) -> Bool { version.load(ordering: .acquiring) != seen }

    var current: Timeline { timeline.withLock { $0 } }
}

internal import Synchronization
package import UndersongBase

/// A clock that is advanced by hand.
package final class ManualClock: HostClock {
    private struct Alarm {
        let number: Int
        let time: Int64
        let body: @Sendable () -> Void
    }

    private struct State {
        var now: Int64
        var slept: Int64 = 0
        var count = 0
        var alarms: [Alarm] = []
    }

    private static let boot: Int64 = 5_000_000_000
    private static let epoch: Int64 = 1_700_000_000_000_000_000
    private let state: Mutex<State>

    /// Makes a clock with a time in nanoseconds.
    package init(now: Int64 = 1_000_000_000) { state = Mutex(State(now: now)) }

    package var now: Int64 { state.withLock(\.now) }
    package var sinceBoot: Int64 { state.withLock { Self.boot + $0.now + $0.slept } }
    package var sinceEpoch: Int64 { state.withLock { Self.epoch + $0.now + $0.slept } }

    /// Advances the time itself, since a caller that sleeps cannot be woken by anybody else.
    package func sleep(until time: Int64) { advance(to: time) }

    package func wake(
        at time: Int64, leeway: Int64, _ body: @escaping @Sendable () -> Void
    ) -> HostTimer {
        // Both at once: another thread may advance the time meanwhile.
        let number = state.withLock { state -> Int? in
            guard time > state.now else { return nil }
            state.count += 1
            state.alarms.append(Alarm(number: state.count, time: time, body: body))
            return state.count
        }
        defer { if number == nil { body() } }
        return HostTimer { [weak self] in
            self?.state.withLock { $0.alarms.removeAll { $0.number == number } }
        }
    }

    /// The times at which something is due.
    package var dueTimes: [Int64] { state.withLock { $0.alarms.map(\.time).sorted() } }

    /// Advances the time by `seconds`: timers that are due fire at their time, on this thread.
    package func advance(by seconds: Double) { advance(to: now + Int64(seconds * 1e9)) }

    /// Simulates sleep of the machine for `seconds`, during which timers do not count.
    package func sleepMachine(for seconds: Double) {
        state.withLock { $0.slept += Int64(seconds * 1e9) }
    }

    private func advance(to end: Int64) {
        while let alarm = nextAlarm(until: end) { alarm.body() }
    }

    /// The next alarm that is due until `end`; if none is, it is `end` from then on.
    private func nextAlarm(until end: Int64) -> Alarm? {
        state.withLock { state in
            let next = state.alarms.min { ($0.time, $0.number) < ($1.time, $1.number) }
            guard let next, next.time <= end else {
                state.now = max(state.now, end)
                return nil
            }
            state.alarms.removeAll { $0.number == next.number }
            state.now = max(state.now, next.time)
            return next
        }
    }
}

import Dispatch
import Synchronization
import UIKit
import UndersongAppHost
import UndersongBackground
import UndersongBase

/// The time of an application and of its background tasks, advanced by hand.
@MainActor final class ManualTime {
    /// The alarm of the background tasks.
    let alarm: ManualAlarm
    /// The clock of the finite-length tasks.
    let clock: Clock
    /// The schedulers that have this time.
    var centers: [RefreshCenter] = []

    init() {
        let seconds = Seconds()
        alarm = ManualAlarm(seconds: seconds)
        clock = Clock(seconds: seconds)
    }

    /// Seconds since the machine was started, from 1000.
    var now: Double { alarm.seconds.boot }

    /// The time as a date.
    var date: Date { Date(timeIntervalSince1970: alarm.now.wall) }

    /// The environment of a scheduler, in which nothing but the time is known.
    var environment: RefreshEnvironment {
        RefreshEnvironment(
            now: { [alarm] in alarm.now },
            alarm: { [alarm] ring in
                alarm.begin(ring)
                return alarm
            }, bootID: "boot", seed: 1)
    }

    /// Advances the time by `seconds`: what is due happens at its time, with all that follows from
    /// it on the main queue.
    func advance(by seconds: Double) async {
        let end = now + seconds
        await settle()
        while let due = nextDue, due <= end { await ring(at: due) }
        alarm.seconds.boot = max(end, now)
    }

    /// Advances the time to the next moment at which something is due; false if there is none.
    func advanceToNext() async -> Bool {
        await settle()
        guard let due = nextDue else { return false }
        await ring(at: due)
        return true
    }

    /// Waits for all that the schedulers are to handle and that has been put on the main queue.
    func settle() async {
        for _ in 0..<5 {
            for center in centers { center.settle() }
            await withCheckedContinuation { continuation in
                DispatchQueue.main.async { continuation.resume() }
            }
        }
    }

    private var nextDue: Double? {
        [alarm.due, clock.pending?.time].compactMap(\.self).min()
    }

    private func ring(at due: Double) async {
        alarm.seconds.boot = max(now, due)
        if let pending = clock.pending, pending.time <= now {
            clock.pending = nil
            pending.body()
        } else {
            alarm.ring()
        }
        await settle()
    }

    /// The members that both have in common.
    final class Seconds: Sendable {
        private let value = Mutex(1000.0)

        var boot: Double {
            get { value.withLock(\.self) }
            set { value.withLock { $0 = newValue } }
        }
    }

    /// The alarm of the last center: those before it belong to processes that are gone.
    final class ManualAlarm: Alarm {
        /// 2026-11-23, a Monday, 9:00.
        private static let epoch = 1_795_424_400.0 - 1000

        private struct State {
            var boot: Double?
            var wall: Double?
            var ring: @Sendable () -> Void = {}
        }

        let seconds: Seconds
        private let state = Mutex(State())

        init(seconds: Seconds) { self.seconds = seconds }

        func begin(_ ring: @escaping @Sendable () -> Void) {
            state.withLock { $0 = State(ring: ring) }
        }

        var now: ScheduleTime {
            ScheduleTime(boot: seconds.boot, wall: Self.epoch + seconds.boot)
        }

        func set(boot: Double?, wall: Double?) {
            state.withLock { ($0.boot, $0.wall) = (boot, wall) }
        }

        func stop() { set(boot: nil, wall: nil) }

        var due: Double? {
            state.withLock { state in
                [state.boot, state.wall.map { $0 - Self.epoch }].compactMap(\.self).min()
            }
        }

        func ring() {
            let ring = state.withLock { state in
                (state.boot, state.wall) = (nil, nil)
                return state.ring
            }
            ring()
        }
    }

    final class Clock: BackgroundTaskClock {
        private let seconds: Seconds
        @MainActor var pending: (time: Double, body: @MainActor () -> Void)?

        init(seconds: Seconds) { self.seconds = seconds }

        var now: Double { seconds.boot }

        func wake(at time: Double, _ body: @escaping @MainActor () -> Void) {
            pending = (time, body)
        }

        func cancel() { pending = nil }
    }
}

import Dispatch
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongLinuxPlatform

@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `An alarm of the kernel's timers` {
    private final class Bell: Sendable {
        let rings = Atomic<Int>(0)
        let rung = DispatchSemaphore(value: 0)

        func ring() {
            rings.wrappingAdd(1, ordering: .relaxed)
            rung.signal()
        }
    }

    private let clock = SystemClock()

    @Test func `A timer alarm rings once at a time of either clock, and not before`() throws {
        let bell = Bell()
        let alarm = TimerAlarm { bell.ring() }
        defer { alarm.stop() }

        let boot = clock.secondsSinceBoot + 0.05
        alarm.set(boot: boot, wall: nil)
        bell.rung.wait()
        #expect(clock.secondsSinceBoot >= boot)

        let wall = clock.secondsSinceEpoch + 0.05
        alarm.set(boot: boot + 1000, wall: wall)
        bell.rung.wait()
        #expect(clock.secondsSinceEpoch >= wall)
        #expect(bell.rings.load(ordering: .relaxed) == 2)
    }

    @Test func `A timer alarm rings at once for a time that has passed`() {
        let bell = Bell()
        let alarm = TimerAlarm { bell.ring() }
        defer { alarm.stop() }

        alarm.set(boot: 0, wall: nil)
        bell.rung.wait()
        alarm.set(boot: nil, wall: -5)
        bell.rung.wait()

        #expect(bell.rings.load(ordering: .relaxed) == 2)
    }

    @Test func `A timer alarm can be set farther ahead than a timer can`() {
        let bell = Bell()
        let alarm = TimerAlarm { bell.ring() }

        alarm.set(boot: 1e15, wall: 1e15)
        alarm.set(boot: clock.secondsSinceBoot + 0.1, wall: 1e15)
        bell.rung.wait()
        alarm.stop()

        #expect(bell.rings.load(ordering: .relaxed) == 1)
    }

    @Test func `A timer alarm forgets what was set before`() {
        let bell = Bell()
        let alarm = TimerAlarm { bell.ring() }

        alarm.set(boot: clock.secondsSinceBoot + 0.05, wall: nil)
        alarm.set(boot: nil, wall: nil)
        alarm.set(boot: nil, wall: clock.secondsSinceEpoch + 0.2)
        bell.rung.wait()
        alarm.stop()

        #expect(bell.rings.load(ordering: .relaxed) == 1)
    }
}

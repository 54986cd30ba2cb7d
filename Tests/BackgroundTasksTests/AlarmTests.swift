import Background
import Foundation
import HostState
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct `The alarm of the main queue` {
    private let alarm = MainQueueAlarm()

    private func time(boot: Double? = nil, wall: Double? = nil) -> RefreshScheduler.Alarm {
        // The scheduler makes alarms; one with nothing to do has no times.
        var time = RefreshScheduler(seed: 1).alarm(at: alarm.now)
        (time.boot, time.wall) = (boot, wall)
        return time
    }

    @Test func `rings once its time has come by either clock, and only for the last one set`() async
    {
        var rings: [String] = []
        let now = alarm.now
        alarm.set(time(boot: now.boot + 0.01)) { rings.append("replaced") }
        await withCheckedContinuation { continuation in
            alarm.set(time(boot: now.boot + 0.1)) {
                rings.append("boot")
                continuation.resume()
            }
        }
        #expect(alarm.now.boot >= now.boot + 0.1)

        await withCheckedContinuation { continuation in
            alarm.set(time(wall: alarm.now.wall + 0.1)) {
                rings.append("wall")
                continuation.resume()
            }
        }
        #expect(rings == ["boot", "wall"])
    }

    @Test func `rings at once for what has passed, and can be set far ahead`() async {
        await withCheckedContinuation { continuation in
            alarm.set(time(boot: 0, wall: 1e15)) { continuation.resume() }
        }

        alarm.set(time(wall: 1e15)) { Issue.record("The date is in the far future") }
        alarm.set(time()) { Issue.record("Nothing is due") }
    }

    @Test func `knows the local time`() {
        let now = alarm.now

        #expect(
            now.utcOffset
                == Double(
                    TimeZone.current.secondsFromGMT(
                        for: Date(timeIntervalSince1970: now.wall))))
    }
}

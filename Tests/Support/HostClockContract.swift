internal import Synchronization
package import Testing
package import UndersongBase

/// Expects of a clock what the port says. `pass` lets so many seconds pass.
package func expectHostClockContract(
    of clock: some HostClock, pass: (Double) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    func expect(_ isSo: Bool, _ what: Comment) {
        #expect(isSo, what, sourceLocation: sourceLocation)
    }

    let before = (clock.now, clock.sinceBoot, clock.sinceEpoch)
    pass(0.02)
    let after = (clock.now, clock.sinceBoot, clock.sinceEpoch)
    expect(after.0 - before.0 >= 20_000_000, "time passes")
    expect(after.1 - before.1 >= 20_000_000, "it passes since the machine was started")
    expect(after.2 > 1_500_000_000_000_000_000, "the year is later than 2017")

    let target = clock.now + 20_000_000
    clock.sleep(until: target)
    expect(clock.now >= target, "a sleep ends no sooner than it should")
    let late = clock.now
    clock.sleep(until: late - 1_000_000_000)
    expect(clock.now - late < 1_000_000_000, "a sleep until a time that is over ends at once")

    let calls = Mutex<[Int64]>([])
    let isCalled = Semaphore()
    let due = clock.now + 300_000_000
    let call: @Sendable () -> Void = {
        calls.withLock { $0.append(clock.now) }
        isCalled.post()
    }
    let cancelled = clock.wake(at: due, leeway: 0) { calls.withLock { $0.append(.min) } }
    cancelled.cancel()
    _ = clock.wake(at: due, leeway: 0, call)
    pass(0.32)
    try isCalled.waitPatiently(orSay: "a timer does not call")
    _ = clock.wake(at: clock.now - 1, leeway: 0, call)
    try isCalled.waitPatiently(orSay: "a timer for a time that is over does not call")
    _ = clock.wake(after: 0.01, leeway: 0, call)
    pass(0.02)
    try isCalled.waitPatiently(orSay: "a timer after some seconds does not call")

    let times = calls.withLock { $0 }
    expect(times.count == 3, "each timer calls once, and a cancelled one never")
    expect(times.allSatisfy { $0 >= due }, "none calls before it is due")
}

import TestSupport
import Testing
import UndersongBase

@Suite struct `The port to the clock` {
    @Test func `is implemented by the machine's own`() throws {
        let clock = SystemClock()

        try expectHostClockContract(of: clock) { seconds in
            clock.sleep(until: clock.now + Int64(seconds * 1e9))
        }
    }

    @Test func `is implemented by one that is moved by hand`() throws {
        let clock = ManualClock()

        try expectHostClockContract(of: clock) { clock.advance(by: $0) }
    }
}

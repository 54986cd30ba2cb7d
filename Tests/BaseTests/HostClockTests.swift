import TestSupport
import Testing
import UndersongBase

@Suite struct `The port to the clock` {
    @Test func `The clock's port is implemented by the machine's own clock`() throws {
        let clock = SystemClock()

        try expectHostClockContract(of: clock) { seconds in
            clock.sleep(until: clock.now + Int64(seconds * 1e9))
        }
    }

    @Test func `The clock's port is implemented by a clock that is moved by hand`() throws {
        let clock = ManualClock()

        try expectHostClockContract(of: clock) { clock.advance(by: $0) }
    }
}

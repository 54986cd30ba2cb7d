import TestSupport
import Testing

@testable import UndersongAudioIO

@Suite struct `The clock of an output on a thread of its own` {
    @Test
    func `The clock of an output shows the host's time, which stops while the machine sleeps`() {
        let host = ManualClock(now: 7)
        let clock = PollClock(host: host)

        host.advance(by: 2)
        host.sleepMachine(for: 60)

        #expect(clock.now == 2_000_000_007)
    }
}

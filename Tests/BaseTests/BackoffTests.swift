import Testing
import UndersongBase

@Suite struct `A back-off` {
    private var backoff = Backoff(seconds: 0.25...3)

    @Test mutating func `A back-off doubles its delays up to the longest`() {
        let delays = (0..<6).map { _ in backoff.next() }

        #expect(delays == [0.25, 0.5, 1, 2, 3, 3])
    }

    @Test mutating func `A back-off begins with the first delay again after a reset`() {
        for _ in 0..<3 { _ = backoff.next() }

        backoff.reset()

        #expect([backoff.next(), backoff.next()] == [0.25, 0.5])
    }

    @Test mutating func `A back-off gives its delays in nanoseconds`() {
        var backoff = Backoff(seconds: 0.1...0.35)

        let delays = (0..<3).map { _ in backoff.nextNanoseconds() }

        #expect(delays == [100_000_000, 200_000_000, 350_000_000])
    }

    @Test mutating func `A back-off applies another longest delay after the next one`() {
        for _ in 0..<4 { _ = backoff.next() }

        backoff.longest = 1.5

        #expect([backoff.next(), backoff.next()] == [3, 1.5])
    }

    @Test(arguments: [(-1, 0.25), (0, 0.25), (1, 0.5), (3, 2), (4, 3), (.max, 3)])
    func `A back-off gives the delay after a number of failures`(failures: Int, delay: Double) {
        #expect(backoff.delay(after: failures) == delay)
    }
}

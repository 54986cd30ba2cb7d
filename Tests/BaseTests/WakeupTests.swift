import TestSupport
import Testing
import UndersongBase

@Suite(.blockingThreads) struct `A wait for descriptors` {
    @Test func `A wait for descriptors ends when either is readable`() {
        let (first, second) = (Wakeup(), Wakeup())
        let late = SystemClock().now + 20_000_000_000

        first.post()
        Wakeup.wait(for: first.descriptor, or: second.descriptor, until: late)
        first.clear()
        second.post()
        Wakeup.wait(for: first.descriptor, or: second.descriptor, until: late)
        second.clear()
        #expect(SystemClock().now < late)
        let soon = SystemClock().now + 20_000_000
        Wakeup.wait(for: first.descriptor, or: second.descriptor, until: soon)

        #expect(SystemClock().now >= soon)
    }
}

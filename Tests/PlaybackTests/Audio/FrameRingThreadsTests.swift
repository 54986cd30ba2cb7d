import Synchronization
import Testing
import UndersongPlayback

@Suite struct `A frame ring between two threads` {
    @Test func `A ring moves a million frames between threads without losing or tearing one`() async
    {
        let ring = FrameRing(format: stereo, capacity: 1021, history: 100)
        let producerEnd = Mutex<FrameProducer?>(ring.producer)
        let consumerEnd = Mutex<FrameConsumer?>(ring.consumer)

        async let produced: Void = produce(into: producerEnd)
        async let (count, damaged) = consume(from: consumerEnd)
        await produced
        let outcome = await (count, damaged)

        #expect(outcome == (1_000_000, 0))
    }

    /// Frame n is (low bits of n, its complement), in blocks that never fit the ring evenly.
    private func produce(into end: borrowing Mutex<FrameProducer?>) async {
        guard var producer = end.withLock({ $0.take() }) else { return }
        var next = 0
        while next < 1_000_000 {
            let last = min(next + 700, 1_000_000)
            var block: [Int16] = []
            for frame in next..<last {
                let bits = Int16(truncatingIfNeeded: frame)
                block += [bits, ~bits]
            }
            let written = producer.write(block)
            if written == 0 { await Task.yield() }
            next += written
        }
        producer.finish()
    }

    /// Returns how many frames arrived and how many of them were out of order.
    private func consume(from end: borrowing Mutex<FrameConsumer?>) async -> (Int, Int) {
        guard var consumer = end.withLock({ $0.take() }) else { return (0, 0) }
        var damaged = 0
        while !(consumer.isFinished && consumer.available == 0) {
            let samples = consumer.next(limit: 300).bindMemory(to: Int16.self)
            let count = samples.count / 2
            for index in 0..<count {
                let bits = Int16(truncatingIfNeeded: consumer.position + index)
                if samples[2 * index] != bits || samples[2 * index + 1] != ~bits { damaged += 1 }
            }
            consumer.advance(by: count)
            if count == 0 { await Task.yield() }
        }
        return (consumer.position, damaged)
    }
}

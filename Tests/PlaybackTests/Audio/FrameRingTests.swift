import Testing
import UndersongPlayback

@Suite struct `A frame ring` {
    @Test func `A ring is empty at first and has room for its capacity`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 2)

        let room = ring.producer.room
        let available = ring.consumer.available
        let isFinished = ring.consumer.isFinished
        let samples = ring.consumer.peek()

        #expect(room == 8)
        #expect(available == 0)
        #expect(!isFinished)
        #expect(samples == [])
    }

    @Test func `A ring returns what was written, in order`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var producer = ring.producer
        var consumer = ring.consumer

        let first = producer.write([1, 2, 3])
        let second = producer.write([4, 5])
        let taken = consumer.popAll()

        #expect([first, second] == [3, 2])
        #expect(taken == [1, 2, 3, 4, 5])
        #expect(producer.position == 5)
        #expect(consumer.position == 5)
    }

    @Test func `A ring counts frames, not samples, with two channels`() {
        let ring = FrameRing(format: stereo, capacity: 4, history: 0)
        var producer = ring.producer
        let consumer = ring.consumer

        let written = producer.write([1, -1, 2, -2, 3, -3])
        let available = consumer.available
        let samples = consumer.peek(2)

        #expect(written == 3)
        #expect(producer.position == 3)
        #expect(producer.room == 1)
        #expect(available == 3)
        #expect(samples == [1, -1, 2, -2])
    }

    @Test func `A ring ignores half a frame at the end of a block`() {
        let ring = FrameRing(format: stereo, capacity: 4, history: 0)
        var producer = ring.producer

        let written = producer.write([1, -1, 2])

        #expect(written == 1)
    }

    @Test func `A ring accepts only what it has room for if the block is larger`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 0)
        var producer = ring.producer
        var consumer = ring.consumer

        let written = producer.write([1, 2, 3, 4, 5, 6])
        let more = producer.write([7])
        let taken = consumer.popAll()

        #expect(written == 4)
        #expect(more == 0)
        #expect(taken == [1, 2, 3, 4])
    }

    @Test func `A ring accepts nothing from an empty block`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 0)
        var producer = ring.producer

        let written = producer.write([])

        #expect(written == 0)
        #expect(producer.position == 0)
    }

    @Test func `A ring does not consume frames that are only looked at`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 0)
        var producer = ring.producer
        let consumer = ring.consumer
        _ = producer.write([1, 2, 3])

        let first = consumer.peek(2)
        let second = consumer.peek(2)

        #expect(first == [1, 2])
        #expect(second == [1, 2])
        #expect(producer.room == 1)
    }

    @Test func `A ring shows its producer that frames were consumed, kept or not, for good`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 4)
        var producer = ring.producer
        var consumer = ring.consumer

        _ = producer.write([1, 2, 3])
        let before = producer.isConsumed
        consumer.advance(by: 2)
        let after = producer.isConsumed
        consumer.rewind(by: 2)
        let later = producer.isConsumed

        #expect([before, after, later] == [false, true, true])
    }

    @Test func `A ring has room again for as many frames as were consumed`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 0)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3, 4])

        consumer.advance(by: 3)

        #expect(producer.room == 3)
    }

    @Test func `A ring returns what remains after finish, and shows that nothing follows`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 0)
        var producer = ring.producer
        var consumer = ring.consumer

        _ = producer.write([1, 2])
        producer.finish()
        let isFinished = consumer.isFinished
        let taken = consumer.popAll()

        #expect(isFinished)
        #expect(taken == [1, 2])
    }

    @Test func `A ring knows how much of it can be ahead of the consumer, without the history`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 2)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3, 4, 5, 6, 7, 8])
        consumer.advance(by: 5)

        _ = producer.write([9, 10, 11, 12])

        #expect(consumer.ahead == 6)
        #expect(consumer.available == 6)
        #expect(producer.capacity == 8)
    }
}

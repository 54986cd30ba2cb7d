import Testing
import UndersongPlayback

@Suite struct `A frame ring that wraps` {
    @Test func `A ring returns the frames on both sides of the wrap, one piece each`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 0)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3])
        consumer.advance(by: 3)

        let written = producer.write([4, 5, 6])
        let available = consumer.available
        let beforeEnd = consumer.peek()
        consumer.advance(by: 1)
        let behindEnd = consumer.peek()

        #expect(written == 3)
        #expect(available == 3)
        #expect(beforeEnd == [4])
        #expect(behindEnd == [5, 6])
    }

    @Test func `A ring keeps frames of two channels whole across the wrap`() {
        let ring = FrameRing(format: stereo, capacity: 3, history: 0)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, -1, 2, -2])
        consumer.advance(by: 2)

        _ = producer.write([3, -3, 4, -4, 5, -5])
        let taken = consumer.popAll(channelCount: 2)

        #expect(taken == [3, -3, 4, -4, 5, -5])
    }

    @Test func `A ring counts positions beyond its capacity`() {
        let ring = FrameRing(format: mono, capacity: 3, history: 0)
        var producer = ring.producer
        var consumer = ring.consumer
        var taken: [Int16] = []

        for block: [Int16] in [[1, 2], [3, 4], [5, 6], [7, 8]] {
            _ = producer.write(block)
            taken += consumer.popAll()
        }

        #expect(taken == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(producer.position == 8)
        #expect(consumer.position == 8)
    }
}

@Suite struct `A frame ring's history` {
    @Test func `A ring's history is not overwritten once consumed`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 2)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3, 4])

        consumer.advance(by: 4)
        let written = producer.write([5, 6, 7, 8])

        #expect(written == 2)
    }

    @Test func `A ring's history returns the unheard frames, and then those after them`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 2)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3, 4])
        consumer.advance(by: 4)
        _ = producer.write([5, 6])

        consumer.rewind(by: 2)
        let position = consumer.position
        let taken = consumer.popAll()

        #expect(position == 2)
        #expect(taken == [3, 4, 5, 6])
    }

    @Test func `A ring's history needs no room before anything is consumed`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 2)
        var producer = ring.producer
        var consumer = ring.consumer

        let first = producer.write([1, 2, 3, 4])
        consumer.advance(by: 1)
        let second = producer.write([5])

        #expect(first == 4)
        #expect(second == 0)
    }

    @Test func `A ring's history stays as it is if nothing was discarded`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 2)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3])
        consumer.advance(by: 2)

        consumer.rewind(by: 0)

        #expect(consumer.position == 2)
        #expect(consumer.available == 1)
    }

    @Test func `A ring's history can be stepped into again after it was played again`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 3)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3, 4, 5, 6])

        consumer.advance(by: 3)
        consumer.rewind(by: 3)
        consumer.advance(by: 5)
        consumer.rewind(by: 2)
        let taken = consumer.popAll()

        #expect(taken == [4, 5, 6])
    }

    @Test func `A ring never loses room by a step into its history`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 4)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3, 4, 5])
        consumer.advance(by: 5)
        _ = producer.write([6, 7, 8, 9])
        consumer.advance(by: 4)
        let before = producer.room

        consumer.rewind(by: 4)
        consumer.advance(by: 1)
        let after = producer.room

        #expect(before == 4)
        #expect(after == 4)
    }
}

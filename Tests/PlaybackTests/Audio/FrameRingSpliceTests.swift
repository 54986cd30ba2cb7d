import Testing
import UndersongBase
import UndersongPlayback

@Suite struct `A frame ring that is truncated` {
    @Test func `A cut ring returns what precedes the cut, then what is written instead`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 2)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3, 4, 5, 6])

        producer.truncate(to: 4)
        let available = consumer.available
        _ = producer.write([8, 9])
        let taken = consumer.popAll()

        #expect(available == 4)
        #expect(taken == [1, 2, 3, 4, 8, 9])
        #expect(producer.position == 6)
    }

    @Test func `A cut ring has room again for what was removed`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 2)
        var producer = ring.producer
        _ = producer.write([1, 2, 3, 4, 5, 6, 7, 8])

        producer.truncate(to: 3)

        #expect(producer.position == 3)
        #expect(producer.room == 5)
    }

    @Test func `A ring cut just after the consumer continues directly`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 2)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3, 4, 5, 6])
        consumer.advance(by: 3)

        producer.truncate(to: 3)
        let available = consumer.available
        _ = producer.write([8, 9])
        let taken = consumer.popAll()

        #expect(available == 0)
        #expect(taken == [8, 9])
    }

    @Test func `A cut ring still steps back into its history`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 4)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3, 4, 5, 6])
        consumer.advance(by: 5)

        producer.truncate(to: 5)
        consumer.rewind(by: 4)
        _ = producer.write([9])
        let taken = consumer.popAll()

        #expect(taken == [2, 3, 4, 5, 9])
    }

    @Test func `A ring replaces consumed frames that the device returned unheard`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 4)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2, 3, 4, 5, 6])
        consumer.advance(by: 6)
        consumer.rewind(by: 4)

        producer.truncate(to: 2)
        _ = producer.write([8, 9])
        let taken = consumer.popAll()

        #expect(taken == [8, 9])
        #expect(consumer.position == 4)
    }

    @Test func `A cut ring is the same after the wrap as before it`() {
        let ring = FrameRing(format: stereo, capacity: 3, history: 0)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, -1, 2, -2])
        consumer.advance(by: 2)
        _ = producer.write([3, -3, 4, -4, 5, -5])

        producer.truncate(to: 3)
        _ = producer.write([8, -8, 9, -9])
        let taken = consumer.popAll(channelCount: 2)

        #expect(taken == [3, -3, 8, -8, 9, -9])
    }

    @Test func `A ring refuses a cut beyond what was written`() async {
        await #expect(processExitsWith: .failure) {
            let ring = FrameRing(format: mono, capacity: 8, history: 2)
            var producer = ring.producer
            producer.truncate(to: 1)
        }
    }

    @Test func `A ring refuses a cut before what it still holds`() async {
        await #expect(processExitsWith: .failure) {
            let ring = FrameRing(format: mono, capacity: 8, history: 2)
            var producer = ring.producer
            var consumer = ring.consumer
            _ = producer.write([1, 2, 3, 4, 5, 6])
            consumer.advance(by: 5)
            producer.truncate(to: 2)
        }
    }
}

@Suite struct `A frame ring that continues after its end` {
    @Test func `A ring that continues after its end revokes that, and loses nothing`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var producer = ring.producer
        var consumer = ring.consumer
        _ = producer.write([1, 2])
        producer.finish()
        let before = consumer.isFinished

        producer.resume()
        let after = consumer.isFinished
        _ = producer.write([3])
        let taken = consumer.popAll()

        #expect(before)
        #expect(!after)
        #expect(taken == [1, 2, 3])
    }

    @Test func `A ring keeps its end if only frames are removed`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var producer = ring.producer
        let consumer = ring.consumer
        _ = producer.write([1, 2])
        producer.finish()

        producer.truncate(to: 1)
        let isFinished = consumer.isFinished

        #expect(isFinished)
        #expect(consumer.available == 1)
    }
}

/// Random steps, with the same seeds in every run, against an array.
@Suite struct `Many steps of a frame ring` {
    @Test(arguments: 0..<100)
    func `Many steps of a ring have the same result as in an array`(seed: Int) throws {
        var steps = RingSteps(seed: seed)

        for _ in 0..<400 {
            steps.perform()

            let positions = steps.positions
            try #require(positions.produced == steps.model.count)
            try #require(positions.available == steps.model.count - positions.taken)
        }

        let (taken, expected) = steps.compared
        #expect(taken == expected)
        #expect(taken.count > 200)
    }
}

/// Applies the same random steps to a ring and to an array of the whole stream.
private struct RingSteps: ~Copyable {
    private(set) var model: [Int16] = []
    /// All frames that were taken, and what the array had in their places at that moment.
    private(set) var compared: (taken: [Int16], expected: [Int16]) = ([], [])
    private var producer: FrameProducer
    private var consumer: FrameConsumer
    private var generator: SeededGenerator
    private var lastSample: Int16 = 0
    private var mostTaken = 0

    init(seed: Int) {
        let ring = FrameRing(format: mono, capacity: 13, history: 5)
        producer = ring.producer
        consumer = ring.consumer
        generator = SeededGenerator(seed: seed)
    }

    var positions: (produced: Int, taken: Int, available: Int) {
        (producer.position, consumer.position, consumer.available)
    }

    mutating func perform() {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1: write()
        case 2, 3: consume()
        case 4: rewind()
        default: truncate()
        }
    }

    private mutating func write() {
        let block = (1...Int16.random(in: 1...9, using: &generator)).map { lastSample &+ $0 }
        let written = producer.write(block)
        model += block.prefix(written)
        lastSample &+= 9
    }

    private mutating func consume() {
        let samples = consumer.peek(Int.random(in: 0...9, using: &generator))
        compared.taken += samples
        compared.expected += model[consumer.position..<consumer.position + samples.count]
        consumer.advance(by: samples.count)
        mostTaken = max(mostTaken, consumer.position)
    }

    private mutating func rewind() {
        let most = consumer.position - max(0, mostTaken - 5)
        consumer.rewind(by: Int.random(in: 0...most, using: &generator))
    }

    private mutating func truncate() {
        let position = Int.random(in: consumer.position...model.count, using: &generator)
        producer.truncate(to: position)
        model.removeSubrange(position...)
    }
}

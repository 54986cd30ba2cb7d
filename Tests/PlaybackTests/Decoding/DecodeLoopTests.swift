import TestSupport
import Testing
import UndersongPlayback

@Suite struct `A decode loop` {
    @Test func `A decode loop is starved before it has an item`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        let step = loop.step()

        #expect(step == .starved)
    }

    @Test func `A decode loop writes an item's samples into the ring, in order, and finishes`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1, 2], [3], [4, 5]))
        let first = loop.run()
        let second = loop.run()
        let taken = consumer.popAll()

        #expect(first == .finished(error: nil))
        #expect(second == .starved)
        #expect(taken == [1, 2, 3, 4, 5])
        #expect(loop.position == 5)
    }

    @Test func `A decode loop reads at most one block per step`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        let consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2], [3]))

        let steps = [loop.step(), loop.step()]
        let samples = consumer.peek()

        #expect(steps == [.advanced, .advanced])
        #expect(samples == [1, 2])
    }

    @Test func `A decode loop is full when the ring is, and loses nothing when it continues`() {
        let ring = FrameRing(format: mono, capacity: 3, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2, 3, 4], [5, 6, 7]))
        var taken: [Int16] = []

        let first = loop.run()
        let room = loop.room
        taken += consumer.popAll()
        let second = loop.run()
        taken += consumer.popAll()
        let third = loop.run()
        taken += consumer.popAll()

        #expect(first == .full)
        #expect(room == 0)
        #expect(second == .full)
        #expect(third == .finished(error: nil))
        #expect(taken == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test func `A decode loop stays full as long as nothing is consumed`() {
        let ring = FrameRing(format: mono, capacity: 2, history: 0)
        let consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2, 3]))

        let steps = [loop.run(), loop.step(), loop.step()]

        #expect(steps == [.full, .full, .full])
        #expect(consumer.peek() == [1, 2])
    }

    @Test func `A decode loop writes whole frames when the ring of a stereo stream is nearly full`()
    {
        let ring = FrameRing(format: stereo, capacity: 2, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: stereo)
        loop.play(ScriptedDecoder([([1, -1, 2, -2, 3, -3], stereo)]))

        let first = loop.run()
        let before = consumer.popAll(channelCount: 2)
        let second = loop.run()
        let after = consumer.popAll(channelCount: 2)

        #expect(first == .full)
        #expect(before == [1, -1, 2, -2])
        #expect(second == .finished(error: nil))
        #expect(after == [3, -3])
    }

    @Test(.rule("C4")) func `A decode loop joins two items without one sample missing or added`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1, 2, 3]))
        let first = loop.run()
        let seam = loop.position
        loop.play(ScriptedDecoder([4, 5]))
        let second = loop.run()
        let taken = consumer.popAll()

        #expect(first == .finished(error: nil))
        #expect(seam == 3)
        #expect(second == .finished(error: nil))
        #expect(taken == [1, 2, 3, 4, 5])
    }

    @Test func `A decode loop has finished an item only when its last sample is in the ring`() {
        let ring = FrameRing(format: mono, capacity: 2, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2, 3]))

        let before = loop.run()
        _ = consumer.popAll()
        let after = loop.run()

        #expect(before == .full)
        #expect(after == .finished(error: nil))
        #expect(loop.position == 3)
    }

    @Test func `A decode loop finishes an item without samples at once`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 0)
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder())
        let step = loop.run()

        #expect(step == .finished(error: nil))
        #expect(loop.position == 0)
    }

    @Test func `A decode loop shows the consumer that nothing follows, only when it is finished`() {
        let ring = FrameRing(format: mono, capacity: 4, history: 0)
        let consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1]))
        _ = loop.run()

        let before = consumer.isFinished
        loop.finish()
        let after = consumer.isFinished

        #expect(!before)
        #expect(after)
        #expect(consumer.available == 1)
    }
}

@Suite struct `A decode loop whose decoder fails` {
    @Test(.rule("T24"))
    func `A decode loop keeps what came before a failure, and reports why the item ended`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        let error = MediaError(.decodeFailed, operation: "decode a.mp3", reason: "Damaged")

        loop.play(ScriptedDecoder([1, 2], [3], failure: error))
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: error))
        #expect(taken == [1, 2, 3])
    }

    @Test(.rule("T24"))
    func `A decode loop continues after a failure with the next item at the very next sample`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        let error = MediaError(.readFailed, operation: "read a.mp3", reason: "Input/output error")

        loop.play(ScriptedDecoder([1, 2], failure: error))
        _ = loop.run()
        loop.play(ScriptedDecoder([3, 4]))
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: nil))
        #expect(taken == [1, 2, 3, 4])
    }
}

import Testing
import UndersongPlayback

private let slow = StreamFormat(sampleRate: 500, channelCount: 1)

/// Decoded samples are replaced: none of them may pass, whatever the loop was doing.
@Suite struct `A decode loop that is cut` {
    @Test func `A cut decode loop has nothing to play, and continues where it was cut`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2], [3, 4], [5, 6]))
        for _ in 0..<4 { _ = loop.step() }

        loop.cut(at: 3, isJump: false)
        let position = loop.position
        let starved = loop.step()
        let start = loop.play(ScriptedDecoder([8, 9]))
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(position == 3)
        #expect(starved == .starved)
        #expect(start == 3)
        #expect(step == .finished(error: nil))
        #expect(taken == [1, 2, 3, 8, 9])
    }

    /// Each step of a passage that is converted and stretched, and does not fit into the ring at
    /// once.
    @Test(arguments: 0..<14)
    func `A cut decode loop passes nothing of a cut passage, whatever step it had reached`(
        count: Int
    ) {
        let ring = FrameRing(format: mono, capacity: 7, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([([1, 2], slow), ([3], slow)])) { $0.rate = 0.5 }
        for _ in 0..<count { _ = loop.step() }
        let position = loop.position

        loop.cut(at: min(2, position), isJump: false)
        let starved = loop.step()
        let start = loop.play(ScriptedDecoder([7, 8, 9]))
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(starved == .starved)
        #expect(start == min(2, position))
        #expect(step == .finished(error: nil))
        #expect(taken == Array([1, 1].prefix(position)) + [7, 8, 9])
    }

    @Test func `A cut decode loop drops what did not fit into the ring`() {
        let ring = FrameRing(format: mono, capacity: 2, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2, 3, 4]))
        let full = loop.run()

        loop.cut(at: 1, isJump: false)
        loop.play(ScriptedDecoder([9]))
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(full == .full)
        #expect(taken == [1, 9])
    }

    @Test func `A cut decode loop does not finish a passage that was cut just before`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        let consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1]))
        // Reads, writes, reads the end, empties the converters: the next step would finish.
        let steps = [loop.step(), loop.step(), loop.step(), loop.step()]

        loop.cut(at: 1, isJump: false)
        let step = loop.step()

        #expect(steps == [.advanced, .advanced, .advanced, .advanced])
        #expect(step == .starved)
        #expect(consumer.available == 1)
    }

    @Test func `A cut decode loop revokes an announced end`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        let consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2]))
        _ = loop.run()
        loop.finish()

        loop.cut(at: 1, isJump: false)
        let isFinished = consumer.isFinished
        loop.finish()
        let isFinishedAnew = consumer.isFinished

        #expect(!isFinished)
        #expect(isFinishedAnew)
    }

    @Test func `A cut decode loop replaces passages that were finished already`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2]))
        _ = loop.run()
        loop.play(ScriptedDecoder([3, 4]))
        _ = loop.run()

        loop.cut(at: 2, isJump: false)
        loop.play(ScriptedDecoder([8, 9]))
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [1, 2, 8, 9])
    }

    @Test func `A cut decode loop keeps what precedes the cut and is not in the ring yet`() {
        let ring = FrameRing(format: mono, capacity: 2, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2, 3, 4, 5, 6])) { $0.crossfade = 4 }
        _ = loop.run()
        let seam = loop.play(ScriptedDecoder([100, 100])) { shape in
            shape.crossfade = 4
            shape.frameCount = 2
        }
        var taken = consumer.popAll()
        _ = loop.step()

        loop.cut(at: seam, isJump: false)
        let next = loop.play(ScriptedDecoder([8, 9]))
        while loop.run() == .full { taken += consumer.popAll() }
        taken += consumer.popAll()

        #expect(seam == 5)
        #expect(next == 6)
        #expect(taken == [1, 2, 3, 4, 5, 6, 8, 9])
    }

    @Test func `A cut decode loop continues with a passage's end if nothing follows the cut`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2, 3, 4, 5, 6])) { $0.crossfade = 2 }
        _ = loop.run()
        let seam = loop.play(ScriptedDecoder([100, 100, 100, 100])) { $0.crossfade = 2 }
        _ = loop.run()

        loop.cut(at: seam, isJump: false)
        loop.playOut()
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(seam == 4)
        #expect(step == .starved)
        #expect(taken == [1, 2, 3, 4, 5, 6])
    }

    @Test func `A decode loop cut by a jump at a seam plays no more of the passage ending there`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([1, 2, 3, 4, 5, 6])) { $0.crossfade = 2 }
        _ = loop.run()
        let seam = loop.play(ScriptedDecoder([100, 100, 100, 100])) { $0.crossfade = 2 }
        _ = loop.run()

        loop.cut(at: seam, isJump: true)
        loop.play(ScriptedDecoder([8, 9, 10, 11])) { $0.crossfade = 2 }
        _ = loop.run()
        loop.playOut()
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [1, 2, 3, 4, 8, 9, 10, 11])
    }
}

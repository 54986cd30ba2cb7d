import Testing
import UndersongPlayback

private let slow = StreamFormat(sampleRate: 500, channelCount: 1)
private let slower = StreamFormat(sampleRate: 250, channelCount: 1)

@Suite struct `A decode loop that converts` {
    @Test func `A decode loop requests no converter if the formats agree`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        let log = ConverterLog()
        var loop = DecodeLoop(frames: ring.producer, format: mono, log: log)

        loop.play(ScriptedDecoder([1, 2]))
        _ = loop.run()

        #expect(log.made == [])
    }

    @Test func `A decode loop converts a whole item with one converter and empties it at the end`()
    {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        let log = ConverterLog()
        var loop = DecodeLoop(frames: ring.producer, format: mono, log: log)

        loop.play(ScriptedDecoder([([1, 2], slow), ([3], slow)]))
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: nil))
        #expect(taken == [1, 1, 2, 2, 3, 3])
        #expect(log.made == ["500/1 to 1000"])
    }

    @Test func `A decode loop creates a new converter for each item`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        let log = ConverterLog()
        var loop = DecodeLoop(frames: ring.producer, format: mono, log: log)

        loop.play(ScriptedDecoder([([1, 2], slow)]))
        _ = loop.run()
        loop.play(ScriptedDecoder([([3, 4], slow)]))
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [1, 1, 2, 2, 3, 3, 4, 4])
        #expect(log.made == ["500/1 to 1000", "500/1 to 1000"])
    }

    @Test func `A decode loop loses no sample between a converted item and one that needs none`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([([1, 2], slow)]))
        _ = loop.run()
        let seam = loop.position
        loop.play(ScriptedDecoder([8, 9]))
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(seam == 4)
        #expect(taken == [1, 1, 2, 2, 8, 9])
    }

    @Test func `A decode loop waits for room for what the converter returned at the end`() {
        let ring = FrameRing(format: mono, capacity: 3, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        loop.play(ScriptedDecoder([([1, 2], slow)]))

        let first = loop.run()
        let before = consumer.popAll()
        let second = loop.run()
        let after = consumer.popAll()

        #expect(first == .full)
        #expect(before == [1, 1, 2])
        #expect(second == .finished(error: nil))
        #expect(after == [2])
    }

    @Test func `A decode loop empties the converter first if the format changes within an item`() {
        let ring = FrameRing(format: mono, capacity: 32, history: 0)
        var consumer = ring.consumer
        let log = ConverterLog()
        var loop = DecodeLoop(frames: ring.producer, format: mono, log: log)

        let decoder = ScriptedDecoder([
            ([1, 2], slow), ([3, 4], slower), ([5, 6], mono), ([7], slow),
        ])
        loop.play(decoder)
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: nil))
        #expect(taken == [1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 7])
        #expect(log.made == ["500/1 to 1000", "250/1 to 1000", "500/1 to 1000"])
    }

    @Test func `A decode loop begins to convert midway if the item began in the stream's format`() {
        let ring = FrameRing(format: mono, capacity: 32, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([([1, 2], mono), ([3, 4], slow)]))
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [1, 2, 3, 3, 4, 4])
    }

    @Test func `A decode loop starts the next item clean after a failed one`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        let log = ConverterLog()
        var loop = DecodeLoop(frames: ring.producer, format: mono, log: log)
        let error = MediaError(.decodeFailed, operation: "decode a.mp3", reason: "Damaged")

        loop.play(ScriptedDecoder([([1, 2], slow)], failure: error))
        let step = loop.run()
        _ = consumer.popAll()
        loop.play(ScriptedDecoder([([3, 4], slow)]))
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: error))
        #expect(taken == [3, 3, 4, 4])
        #expect(log.made.count == 2)
    }

    @Test func `A decode loop keeps what its converter held when the decoder fails`() {
        let slow = StreamFormat(sampleRate: 500, channelCount: 1)
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        let error = MediaError(.decodeFailed, operation: "decode a.mp3", reason: "Damaged")

        loop.play(ScriptedDecoder([([1, 2], slow)], failure: error))
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: error))
        #expect(taken == [1, 1, 2, 2])
    }
}

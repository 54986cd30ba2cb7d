import TestSupport
import Testing
import UndersongPlayback

private let slow = StreamFormat(sampleRate: 500, channelCount: 1)
private let damage = MediaError(.decodeFailed, operation: "decode a.mp3", reason: "Damaged")

/// `forwardPlaybackEndTime`: an item ends before its file does.
@Suite struct `A passage with a limit` {
    @Test(
        arguments: [
            (0, []), (1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (4, [1, 2, 3, 4]),
            (5, [1, 2, 3, 4, 5]),
            (6, [1, 2, 3, 4, 5]), (1_000_000, [1, 2, 3, 4, 5]),
        ] as [(Int, [Int16])])
    func `A passage with a limit plays that many frames and finishes`(limit: Int, frames: [Int16]) {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1, 2], [3], [4, 5])) { $0.limit = limit }
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: nil))
        #expect(taken == frames)
    }

    @Test func `A passage's limit counts frames, not samples`() {
        let ring = FrameRing(format: stereo, capacity: 8, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: stereo)

        let decoder = ScriptedDecoder([([1, -1, 2, -2], stereo), ([3, -3, 4, -4], stereo)])
        loop.play(decoder) { $0.limit = 3 }
        _ = loop.run()
        let taken = consumer.popAll(channelCount: 2)

        #expect(taken == [1, -1, 2, -2, 3, -3])
    }

    @Test func `A passage's limit counts the decoder's frames, not the stream's`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([([1, 2, 3, 4, 5], slow)])) { $0.limit = 3 }
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [1, 1, 2, 2, 3, 3])
    }

    @Test func `A passage's limit counts from where the decoder was positioned`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        let decoder = ScriptedDecoder([1, 2], [3, 4, 5], [6])
        decoder.seek(to: 3)

        loop.play(decoder) { $0.limit = 2 }
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [4, 5])
    }

    @Test(.rule("T24")) func `A passage with a limit does not fail if the damage is after it`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1, 2], [3, 4], failure: damage)) { $0.limit = 4 }
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: nil))
        #expect(taken == [1, 2, 3, 4])
    }

    @Test func `A passage with a limit fails if the damage is before it`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1, 2], [3, 4], failure: damage)) { $0.limit = 5 }

        #expect(loop.run() == .finished(error: damage))
    }

    @Test func `A passage with a limit limits only itself`() {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1, 2])) { $0.limit = 1 }
        _ = loop.run()
        loop.play(ScriptedDecoder([3, 4]))
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [1, 3, 4])
    }
}

@Suite struct `A passage that fades in` {
    @Test func `A fade-in rises from silence in a straight line, over several pieces`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1000, 1000, -1000], [1000, 1000, 1000, 900])) { $0.fadeIn = 5 }
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: nil))
        #expect(taken == [0, 200, -400, 600, 800, 1000, 900])
    }

    @Test func `A fade-in raises both channels alike, and not the next passage`() {
        let ring = FrameRing(format: stereo, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: stereo)

        loop.play(ScriptedDecoder([([100, -100, 100, -100], stereo)])) { $0.fadeIn = 2 }
        _ = loop.run()
        loop.play(ScriptedDecoder([([100, -100], stereo)]))
        _ = loop.run()
        let taken = consumer.popAll(channelCount: 2)

        #expect(taken == [0, 0, 50, -50, 100, -100])
    }

    @Test func `A fade-in and a fade-out may share a passage`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1000, 1000, 1000, 1000, 1000])) {
            ($0.fadeIn, $0.fadeOut) = (2, 4)
        }
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [0, 375, 500, 250])
    }
}

@Suite struct `A passage that fades out` {
    @Test func `A passage that fades out falls to silence in a straight line, and finishes`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1000, 1000, 1000], [-1000, 1001, 1000, 1000])) { $0.fadeOut = 5 }
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: nil))
        #expect(taken == [1000, 800, 600, -400, 200])
    }

    @Test func `A passage that fades out fades both channels alike`() {
        let ring = FrameRing(format: stereo, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: stereo)

        loop.play(ScriptedDecoder([([100, -100, 100, -100, 100, -100], stereo)])) { $0.fadeOut = 2 }
        _ = loop.run()
        let taken = consumer.popAll(channelCount: 2)

        #expect(taken == [100, -100, 50, -50])
    }

    @Test func `A passage that fades out counts the stream's frames when it is converted`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([([100, 100], slow), ([100, 100, 100], slow)])) { $0.fadeOut = 4 }
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [100, 75, 50, 25])
    }

    @Test func `A fade ends with its item if that is shorter, without errors from what follows`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([100, 100])) { $0.fadeOut = 4 }
        let short = loop.run()
        let isCutShort = loop.hasFadedOut
        let taken = consumer.popAll()
        loop.play(ScriptedDecoder([100, 100], failure: damage)) { $0.fadeOut = 2 }
        let enough = loop.run()
        let isCut = loop.hasFadedOut

        #expect(short == .finished(error: nil))
        #expect(!isCutShort && isCut)
        #expect(taken == [100, 75])
        #expect(enough == .finished(error: nil))
    }

    @Test func `A passage that fades out does not affect the one after it, which may fade too`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([100, 100])) { $0.fadeOut = 1 }
        _ = loop.run()
        loop.play(ScriptedDecoder([100, 100]))
        _ = loop.run()
        loop.play(ScriptedDecoder([100, 100])) { $0.fadeOut = 2 }
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [100, 100, 100, 100, 50])
    }
}

@Suite struct `A passage at another rate` {
    @Test func `A passage at another rate uses its own stretcher, which is emptied at the end`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        let log = ConverterLog()
        var loop = DecodeLoop(frames: ring.producer, format: mono, log: log)

        loop.play(ScriptedDecoder([1, 2], [3])) { $0.rate = 0.5 }
        let step = loop.run()
        loop.play(ScriptedDecoder([4])) { $0.rate = 1.5 }
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: nil))
        #expect(taken == [1, 1, 2, 2, 3, 3, 4, 4])
        #expect(log.made == ["1000/1 at 0.5", "1000/1 at 1.5"])
    }

    @Test func `A passage at another pitch uses a stretcher too`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        let log = ConverterLog()
        var loop = DecodeLoop(frames: ring.producer, format: mono, log: log)

        loop.play(ScriptedDecoder([1])) { $0.pitch = -300 }

        #expect(log.made == ["1000/1 at 1.0 and -300.0 cents"])
    }

    @Test func `A passage at normal rate needs no stretcher`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        let log = ConverterLog()
        var loop = DecodeLoop(frames: ring.producer, format: mono, log: log)

        loop.play(ScriptedDecoder([1])) { $0.rate = 2 }
        _ = loop.run()
        loop.play(ScriptedDecoder([4, 5])) { $0.rate = 1 }
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [1, 1, 4, 5])
        #expect(log.made == ["1000/1 at 2.0"])
    }

    @Test func `A passage at another rate is resampled first, and gets what each converter holds`()
    {
        let ring = FrameRing(format: mono, capacity: 32, history: 0)
        var consumer = ring.consumer
        let log = ConverterLog()
        var loop = DecodeLoop(frames: ring.producer, format: mono, log: log)

        loop.play(ScriptedDecoder([([1, 2], slow), ([3], mono)])) { $0.rate = 0.5 }
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3])
        #expect(log.made == ["1000/1 at 0.5", "500/1 to 1000"])
    }

    @Test func `A passage at another rate is limited by the item's own frames`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1, 2, 3, 4])) { shape in
            shape.rate = 0.5
            shape.limit = 3
        }
        _ = loop.run()
        let taken = consumer.popAll()

        #expect(taken == [1, 1, 2, 2, 3, 3])
    }

    @Test func `A passage at another rate keeps what its stretcher held when the decoder fails`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)

        loop.play(ScriptedDecoder([1, 2], failure: damage)) { $0.rate = 0.5 }
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: damage))
        #expect(taken == [1, 1, 2, 2])
    }
}

@Suite struct `A passage that begins midway` {
    @Test(
        arguments: [
            (0, [1, 2, 3, 4, 5, 6]), (1, [2, 3, 4, 5, 6]), (2, [3, 4, 5, 6]), (5, [6]), (6, []),
            (99, []),
        ] as [(Int, [Int16])])
    func `A passage that begins midway equals an uninterrupted decode from there on`(
        frame: Int, frames: [Int16]
    ) {
        let ring = FrameRing(format: mono, capacity: 8, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        let decoder = ScriptedDecoder([1, 2], [3, 4, 5], [6])
        decoder.seek(to: frame)

        loop.play(decoder)
        let step = loop.run()
        let taken = consumer.popAll()

        #expect(step == .finished(error: nil))
        #expect(taken == frames)
    }
}

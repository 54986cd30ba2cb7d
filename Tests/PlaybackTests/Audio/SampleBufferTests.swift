import Testing
import UndersongPlayback

@Suite struct `A buffer of samples` {
    @Test func `A sample buffer widens every 16-bit integer without loss`() {
        let all = Array(Int16.min...Int16.max)

        let wide = SampleBuffer(all).converted(to: .float32)

        #expect(wide.format == .float32)
        #expect(wide.count == 65_536)
        #expect(wide.float32.first == -1)
        #expect(wide.converted(to: .int16) == SampleBuffer(all))
    }

    @Test func `A sample buffer keeps every integer of 24 bits as a floating-point number`() {
        let samples = stride(from: -8_388_608, through: 8_388_607, by: 1009)
            .map { Float($0) / 8_388_608 }

        let buffer = SampleBuffer(samples)

        let back = buffer.float32.map { Int($0 * 8_388_608) }
        let isSame = back.elementsEqual(stride(from: -8_388_608, through: 8_388_607, by: 1009))
        #expect(isSame)
    }

    @Test func `A sample buffer rounds and clips what it narrows, and turns NaN into silence`() {
        let samples: [Float] = [
            0.4 / 32768, 0.6 / 32768, -0.6 / 32768, 1, -1, 2, -2, .infinity, .nan,
        ]

        let rounded: [Int16] = [0, 1, -1, 32767, -32768, 32767, -32768, 32767, 0]
        #expect(SampleBuffer(samples).int16 == rounded)
    }

    @Test(arguments: [SampleFormat.int16, .float32])
    func `A sample buffer moves samples of every format alike`(format: SampleFormat) {
        var buffer = SampleBuffer([1, 2, 3, 4, 5] as [Int16]).converted(to: format)

        buffer.append(SampleBuffer([6] as [Int16]).converted(to: format))
        buffer.removeFirst(1)
        buffer.removeLast(1)

        #expect(buffer.int16 == [2, 3, 4, 5])
        #expect(buffer[1..<3].int16 == [3, 4])
        #expect(buffer.prefix(3).int16 == [2, 3, 4])
        #expect(buffer.suffix(9).int16 == [2, 3, 4, 5])
    }

    @Test(arguments: [SampleFormat.int16, .float32])
    func `A sample buffer changes values on the same scale in every format`(format: SampleFormat) {
        var buffer = SampleBuffer([100, 200, 300] as [Int16]).converted(to: format)

        buffer.mapInPlace(1..<3) { index, value in value / 2 + Float(index) }

        #expect(buffer.int16 == [100, 101, 152])
        #expect(buffer.value(at: 2) == 152)
    }
}

@Suite struct `A ring of floating-point frames` {
    @Test func `A ring of floating-point frames returns what was written, also across the wrap`() {
        let format = StreamFormat(sampleRate: 1000, channelCount: 3, sampleFormat: .float32)
        let ring = FrameRing(format: format, capacity: 2, history: 0)
        var producer = ring.producer
        var consumer = ring.consumer
        var taken: [Float] = []

        for value: Float in [0.1, 0.2, 0.3, 0.4, 0.5] {
            let written = SampleBuffer([value, -value, 1 / value]).withUnsafeBytes {
                producer.write($0)
            }
            #expect(written == 1)
            taken += consumer.next(limit: 9).bindMemory(to: Float.self)
            consumer.advance(by: 1)
        }

        let values: [Float] = [0.1, 0.2, 0.3, 0.4, 0.5]
        let expected = values.flatMap { value -> [Float] in [value, -value, 1 / value] }
        #expect(taken == expected)
    }
}

@Suite struct `A stream of floating-point samples` {
    private let format = StreamFormat(
        sampleRate: 1000, channelCount: 1, sampleFormat: .float32)

    @Test func `A floating-point stream accepts items of 16 bits exactly, without a converter`() {
        let ring = FrameRing(format: format, capacity: 100, history: 0)
        var consumer = ring.consumer
        let log = ConverterLog()
        var loop = DecodeLoop(frames: ring.producer, format: format, log: log)

        loop.play(ScriptedDecoder([1, -2, 3]))
        _ = loop.run()
        loop.play(ScriptedDecoder([([4, 5], format)]))
        _ = loop.run()

        #expect(log.made == [])
        let samples = Array(consumer.next(limit: .max).bindMemory(to: Float.self))
        let expected: [Float] = [1 / 32768, -2 / 32768, 3 / 32768, 4 / 32768, 5 / 32768]
        #expect(samples == expected)
        consumer.advance(by: 5)
    }

    @Test func `A floating-point stream is scaled by the volume without rounding`() {
        let volume = VolumeRamp(0.3)
        let samples: [Float] = [1, -0.5, 1e-7]
        var result = [Float](repeating: 9, count: 3)

        samples.withUnsafeBytes { source in
            result.withUnsafeMutableBytes { target in
                guard let base = target.baseAddress else { return }
                volume.apply(to: source, from: 0, format: format, into: base)
            }
        }

        let expected: [Float] = samples.map { $0 * 0.3 }
        #expect(result == expected)
    }

    @Test func `A floating-point stream is chosen if any item needs more than 16 bits`() {
        let first = StreamFormat(sampleRate: 44100, channelCount: 2)
        var questions = 0

        let narrow = StreamFormat.forQueue(first: first) {
            []
        } isWider: {
            false
        }
        let wide = StreamFormat.forQueue(first: first) {
            []
        } isWider: {
            true
        }
        let known = StreamFormat.forQueue(first: wide) {
            []
        } isWider: {
            questions += 1
            return false
        }

        #expect(narrow == first)
        #expect(wide.sampleFormat == .float32)
        #expect(known == wide && questions == 0)
        #expect(wide.carries(first) && !first.carries(wide))
    }
}

@Suite struct `A mix of channels` {
    private func format(_ channelCount: Int) -> StreamFormat {
        StreamFormat(sampleRate: 1000, channelCount: channelCount)
    }

    @Test func `A mix passes mono to both front speakers unchanged`() {
        #expect(
            ChannelMix(from: format(1), to: format(2)).mixed([0.1, 0.2]) == [0.1, 0.1, 0.2, 0.2])
        #expect(ChannelMix(from: format(1), to: format(6)).mixed([0.5]) == [0.5, 0.5, 0, 0, 0, 0])
    }

    @Test func `A mix averages stereo`() {
        let mean = ChannelMix(from: format(2), to: format(1)).mixed([0.5, 0.25])

        #expect(mean.count == 1)
        #expect(abs((mean.first ?? 0) - 0.375) < 1e-6)
    }

    @Test func `A mix puts the channels of a WAV file where they belong`() {
        let mix = ChannelMix(from: format(2), to: format(8))

        let eight = mix.mixed([0.5, 0.25])
        #expect(eight == [0.5, 0.25, 0, 0, 0, 0, 0, 0] as [Float])
        let side = ChannelMix(from: format(7), to: format(6)).mixed([0, 0, 0, 0, 0, 1, 0])
        // The left side channel is heard from the rear left.
        let isAlone = side.enumerated().allSatisfy { $0.offset == 4 || $0.element == 0 }
        #expect(side[4] > 0 && isAlone)
    }

    @Test(arguments: 1...8)
    func `A mix never clips, and drops no channel but the low frequencies`(channelCount: Int) {
        for count in 1...8 {
            let (from, to) = (format(channelCount), format(count))
            let mix = ChannelMix(from: from, to: to)
            let loud = mix.mixed([Float](repeating: 1, count: channelCount))
            #expect(loud.count == count)
            #expect(loud.allSatisfy { $0 <= 1.000_001 })
            for (channel, speaker) in from.speakers.enumerated() where speaker != .lowFrequency {
                var frame = [Float](repeating: 0, count: channelCount)
                frame[channel] = 1
                #expect(mix.mixed(frame).contains { $0 > 0.1 }, "\(channel) of \(channelCount)")
            }
        }
    }
}

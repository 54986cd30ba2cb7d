import Foundation
import TestSupport
import Testing
import UndersongAudioIO
import UndersongBase
import UndersongPlayback

@testable import UndersongService

@Suite struct `The loudness of a file` {
    private let recordings: Recordings

    init() throws { recordings = try Recordings() }

    private func loudness(
        _ samples: [Float], channels: Int, rate: Int = 48000
    ) throws -> MeasuredLoudness? {
        let path = try recordings.write(samples, channels: channels, rate: rate)
        return try FileAnalysis(of: FilePath(path), clock: SystemClock()).loudness
    }

    /// EBU Tech 3341, minimum requirements, test cases 1 to 6.
    @Test(arguments: [
        (1, [Tone(20, -23)], -23.0),
        (2, [Tone(20, -33)], -33),
        (3, [Tone(10, -36), Tone(60, -23), Tone(10, -36)], -23),
        (
            4, [Tone(10, -72), Tone(10, -36), Tone(60, -23), Tone(10, -36), Tone(10, -72)], -23
        ),
        (5, [Tone(20, -26), Tone(20.1, -20), Tone(20, -26)], -23),
        (6, [Tone(20, [-28, -28, -24, -30, -30])], -23),
    ]) func `The loudness of EBU's test tones is exact to a tenth`(
        number: Int, tones: [Tone], expected: Double
    ) throws {
        let channels = tones[0].levels.count

        let measured = try loudness(Tone.samples(tones), channels: channels)

        #expect(abs(try #require(measured).integrated - expected) <= 0.1, "case \(number)")
    }

    @Test(arguments: [22050, 44100, 96000])
    func `A file's loudness does not depend on the sample rate`(rate: Int) throws {
        let samples = Tone.samples([Tone(5, -23)], rate: Double(rate))

        let measured = try loudness(samples, channels: 2, rate: rate)

        #expect(abs(try #require(measured).integrated + 23) <= 0.1)
    }

    @Test func `A file's loudness counts mono twice, since it is heard from two speakers`() throws {
        let measured = try loudness(Tone.samples([Tone(5, [-23])]), channels: 1)

        #expect(abs(try #require(measured).integrated + 23) <= 0.1)
    }

    @Test func `A file's loudness leaves out the low-frequency channel`() throws {
        let without = try loudness(
            Tone.samples([Tone(5, [-28, -28, -24, -200, -30, -30])]), channels: 6)
        let with = try loudness(
            Tone.samples([Tone(5, [-28, -28, -24, -6, -30, -30])]), channels: 6)

        #expect(without?.integrated == with?.integrated)
        #expect(abs(try #require(with).integrated + 23) <= 0.1)
    }

    /// EBU Tech 3341, test case 15: the peaks are halfway between the samples.
    @Test func `A file's peaks are that between the samples and that of the samples`() throws {
        let samples = (0..<48000).flatMap { index in
            let value = Float(0.5 * sin(.pi / 2 * Double(index) + .pi / 4))
            return [value, value]
        }

        let measured = try #require(try loudness(samples, channels: 2))

        let truePeak = 20 * log10(measured.truePeak)
        #expect(truePeak >= -6.4 && truePeak <= -5.8)
        #expect(abs(measured.samplePeak - 0.5 * 0.5.squareRoot()) < 1e-6)
    }

    @Test func `Silence, and less than 0.4 s of sound, has no loudness`() throws {
        #expect(try loudness([Float](repeating: 0, count: 96000), channels: 2) == nil)
        #expect(try loudness(Tone.samples([Tone(0.3, -23)]), channels: 2) == nil)
    }

    @Test func `A file's loudness includes what comes before a change of the format`() throws {
        var meter = LoudnessMeter()
        let loud = Tone.samples([Tone(4, -13)])
        let soft = Tone.samples([Tone(4, [-23])], rate: 44100)

        meter.add(SampleBuffer(loud), StreamFormat(sampleRate: 48000, channelCount: 2))
        meter.add(SampleBuffer(soft), StreamFormat(sampleRate: 44100, channelCount: 1))

        let loudness = meter.loudness
        let measured = try #require(loudness)
        // The mean of 1 and 0.1 is 2.6 dB below 1.
        #expect(abs(measured.integrated + 15.6) <= 0.3)
        #expect(abs(20 * log10(measured.samplePeak) + 13) <= 0.1)
    }

    @Test func `A file without a single sample has no loudness`() {
        let format = StreamFormat(sampleRate: 44100, channelCount: 2)
        var meter = LoudnessMeter()
        meter.add(SampleBuffer(), format)

        let loudness = meter.loudness
        #expect(loudness == nil)
    }

    @Test func `The loudness of integer samples is that of the same floating-point samples`() throws
    {
        let samples = Tone.samples([Tone(3, -23)])
        let format = StreamFormat(sampleRate: 48000, channelCount: 2)
        var integers = LoudnessMeter()
        var floats = LoudnessMeter()

        integers.add(SampleBuffer(samples, as: .int16), format)
        floats.add(SampleBuffer(samples), format)

        let (first, second) = (integers.loudness, floats.loudness)
        let difference = try #require(first).integrated - (try #require(second).integrated)
        #expect(abs(difference) < 0.001)
    }
}

@Suite struct `The analysis of a file` {
    private let recordings: Recordings

    init() throws { recordings = try Recordings() }

    @Test func `The analysis of a file finds its exact length, and leaves the file as it is`()
        throws
    {
        let path = FilePath(
            try recordings.write(Tone.samples([Tone(1.5, -23)]), channels: 2))
        let before = FileStamp(of: path)

        let analysis = try FileAnalysis(of: path, clock: SystemClock())

        #expect(analysis.seconds == 1.5)
        #expect(analysis.damage == [] && analysis.album == nil)
        #expect(before != nil && FileStamp(of: path) == before)
    }

    @Test func `The analysis of a file that was cut says what is missing`() throws {
        let path = try recordings.write(Tone.samples([Tone(2, -23)]), channels: 2)
        let whole = try Data(contentsOf: URL(filePath: path))
        let cut = try recordings.write(whole.prefix(whole.count / 2), to: "cut.wav")

        let analysis = try FileAnalysis(of: FilePath(cut), clock: SystemClock())

        #expect(analysis.damage.count == 1)
        #expect(analysis.damage.first?.contains("the header announces") == true)
        #expect(abs(analysis.seconds - 1) < 0.01)
    }

    @Test func `The analysis of a file that is not music fails with the reason`() throws {
        let path = try recordings.write(Data("not music at all\n".utf8), to: "text.wav")

        #expect(throws: MediaError.self) {
            try FileAnalysis(of: FilePath(path), clock: SystemClock())
        }
    }
}

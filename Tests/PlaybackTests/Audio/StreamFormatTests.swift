import Testing
import UndersongPlayback

@Suite struct `A stream format` {
    @Test func `A stream format counts two bytes a sample`() {
        #expect(StreamFormat(sampleRate: 8000, channelCount: 1).bytesPerFrame == 2)
        #expect(StreamFormat(sampleRate: 48000, channelCount: 2).bytesPerFrame == 4)
    }

    @Test func `A stream format rounds milliseconds down to whole frames`() {
        let format = StreamFormat(sampleRate: 44100, channelCount: 2)

        #expect(format.frames(milliseconds: 20) == 882)
        #expect(format.frames(milliseconds: 1) == 44)
        #expect(format.frames(milliseconds: 0) == 0)
    }

    @Test func `A stream format converts between frames and nanoseconds, rounding down`() {
        let format = StreamFormat(sampleRate: 44100, channelCount: 2)

        #expect(format.nanoseconds(frames: 441) == 10_000_000)
        #expect(format.nanoseconds(frames: 1) == 22675)
        #expect(format.frames(nanoseconds: 10_000_000) == 441)
        #expect(format.frames(nanoseconds: 22675) == 0)
        #expect(format.frames(nanoseconds: 22676) == 1)
    }

    @Test func `A stream format does not overflow after a year of sound`() {
        let format = StreamFormat(sampleRate: 48000, channelCount: 2)

        #expect(format.nanoseconds(frames: 1_513_728_000_000) == 31_536_000_000_000_000)
        #expect(format.frames(nanoseconds: 31_536_000_000_000_000) == 1_513_728_000_000)
    }
}

@Suite struct `The format of a queue` {
    @Test func `A queue's format is the first item's, without asking others, if it loses nothing`()
    {
        let first = StreamFormat(sampleRate: 44100, channelCount: 2)
        var wasAsked = false

        let format = StreamFormat.forQueue(first: first) {
            wasAsked = true
            return [StreamFormat(sampleRate: 48000, channelCount: 2)]
        } isWider: {
            false
        }

        #expect(format == StreamFormat(sampleRate: 44100, channelCount: 2))
        #expect(!wasAsked)
    }

    @Test func `A queue's format is the first item's if there are no others`() {
        let first = StreamFormat(sampleRate: 22050, channelCount: 1)

        let format = StreamFormat.forQueue(first: first) {
            []
        } isWider: {
            false
        }

        #expect(format == StreamFormat(sampleRate: 22050, channelCount: 1))
    }

    @Test
    func `A queue's format is stereo at a mono first item's full rate if one is stereo later`() {
        let first = StreamFormat(sampleRate: 44100, channelCount: 1)

        let format = StreamFormat.forQueue(first: first) {
            [StreamFormat(sampleRate: 48000, channelCount: 2)]
        } isWider: {
            false
        }

        #expect(format == StreamFormat(sampleRate: 44100, channelCount: 2))
    }

    @Test func `A queue's format has the highest later rate if the first item's is low`() {
        let first = StreamFormat(sampleRate: 22050, channelCount: 2)

        let format = StreamFormat.forQueue(first: first) {
            [
                StreamFormat(sampleRate: 48000, channelCount: 1),
                StreamFormat(sampleRate: 44100, channelCount: 2),
            ]
        } isWider: {
            false
        }

        #expect(format == StreamFormat(sampleRate: 48000, channelCount: 2))
    }

    @Test func `A queue's format never falls below the first item's`() {
        let first = StreamFormat(sampleRate: 32000, channelCount: 2)

        let format = StreamFormat.forQueue(first: first) {
            [StreamFormat(sampleRate: 11025, channelCount: 1)]
        } isWider: {
            false
        }

        #expect(format == StreamFormat(sampleRate: 32000, channelCount: 2))
    }
}

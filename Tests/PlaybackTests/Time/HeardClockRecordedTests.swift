import Testing
import UndersongPlayback

@Suite struct `A heard clock with the readings of a real server` {
    @Test(arguments: RecordedStream.pulseAudio)
    func `A heard clock is right from the first second on PulseAudio`(stream: RecordedStream) {
        let errors = stream.moments().filter { $0.hostTime >= 1_000_000_000 }
            .map { abs($0.error) }.sorted()
        let mean = errors.reduce(0, +) / Double(errors.count)

        #expect(errors.count > 500)
        #expect(mean <= 0.3)
        #expect(errors[errors.count * 99 / 100] <= 1)
    }

    @Test(arguments: RecordedStream.pulseAudio)
    func `A heard clock knows on PulseAudio that it is right to a millisecond`(
        stream: RecordedStream
    ) {
        let settled = stream.moments().filter { $0.hostTime >= 1_000_000_000 }

        #expect(settled.filter { $0.uncertainty > 1 }.isEmpty)
    }

    @Test(arguments: RecordedStream.pulseAudio + RecordedStream.pipeWire)
    func `A heard clock knows its uncertainty with a real server`(stream: RecordedStream) {
        let settled = stream.moments().filter { $0.hostTime >= 1_000_000_000 }

        // The servers' clocks on this machine were 3 millionths off its own.
        #expect(settled.filter { abs($0.error) > $0.uncertainty + 0.03 }.isEmpty)
    }

    @Test(arguments: RecordedStream.pulseAudio + RecordedStream.pipeWire)
    func `A recorded heard clock never runs backward, and never past what was written`(
        stream: RecordedStream
    ) {
        let moments = stream.moments()

        #expect(zip(moments, moments.dropFirst()).allSatisfy { $0.frame <= $1.frame })
        #expect(moments.allSatisfy { $0.frame <= $0.limit })
    }
}

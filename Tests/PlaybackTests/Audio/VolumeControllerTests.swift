import Testing
import UndersongPlayback

@Suite struct `The division of a loudness` {
    /// A controller at `volume`, with a stream of the same volume.
    private func division(at volume: Float) -> VolumeController {
        var division = VolumeController(Loudness(volume: volume))
        division.apply(StreamVolume(factor: volume))
        _ = division.begin(Loudness(volume: volume))
        return division
    }

    @Test func `VolumeController leaves everything to the samples without a stream volume`() {
        var division = VolumeController(Loudness())

        let change = division.turn(to: Loudness(volume: 0.5, gain: 0.5), at: 100, length: 10)

        #expect(change == nil)
        #expect(division.samples.factor(at: 100) == 1)
        #expect(division.samples.target == 0.25)
        #expect(division.settlingFrame == nil)
    }

    @Test func `VolumeController does nothing if the stream's volume is the wanted one`() {
        var division = VolumeController(Loudness())

        division.apply(StreamVolume(factor: 1))

        #expect(!division.needsTurn(to: Loudness()))
        #expect(division.samples.isUnity(from: 0))
    }

    @Test func `VolumeController sets the stream's volume before a ramp that rises`() {
        var division = division(at: 0.4)

        let change = division.turn(to: Loudness(volume: 0.8), at: 100, length: 10)

        #expect(change == StreamVolume.Change(factor: 0.8))
        #expect(division.samples.factor(at: 100) == 0.5)
        #expect(division.samples.isUnity(from: 110))
        #expect(division.settlingFrame == nil)
    }

    @Test
    func `VolumeController sets the volume after a falling ramp, then leaves samples unchanged`() {
        var division = division(at: 0.8)

        let before = division.turn(to: Loudness(volume: 0.2), at: 100, length: 10)
        let (frame, factor) = (division.settlingFrame, division.samples.target)
        let later = division.commit()

        #expect(before == nil)
        #expect(factor == 0.25)
        #expect(frame == 110)
        #expect(later == StreamVolume.Change(factor: 0.2))
        #expect(division.samples.isUnity(from: 110))
        #expect(division.settlingFrame == nil)
    }

    @Test func `VolumeController rises from silence, and falls to it`() {
        var division = division(at: 0)

        let up = division.turn(to: Loudness(volume: 0.5), at: 0, length: 10)
        let start = division.samples.factor(at: 0)
        let down = division.turn(to: Loudness(volume: 0), at: 100, length: 10)
        let end = division.samples.target
        let settled = division.commit()

        #expect(up == StreamVolume.Change(factor: 0.5))
        #expect(start == 0)
        #expect(down == nil)
        #expect(end == 0)
        #expect(settled == StreamVolume.Change(factor: 0))
        #expect(division.stream.factor == 0)
    }

    @Test func `VolumeController leaves an additional gain to the samples`() {
        var division = division(at: 0.5)

        let change = division.turn(to: Loudness(volume: 0.5, gain: 0.2), at: 0, length: 10)

        #expect(change == nil)
        #expect(division.samples.target == 0.2)
        #expect(division.settlingFrame == nil)
    }

    @Test func `VolumeController lowers the volume at once if the sound is no louder than that`() {
        var division = division(at: 1)
        _ = division.turn(to: Loudness(volume: 1, gain: 0.25), at: 0, length: 10)

        let change = division.turn(to: Loudness(volume: 0.5, gain: 0.25), at: 100, length: 10)

        #expect(change == StreamVolume.Change(factor: 0.5))
        #expect(division.samples.factor(at: 100) == 0.5)
        #expect(division.samples.target == 0.25)
    }

    @Test func `VolumeController only records what another program has set`() {
        var division = division(at: 0.5)

        let isAsked = division.asksStream(for: Loudness(volume: 0.8))
        division.apply(StreamVolume(factor: 0.8))
        let needsTurn = division.needsTurn(to: Loudness(volume: 0.8))
        division.note(Loudness(volume: 0.8))

        #expect(isAsked && !needsTurn)
        #expect(division.wanted == Loudness(volume: 0.8))
        #expect(division.samples.isUnity(from: 0))
    }

    @Test func `VolumeController leaves a stream alone that a mixer amplifies`() {
        var division = division(at: 1)

        division.apply(StreamVolume(factor: 1.5))

        #expect(!division.needsTurn(to: Loudness(volume: 1)))
    }

    @Test func `VolumeController goes down from an amplified stream without a step`() {
        var division = division(at: 1)
        division.apply(StreamVolume(factor: 2))

        let change = division.turn(to: Loudness(volume: 0.5), at: 0, length: 10)

        #expect(change == nil)
        #expect(division.samples.factor(at: 0) == 1)
        #expect(division.samples.target == 0.25)
        #expect(division.settlingFrame == 10)
    }

    @Test func `VolumeController mutes the stream after the ramp, and unmutes it before the next`()
    {
        var division = division(at: 0.5)

        let before = division.turn(to: Loudness(volume: 0.5, isMuted: true), at: 0, length: 10)
        let target = division.samples.target
        let later = division.commit()
        let again = division.turn(to: Loudness(volume: 0.5), at: 100, length: 10)

        #expect(before == nil && target == 0)
        #expect(later == StreamVolume.Change(isMuted: true))
        #expect(again == StreamVolume.Change(isMuted: false))
        #expect(division.samples.factor(at: 100) == 0)
        #expect(division.samples.isUnity(from: 110))
    }

    @Test func `VolumeController only records that another program muted and unmuted the stream`() {
        var division = division(at: 0.5)

        division.apply(StreamVolume(factor: 0.5, isMuted: true))
        let whenMuted = division.needsTurn(to: Loudness(volume: 0.5, isMuted: true))
        division.note(Loudness(volume: 0.5, isMuted: true))
        division.apply(StreamVolume(factor: 0.5))
        let whenHeard = division.needsTurn(to: Loudness(volume: 0.5))

        #expect(!whenMuted && !whenHeard)
    }

    @Test func `VolumeController sets a new stream to the volume before anything is heard`() {
        var division = division(at: 0.5)

        division.forgetStream()
        division.apply(StreamVolume(factor: 0.3, isMuted: true))
        let change = division.begin(Loudness(volume: 0.5))

        #expect(change == StreamVolume.Change(factor: 0.5, isMuted: false))
        #expect(division.samples.isUnity(from: 0))
    }

    @Test func `VolumeController scales samples if the stream's volume is not its own`() {
        var division = VolumeController(Loudness(volume: 0.5))
        division.apply(StreamVolume(isSettable: false))

        let change = division.turn(to: Loudness(volume: 0.25), at: 0, length: 10)

        #expect(change == nil)
        #expect(division.samples.target == 0.25)
        #expect(division.settlingFrame == nil)
    }
}

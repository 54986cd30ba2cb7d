import Testing
import UndersongPlayback

@Suite struct `The volume of a source over its time` {
    private func ramp(_ start: Int64, _ end: Int64, _ origin: Float, _ target: Float)
        -> VolumeEnvelope.Ramp
    {
        VolumeEnvelope.Ramp(
            start: CMTime(value: start, timescale: 10), end: CMTime(value: end, timescale: 10),
            origin: origin, target: target)
    }

    @Test func `A volume envelope is unchanged up to the first ramp, and constant after each`() {
        var volume = VolumeEnvelope()
        volume.add(ramp(40, 40, 0.25, 0.25))
        volume.add(ramp(10, 20, 1, 0))

        let factors = [0, 0.9, 1.5, 2, 3.9, 4, 9].map { volume.factor(at: $0) }

        #expect(factors == [1, 1, 0.5, 0, 0, 0.25, 0.25])
    }

    @Test func `A volume envelope scales frames by the item's time, wherever the passage begins`() {
        let ring = FrameRing(format: mono, capacity: 16, history: 0)
        var consumer = ring.consumer
        var loop = DecodeLoop(frames: ring.producer, format: mono)
        var shape = PassageShape()
        let frame = { CMTime(value: $0, timescale: Int32(mono.sampleRate)) }
        shape.volume.add(.init(start: frame(2), end: frame(6), origin: 1, target: 0))
        let decoder = ScriptedDecoder([1000, 1000], [1000, 1000, 1000, 1000, 1000])

        _ = loop.play(decoder, shape: shape)
        _ = loop.run()

        #expect(consumer.popAll() == [1000, 1000, 1000, 750, 500, 250, 0])
    }
}

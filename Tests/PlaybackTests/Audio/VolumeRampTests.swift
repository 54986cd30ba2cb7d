import Testing
import UndersongPlayback

extension VolumeRamp {
    /// The result for samples whose first frame is `frame`.
    fileprivate func applied(
        to samples: [Int16], from frame: Int = 0, channelCount: Int = 1
    ) -> [Int16] {
        var result = [Int16](repeating: 99, count: samples.count)
        let format = StreamFormat(sampleRate: 1000, channelCount: channelCount)
        samples.withUnsafeBytes { source in
            result.withUnsafeMutableBytes { target in
                guard let base = target.baseAddress else { return }
                apply(to: source, from: frame, format: format, into: base)
            }
        }
        return result
    }
}

@Suite struct `A volume` {
    private let everySample = Array(Int16.min...Int16.max)

    @Test func `A volume of one leaves every sample unchanged`() {
        let volume = VolumeRamp(1)

        #expect(volume.isUnity(from: 0))
        #expect(volume.applied(to: everySample) == everySample)
    }

    @Test func `A volume of zero is silence`() {
        let volume = VolumeRamp(0)

        #expect(!volume.isUnity(from: 0))
        #expect(volume.applied(to: everySample) == [Int16](repeating: 0, count: 65536))
    }

    @Test func `A volume rounds to the nearest, halves away from zero`() {
        let volume = VolumeRamp(0.25)

        let scaled = volume.applied(to: [-6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 1000, -1000])

        #expect(scaled == [-2, -1, -1, -1, 0, 0, 0, 1, 1, 1, 2, 250, -250])
    }

    @Test(arguments: [0.001, 0.1, 0.3, 0.5, 0.70710678, 0.9, 0.999, 0.99999] as [Float])
    func `A volume treats both halves of the wave alike`(factor: Float) {
        let volume = VolumeRamp(factor)
        let positive = Array(Int16(0)...32767)

        let up = volume.applied(to: positive)
        let down = volume.applied(to: positive.map { -$0 })

        #expect(down == up.map { -$0 })
    }

    @Test func `A volume keeps the extremes in range`() {
        #expect(VolumeRamp(1).applied(to: [-32768, 32767]) == [-32768, 32767])
        #expect(VolumeRamp(0.99999).applied(to: [-32768, 32767]) == [-32768, 32767])
        #expect(VolumeRamp(0.5).applied(to: [-32768, 32767]) == [-16384, 16384])
    }

    @Test func `A volume of almost one is not one`() {
        #expect(!VolumeRamp(0.999).isUnity(from: 0))
    }
}

@Suite struct `A volume ramp` {
    @Test func `A volume ramp goes from the old factor to the new one in its length, and stays`() {
        var volume = VolumeRamp(0.2)

        volume.turn(to: 0.6, at: 1000, length: 4)

        #expect(volume.target == 0.6)
        #expect(volume.factor(at: 0) == 0.2)
        #expect(volume.factor(at: 1000) == 0.2)
        #expect(abs(volume.factor(at: 1001) - 0.3) < 1e-6)
        #expect(abs(volume.factor(at: 1002) - 0.4) < 1e-6)
        #expect(abs(volume.factor(at: 1003) - 0.5) < 1e-6)
        #expect(volume.factor(at: 1004) == 0.6)
        #expect(volume.factor(at: 1_000_000) == 0.6)
    }

    @Test func `A volume ramp rises from silence in 20 ms without a step above its slope`() {
        var volume = VolumeRamp(0)
        volume.turn(to: 1, at: 0, length: 882)

        let ramp = volume.applied(to: [Int16](repeating: 32767, count: 900))

        let steps = zip(ramp, ramp.dropFirst()).map { $1 - $0 }
        // 32767 / 882 is 37.2.
        #expect(steps.prefix(882).allSatisfy { (37...38).contains($0) })
        #expect(steps.dropFirst(882).allSatisfy { $0 == 0 })
        #expect(ramp.first == 0)
        #expect(ramp[882] == 32767)
    }

    @Test func `A volume ramp falls to silence in 20 ms without a step above its slope`() {
        var volume = VolumeRamp(1)
        volume.turn(to: 0, at: 0, length: 882)

        let ramp = volume.applied(to: [Int16](repeating: -32768, count: 900))

        let steps = zip(ramp, ramp.dropFirst()).map { $1 - $0 }
        #expect(steps.prefix(882).allSatisfy { (37...38).contains($0) })
        #expect(ramp.first == -32768)
        #expect(ramp.dropFirst(882).allSatisfy { $0 == 0 })
    }

    @Test func `A volume ramp turns around in the middle from where it is`() {
        var volume = VolumeRamp(0)
        volume.turn(to: 1, at: 0, length: 882)
        let before = volume.factor(at: 300)

        volume.turn(to: 0, at: 300, length: 882)

        let ramp = volume.applied(to: [Int16](repeating: 32767, count: 900), from: 300)
        let steps = zip(ramp, ramp.dropFirst()).map { $1 - $0 }
        #expect(volume.factor(at: 300) == before)
        #expect(ramp.first == 11145)
        #expect(steps.allSatisfy { (-13...0).contains($0) })
        #expect(ramp.last == 0)
    }

    @Test func `A volume ramp is the same however the samples are divided`() {
        var volume = VolumeRamp(0.1)
        volume.turn(to: 0.9, at: 50, length: 100)
        let samples = (0..<400).map { Int16($0 * 80 - 16000) }

        let whole = volume.applied(to: samples, from: 0, channelCount: 2)
        let pieces =
            volume.applied(to: Array(samples[..<134]), from: 0, channelCount: 2)
            + volume.applied(to: Array(samples[134...]), from: 67, channelCount: 2)

        #expect(pieces == whole)
    }

    @Test func `A volume ramp uses the same factor for both channels of a frame`() {
        var volume = VolumeRamp(0)
        volume.turn(to: 1, at: 0, length: 4)

        let scaled = volume.applied(
            to: [100, -100, 100, -100, 100, -100, 100, -100, 100, -100], channelCount: 2)

        #expect(scaled == [0, 0, 25, -25, 50, -50, 75, -75, 100, -100])
    }

    @Test func `A volume ramp leaves the samples unchanged after its end if that is one`() {
        var volume = VolumeRamp(0.5)

        volume.turn(to: 1, at: 100, length: 10)

        #expect(!volume.isUnity(from: 0))
        #expect(!volume.isUnity(from: 109))
        #expect(volume.isUnity(from: 110))
    }

    @Test func `A volume ramp changes samples from its first frame on when it leaves one`() {
        var volume = VolumeRamp(1)

        volume.turn(to: 0.5, at: 100, length: 10)

        #expect(!volume.isUnity(from: 0))
        #expect(!volume.isUnity(from: 500))
    }

    @Test func `A volume ramp of length zero is a step`() {
        var volume = VolumeRamp(0)

        volume.turn(to: 1, at: 100, length: 0)

        #expect(volume.factor(at: 100) == 1)
        #expect(volume.isUnity(from: 100))
    }
}

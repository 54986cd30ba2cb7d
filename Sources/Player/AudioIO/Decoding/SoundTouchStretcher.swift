import CUndersongSoundTouch
import Glibc
package import UndersongPlayback

/// Plays music faster or slower at the same or another pitch, with SoundTouch, which cuts it into
/// pieces and joins them where they fit. Frame n of the output is the input at frame n × rate, give
/// or take some 4 ms, 23 at most, without drift. Owned by the decode thread.
///
/// At the same pitch both edges are the music's own, so that seams before and after are unchanged.
/// SoundTouch's first piece is centred on the first frame by leading silence, which is removed
/// again; its last piece is overlaid with the input's last frames.
package final class SoundTouchStretcher: SampleConverter {
    /// The range of the search for a fitting place, in milliseconds: one period of the lowest bass.
    private static let seekWindow = 18
    /// The length of the end to keep, in milliseconds: more than SoundTouch holds back.
    private static let memory = 100

    private let rate: Double
    /// The factor on frequencies.
    private let pitch: Double
    private let channelCount: Int
    private let sampleFormat: SampleFormat
    private var stretcher: SoundTouchHandle
    /// Frames of silence before the first one, which put it into the middle of the first piece,
    /// where nothing overlaps it.
    private let lead: Int
    /// The number of frames in which two pieces overlap.
    private let fade: Int
    /// The number of frames before the end within which the overlay may begin.
    private let reach: Int
    private let recentCount: Int
    /// The input's last frames.
    private var recent: [Float] = []
    /// SoundTouch's output that has not been passed on yet.
    private var stretched: [Float] = []
    /// Samples of the leading silence still to be removed.
    private var skipping: Int
    private var consumed = 0
    private var produced = 0

    /// Creates a stretcher for one item. `rate` is 1/32 to 32; at 2 the item takes half the time.
    /// `cents` is the change of pitch, -2400 to 2400; 1200 is an octave up.
    package init(format: StreamFormat, rate: Double, cents: Double = 0) {
        precondition((1.0 / 32...32).contains(rate), "the rate is 1/32 to 32")
        precondition((-2400...2400).contains(cents), "the pitch changes by two octaves at most")
        self.rate = rate
        pitch = exp2(cents / 1200)
        channelCount = format.channelCount
        sampleFormat = format.sampleFormat
        let sequence = Self.sequence(rate: rate / pitch)
        let overlap = max(7, sequence / 4)
        let piece = format.frames(milliseconds: sequence)
        fade = format.frames(milliseconds: overlap)
        lead = min(piece / 2, piece - 2 * fade)
        reach = piece
        recentCount = format.frames(milliseconds: Self.memory)
        skipping = Int((Double(lead) / pitch).rounded()) * channelCount
        stretcher = SoundTouchHandle(
            format: format, tempo: rate, pitch: pitch, sequence: sequence,
            seekWindow: Self.seekWindow, overlap: overlap)
    }

    /// The length of a piece in milliseconds. At half the rate SoundTouch itself would use 90, so
    /// that the music would be up to 22 ms off and an attack would be heard again after 41 ms; with
    /// this these are 9 and 13 ms. At double the rate it would use 40 and lose 24 ms between two
    /// pieces, an attack's length; with this it loses 10.
    private static func sequence(rate: Double) -> Int { 36 - Int(12 * min(max(0, rate - 1), 1)) }

    package func convert(_ input: SampleBuffer, into output: inout SampleBuffer) {
        output.removeAll(for: sampleFormat)
        guard !input.isEmpty else { return }
        if consumed == 0 {
            stretcher.put([Float](repeating: 0, count: lead * channelCount))
        }
        let samples = input.float32
        stretcher.put(samples)
        consumed += samples.count / channelCount
        recent.append(contentsOf: samples)
        recent.removeFirst(max(0, recent.count - recentCount * channelCount))
        receive()
        give(into: &output)
    }

    package func finish(into output: inout SampleBuffer) {
        output.removeAll(for: sampleFormat)
        guard consumed > 0 else { return }
        let total = Int((Double(consumed) / rate).rounded())
        let wanted = max(0, total - produced) * channelCount
        let continuation = continuation()
        while stretched.count < wanted {
            stretcher.put(continuation)
            receive()
        }
        stretched.removeLast(stretched.count - wanted)
        if pitch == 1 { overlayEnd() }
        give(into: &output)
    }

    private func receive() {
        stretcher.receive(into: &stretched)
        let skipped = min(skipping, stretched.count)
        stretched.removeFirst(skipped)
        skipping -= skipped
    }

    private func give(into output: inout SampleBuffer) {
        output = SampleBuffer(stretched, as: sampleFormat)
        produced += stretched.count / channelCount
        stretched.removeAll(keepingCapacity: true)
    }

    /// The samples after the end, for pieces that extend past it: the music backward, and forward
    /// again.
    private func continuation() -> [Float] {
        let last = recent.count / channelCount - 1
        guard last > 0 else { return recent }
        let way = Array((0..<last).reversed()) + Array(1...last)
        return way.flatMap { recent[$0 * channelCount..<($0 + 1) * channelCount] }
    }

    /// Overlays the end of `stretched` with the input's last frames, from where the two are most
    /// alike.
    private func overlayEnd() {
        let end = Array(recent.suffix(min(reach * channelCount, stretched.count)))
        let length = min(fade, (end.count / channelCount + 1) / 2) * channelCount
        let offset = stretched.count - end.count
        var best = (start: 0, likeness: -Float.infinity)
        for start in stride(from: end.count - 2 * length, through: 0, by: -8 * channelCount) {
            let range = start..<start + length
            let likeness = likeness(of: end[range], to: stretched[offset...].dropFirst(start))
            if likeness > best.likeness { best = (start, likeness) }
        }
        for index in best.start..<end.count {
            let step = (index - best.start) / channelCount
            let weight = min(1, (Float(step) + 0.5) / Float(length / channelCount))
            stretched[offset + index] += (end[index] - stretched[offset + index]) * weight
        }
    }

    /// 1 if they are equal, 0 if they are unrelated, -1 if they cancel out.
    private func likeness(of first: ArraySlice<Float>, to second: ArraySlice<Float>) -> Float {
        var (common, energy) = (Float(0), Float(0))
        for (left, right) in zip(first, second) {
            common += left * right
            energy += left * left + right * right
        }
        return energy == 0 ? 1 : 2 * common / energy
    }
}

/// Owns one SoundTouch instance. The only type that calls the library.
@safe
private struct SoundTouchHandle: ~Copyable {
    private static let blockSize = 4096

    private let raw: OpaquePointer
    private let channelCount: Int
    private var block: [Float]

    /// The lengths are in milliseconds.
    init(
        format: StreamFormat, tempo: Double, pitch: Double, sequence: Int, seekWindow: Int,
        overlap: Int
    ) {
        channelCount = format.channelCount
        block = [Float](repeating: 0, count: Self.blockSize * channelCount)
        unsafe raw = csoundtouch_new(
            UInt32(format.sampleRate), UInt32(format.channelCount), tempo, pitch,
            Int32(sequence), Int32(seekWindow), Int32(overlap))
    }

    deinit { unsafe csoundtouch_delete(raw) }

    func put(_ samples: [Float]) {
        unsafe csoundtouch_put(raw, samples, samples.count / channelCount)
    }

    /// Appends everything that is ready.
    mutating func receive(into samples: inout [Float]) {
        var count = 0
        repeat {
            count = unsafe csoundtouch_receive(raw, &block, Self.blockSize)
            samples.append(contentsOf: block[..<(count * channelCount)])
        } while count == Self.blockSize
    }
}

/// Mixes the end of one passage with the beginning of the next. With no overlap, the usual case, it
/// passes everything through unchanged. Owned by the decode thread.
struct Crossfader {
    private let channelCount: Int
    private let sampleFormat: SampleFormat
    /// The number of frames of the current passage that are held back to be mixed with the next.
    private var overlap = 0
    /// The samples held back: those from `head` on.
    private var tail: SampleBuffer
    private var head = 0
    /// The number of samples of the current passage that have been passed in.
    private var passed = 0
    /// The rest of the previous passage, which is to be mixed in, and the number of its samples
    /// that are mixed.
    private var outgoing: SampleBuffer
    private var mixed = 0
    /// The unmixed ends of earlier passages, and where in the stream they begin, in case what
    /// follows one of them is changed.
    private var seams: [(position: Int, tail: SampleBuffer)] = []

    init(format: StreamFormat) {
        channelCount = format.channelCount
        sampleFormat = format.sampleFormat
        tail = SampleBuffer(sampleFormat)
        outgoing = SampleBuffer(sampleFormat)
    }

    var heldFrames: Int { (tail.count - head) / channelCount }

    /// Begins a passage that overlaps its neighbours by up to `frames`, but by no more than half of
    /// it or of the passage before. Returns the frames held back from the passage before that do
    /// not overlap.
    mutating func begin(overlap frames: Int, within frameCount: Int?) -> SampleBuffer {
        let held = playOut()
        let most = min(frames, (frameCount ?? .max) / 2, passed / channelCount / 2)
        let shared = min(held.count, most * channelCount)
        outgoing = held.suffix(shared)
        (mixed, passed) = (0, 0)
        overlap = frames
        return held.prefix(held.count - shared)
    }

    /// Records that the passage just begun starts at `position` of the stream, which will not be
    /// cut before `oldest` any more.
    mutating func mark(at position: Int, oldest: Int) {
        seams.removeAll { $0.position < oldest }
        if !outgoing.isEmpty { seams.append((position, outgoing)) }
    }

    /// Takes the passage's next samples and returns the samples to output now.
    mutating func pass(_ samples: SampleBuffer) -> SampleBuffer {
        passed += samples.count
        let samples = mix(samples)
        guard overlap > 0 else { return samples }
        tail.append(samples)
        let surplus = tail.count - head - overlap * channelCount
        guard surplus > 0 else { return SampleBuffer(sampleFormat) }
        let out = tail[head..<head + surplus]
        head += surplus
        if head > overlap * channelCount {
            tail.removeFirst(head)
            head = 0
        }
        return out
    }

    /// Returns everything held back, since no passage follows.
    mutating func playOut() -> SampleBuffer {
        var rest = tail[head..<tail.count]
        rest.append(unmixedRest())
        tail.removeAll(for: sampleFormat)
        head = 0
        return rest
    }

    /// Ends the stream at `position`: the samples that were held back for the passage there are
    /// held back again, unless a jump leaves that place.
    mutating func cut(at position: Int, isJump: Bool) {
        seams.removeAll { $0.position > position }
        var seam = seams.last?.position == position ? seams.removeLast() : nil
        if isJump { seam = nil }
        tail = seam?.tail ?? SampleBuffer(sampleFormat)
        passed = seam == nil ? 0 : .max
        head = 0
        outgoing = SampleBuffer(sampleFormat)
        mixed = 0
    }

    /// Mixes in the outgoing passage with equal power.
    private mutating func mix(_ samples: SampleBuffer) -> SampleBuffer {
        guard mixed < outgoing.count else { return samples }
        var result = samples
        let count = min(samples.count, outgoing.count - mixed)
        let (start, length) = (mixed, outgoing.count / channelCount)
        result.mapInPlace(0..<count) { [outgoing, channelCount] index, value in
            let fraction = Float((start + index) / channelCount) / Float(length)
            return outgoing.value(at: start + index) * (1 - fraction).squareRoot()
                + value * fraction.squareRoot()
        }
        mixed += count
        return result
    }

    /// The rest of the outgoing passage if the incoming one was shorter than the overlap.
    private mutating func unmixedRest() -> SampleBuffer {
        mix(SampleBuffer([Float](repeating: 0, count: outgoing.count - mixed), as: sampleFormat))
    }
}

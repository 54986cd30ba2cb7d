/// Lets the end of one passage go on while the next begins. With no overlap, which is the usual
/// case, it hands everything through untouched. Owned by the decode thread.
struct Crossfader {
    private let channelCount: Int
    private let sampleFormat: SampleFormat
    /// How many frames of the current passage are held back for the next.
    private var overlap = 0
    /// What is held back: the samples from `head` on.
    private var tail: SampleBuffer
    private var head = 0
    /// Samples of the current passage so far.
    private var passed = 0
    /// What of the passage before still has to be mixed in, and how much of it is.
    private var outgoing: SampleBuffer
    private var mixed = 0
    /// The ends of the passages before, unmixed, and where in the stream they would begin: for when
    /// what follows one of them is changed.
    private var seams: [(position: Int, tail: SampleBuffer)] = []

    init(format: StreamFormat) {
        channelCount = format.channelCount
        sampleFormat = format.sampleFormat
        tail = SampleBuffer(sampleFormat)
        outgoing = SampleBuffer(sampleFormat)
    }

    var heldFrames: Int { (tail.count - head) / channelCount }

    /// Begins a passage that shares up to `frames` with its neighbours, no more than half of it or
    /// of the one before. Returns what of the one before is not shared.
    mutating func begin(overlap frames: Int, within frameCount: Int?) -> SampleBuffer {
        let held = playOut()
        let most = min(frames, (frameCount ?? .max) / 2, passed / channelCount / 2)
        let shared = min(held.count, most * channelCount)
        outgoing = held.suffix(shared)
        (mixed, passed) = (0, 0)
        overlap = frames
        return held.prefix(held.count - shared)
    }

    /// Remembers that the passage just begun starts at `position` of the stream, which is not cut
    /// before `oldest` any more.
    mutating func mark(at position: Int, oldest: Int) {
        seams.removeAll { $0.position < oldest }
        if !outgoing.isEmpty { seams.append((position, outgoing)) }
    }

    /// Takes the passage's next samples and returns what goes out now.
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

    /// Returns everything that is held back, since no passage follows.
    mutating func playOut() -> SampleBuffer {
        var rest = tail[head..<tail.count]
        rest.append(unmixedRest())
        tail.removeAll(for: sampleFormat)
        head = 0
        return rest
    }

    /// The stream ends at `position` from now on: what was held back for what came there comes back,
    /// unless it is left by a jump.
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

    /// Adds the outgoing passage, by equal power.
    private mutating func mix(_ samples: SampleBuffer) -> SampleBuffer {
        guard mixed < outgoing.count else { return samples }
        var result = samples
        let count = min(samples.count, outgoing.count - mixed)
        let (start, length) = (mixed, outgoing.count / channelCount)
        result.mapInPlace(0..<count) { [outgoing, channelCount] index, value in
            let place = Float((start + index) / channelCount) / Float(length)
            return outgoing.value(at: start + index) * (1 - place).squareRoot()
                + value * place.squareRoot()
        }
        mixed += count
        return result
    }

    /// What is left of the outgoing passage when the incoming one was shorter than they share.
    private mutating func unmixedRest() -> SampleBuffer {
        mix(SampleBuffer([Float](repeating: 0, count: outgoing.count - mixed), as: sampleFormat))
    }
}

/// Lets the end of one passage go on while the next begins. With no overlap, which is the usual
/// case, it hands everything through untouched. Owned by the decode thread.
struct Crossfader {
    private let channelCount: Int
    /// How many frames of the current passage are held back for the next.
    private var overlap = 0
    /// What is held back: the samples from `head` on.
    private var tail: [Int16] = []
    private var head = 0
    /// Samples of the current passage so far.
    private var passed = 0
    /// What of the passage before still has to be mixed in, and how much of it is.
    private var outgoing: [Int16] = []
    private var mixed = 0
    /// The ends of the passages before, unmixed, and where in the stream they would begin: for when
    /// what follows one of them is changed.
    private var seams: [(position: Int, tail: [Int16])] = []

    init(channelCount: Int) { self.channelCount = channelCount }

    var heldFrames: Int { (tail.count - head) / channelCount }

    /// Begins a passage that shares up to `frames` with its neighbours, no more than half of it or
    /// of the one before. Returns what of the one before is not shared.
    mutating func begin(overlap frames: Int, within frameCount: Int?) -> [Int16] {
        let held = Array(tail[head...]) + unmixedRest()
        let most = min(frames, (frameCount ?? .max) / 2, passed / channelCount / 2)
        let shared = min(held.count, most * channelCount)
        outgoing = Array(held.suffix(shared))
        mixed = 0
        tail.removeAll(keepingCapacity: true)
        (head, passed) = (0, 0)
        overlap = frames
        return Array(held.dropLast(shared))
    }

    /// Remembers that the passage just begun starts at `position` of the stream, which is not cut
    /// before `oldest` any more.
    mutating func mark(at position: Int, oldest: Int) {
        seams.removeAll { $0.position < oldest }
        if !outgoing.isEmpty { seams.append((position, outgoing)) }
    }

    /// Takes the passage's next samples and returns what goes out now.
    mutating func pass(_ samples: [Int16]) -> [Int16] {
        passed += samples.count
        let samples = mix(samples)
        guard overlap > 0 else { return samples }
        tail.append(contentsOf: samples)
        let surplus = tail.count - head - overlap * channelCount
        guard surplus > 0 else { return [] }
        let out = Array(tail[head..<head + surplus])
        head += surplus
        if head > overlap * channelCount {
            tail.removeFirst(head)
            head = 0
        }
        return out
    }

    /// Returns everything that is held back, since no passage follows.
    mutating func playOut() -> [Int16] {
        let rest = Array(tail[head...]) + unmixedRest()
        tail.removeAll()
        head = 0
        return rest
    }

    /// The stream ends at `position` from now on: what was held back for what came there comes back,
    /// unless it is left by a jump.
    mutating func cut(at position: Int, isJump: Bool) {
        seams.removeAll { $0.position > position }
        var seam = seams.last?.position == position ? seams.removeLast() : nil
        if isJump { seam = nil }
        tail = seam?.tail ?? []
        passed = seam == nil ? 0 : .max
        head = 0
        outgoing = []
        mixed = 0
    }

    /// Adds the outgoing passage, by equal power.
    private mutating func mix(_ samples: [Int16]) -> [Int16] {
        guard mixed < outgoing.count else { return samples }
        var result = samples
        let count = min(samples.count, outgoing.count - mixed)
        for index in 0..<count {
            let place = Float((mixed + index) / channelCount) / Float(outgoing.count / channelCount)
            let sum =
                Float(outgoing[mixed + index]) * (1 - place).squareRoot()
                + Float(samples[index]) * place.squareRoot()
            result[index] = Int16(max(-32768, min(32767, sum.rounded())))
        }
        mixed += count
        return result
    }

    /// What is left of the outgoing passage when the incoming one was shorter than they share.
    private mutating func unmixedRest() -> [Int16] {
        let rest = [Int16](repeating: 0, count: outgoing.count - mixed)
        return mix(rest)
    }
}

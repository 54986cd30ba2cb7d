/// Distinguishes the frames of music from bytes that only resemble frames, and from frames that
/// damage has reached: decoded, both would be noise at full scale.
///
/// A frame is music if it is one of several that follow each other without a gap. It stays undecided
/// until the next one is known.
package struct FrameRun: Sendable {
    /// The number of consecutive frames that prove that they are music: random bytes contain what
    /// looks like a frame every few thousand bytes.
    package static let proof = 4
    /// The same for frames of free format, whose length is where the next one begins: in samples of
    /// a low level there may be such a place every few bytes.
    private static let freeProof = 16
    /// Up to this many bytes between frames of music are an accident of the encoder.
    package static let strayBytes = 8
    /// The number of samples for which a decoder's output depends on what it decoded before.
    private static let memory = 1056

    /// A frame as found by a parser.
    package struct Frame: Equatable, Sendable {
        /// Its position in the file in bytes.
        package var offset: Int
        /// Its length in bytes, including the header.
        package var length: Int
        /// The number of samples per channel.
        package var sampleCount: Int
        /// The parts of its header that are the same in all frames of a stream.
        package var kind = 0
        /// A number that stands for its contents, in free format; nil in others.
        package var freeContents: Int?
        /// The number of bytes left by earlier frames that it uses (Layer III).
        package var borrowed = 0
        /// The number of its bytes for its own music and that of later frames.
        package var capacity = 0

        package init(
            offset: Int, length: Int, sampleCount: Int, borrowed: Int = 0, capacity: Int = 0
        ) {
            self.offset = offset
            self.length = length
            self.sampleCount = sampleCount
            self.borrowed = borrowed
            self.capacity = capacity
        }
    }

    /// The verdict on a frame.
    package struct Verdict: Equatable, Sendable {
        /// True if the frames that were undecided are music; nil if they still are undecided.
        package var earlier: Bool?
        /// True if the frame itself needs what was lost before it.
        package var isBroken = false
    }

    /// The number of frames in the current run.
    package private(set) var count = 0
    /// The bounds of the current run, in bytes.
    package private(set) var start = 0
    package private(set) var end = 0
    /// True if all frames so far are of one run.
    package private(set) var isWhole = true
    private var isTrusted: Bool
    /// The last frame, and whether another one of the run was not just like it.
    private var last: Frame?
    private var varies = false
    /// After damage, what frames have left for later ones, in bytes, and how much was decoded.
    private var recovery: (capacity: Int, samples: Int)?

    /// Creates an empty run. With `isTrusted` the first frames are known to be music.
    package init(isTrusted: Bool = false) { self.isTrusted = isTrusted }

    /// True if the current run is music.
    package var isProven: Bool {
        guard !isTrusted, last?.freeContents != nil else { return isTrusted || count >= Self.proof }
        // A tone in samples repeats itself, with what resembles a header.
        return count >= Self.freeProof && varies
    }

    /// Adds the next frame. `isTag` returns whether the bytes between two runs are a tag rather than
    /// damage.
    package mutating func add(_ frame: Frame, isTag: (Range<Int>) -> Bool) -> Verdict {
        var verdict = Verdict()
        let gap = count == 0 ? 0 : frame.offset - end
        let follows =
            isProven
            ? 0...Self.strayBytes ~= gap : gap == 0 && (last?.kind ?? frame.kind) == frame.kind
        if follows {
            if count == 0 { start = frame.offset }
            count += 1
            varies = varies || last.map { $0.freeContents != frame.freeContents } ?? false
        } else {
            let isIntact = isProven && gap > 0 && isTag(end..<frame.offset)
            verdict.earlier = isIntact
            if !isIntact { recovery = (0, 0) }
            (isTrusted, isWhole, varies) = (false, false, false)
            (count, start) = (1, frame.offset)
        }
        last = frame
        if follows, isProven { verdict.earlier = true }
        end = frame.offset + frame.length
        verdict.isBroken = recover(frame)
        return verdict
    }

    /// Returns whether a frame after damage still needs what was lost.
    private mutating func recover(_ frame: Frame) -> Bool {
        guard let (capacity, samples) = recovery else { return false }
        let isBroken = frame.borrowed > capacity || samples < Self.memory
        let hasRecovered = samples >= Self.memory && capacity >= 511
        recovery =
            hasRecovered ? nil : (capacity + frame.capacity, samples + frame.sampleCount)
        return isBroken
    }
}

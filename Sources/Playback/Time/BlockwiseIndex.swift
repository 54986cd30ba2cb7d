/// Finds out what is heard of a stream whose server moves the read index by whole blocks.
///
/// PipeWire 0.3.65 counts a block as read at the beginning of the cycle that fetches it, and says no
/// more of the device than that. The block waits one cycle in the stream and is heard in the next: in a
/// recording of the monitor, with cycles of 1,024 frames, what was heard came 24 to 25 ms after the
/// index without that cycle, and 1 ms after it with it. Where in a cycle a reading lies it does not
/// say, but what is heard moves evenly: it is less than a block below each reading, and above none, so
/// that readings of other moments narrow it down.
package struct BlockwiseIndex: Sendable {
    /// What is known of a moment.
    package struct Estimate: Equatable, Sendable {
        /// The frame that is heard, in the middle of where it may be.
        package var heard: Double
        /// Frames by which it may be off either way: what the readings leave open, and the block that
        /// waits, of which the server says nothing.
        package var bound: Double
    }

    /// Blocks of a stream that is resampled differ by this many frames.
    private static let tolerance = 10.0
    /// A step of more blocks than this says too little of one.
    private static let longestStep = 4.0
    /// How fast the server's clock may differ from the host's.
    private static let drift = 1e-4
    /// Nanoseconds of the longest block that PipeWire makes by itself, at 44.1 kHz.
    private static let longestBlock = 46_500_000.0

    private let framesPerNanosecond: Double
    private var lastIndex = 0
    private var lastTime: Int64 = 0
    /// Frames that the index moves by at once; nil while it has not moved.
    private var block: Double?
    /// Frame less time, of what is fetched evenly: at least, and at most.
    private var least = -Double.infinity
    private var most = Double.infinity

    package init(sampleRate: Int) {
        framesPerNanosecond = Double(sampleRate) / 1e9
    }

    /// The stream was stopped or emptied: what was read before says nothing of what follows.
    package mutating func restart() { (least, most) = (-.infinity, .infinity) }

    /// Takes a reading in: `index` frames were read by `hostTime`, in nanoseconds of CLOCK_MONOTONIC, of
    /// which the device says that it holds `held`.
    package mutating func estimate(index: Int, held: Double, hostTime: Int64) -> Estimate {
        let step = Double(index - lastIndex)
        let elapsed = Double(max(hostTime - lastTime, 0)) * framesPerNanosecond
        (lastIndex, lastTime) = (index, hostTime)
        let time = Double(hostTime) * framesPerNanosecond
        let newest = Double(index) - held - time
        if step > 0 { learn(step) }
        var block = self.block ?? longestBlock
        least = max(least - elapsed * Self.drift, newest - block)
        most = min(most + elapsed * Self.drift, newest)
        if least > most + Self.tolerance {
            // The stream was short of frames, or its blocks are longer now.
            self.block = nil
            if step > 0 { learn(step) }
            block = self.block ?? longestBlock
            (least, most) = (newest - block, newest)
        }
        return Estimate(
            heard: time + (least + most) / 2 - block, bound: abs(most - least) / 2 + block)
    }

    private var longestBlock: Double { Self.longestBlock * framesPerNanosecond }

    /// The index has moved by whole blocks.
    private mutating func learn(_ step: Double) {
        guard step <= min(block.map { $0 * Self.longestStep } ?? .infinity, longestBlock) else {
            return
        }
        guard let block else { return self.block = step }
        // Their greatest common divisor, as far as blocks have one length.
        var (divisor, rest) = (max(step, block), min(step, block))
        while rest > Self.tolerance {
            (divisor, rest) = (rest, abs(divisor - rest * (divisor / rest).rounded()))
        }
        if divisor > 2 * Self.tolerance { self.block = divisor }
    }
}

/// Estimates what is heard of a stream whose server moves the read index by whole blocks.
///
/// PipeWire 0.3.65 counts a block as read at the start of the cycle that fetches it, and reports
/// nothing else about the device. The block waits for one cycle in the stream and is heard in the
/// next: in a recording of the monitor with cycles of 1,024 frames, the sound came 24 to 25 ms
/// after the index without counting that cycle, and 1 ms after it when counting it. The server does
/// not report where in a cycle a reading lies. But what is heard advances evenly, and is less than
/// a block below each reading and above none, so readings taken at different moments narrow it
/// down.
package struct BlockwiseIndex: Sendable {
    /// The estimate for a moment.
    package struct Estimate: Equatable, Sendable {
        /// The frame being heard, in the middle of its possible range.
        package var heard: Double
        /// The possible error in frames, either way: the range left open by the readings, plus the
        /// waiting block, about which the server says nothing.
        package var bound: Double
    }

    /// Blocks of a resampled stream differ in length by up to this many frames.
    private static let tolerance = 10.0
    /// A step of more blocks than this says too little about the length of one.
    private static let longestStep = 4.0
    /// The relative difference allowed between the server's clock and the host's.
    private static let drift = 1e-4
    /// The longest block that PipeWire chooses by itself, in nanoseconds, at 44.1 kHz.
    private static let longestBlock = 46_500_000.0

    private let framesPerNanosecond: Double
    private var lastIndex = 0
    private var lastTime: Int64 = 0
    /// The frames by which the index moves at once; nil until it has moved.
    private var block: Double?
    /// Lower and upper bound of the fetched frame minus the elapsed time.
    private var least = -Double.infinity
    private var most = Double.infinity

    package init(sampleRate: Int) {
        framesPerNanosecond = Double(sampleRate) / 1e9
    }

    /// The stream was stopped or flushed: earlier readings say nothing about what follows.
    package mutating func restart() { (least, most) = (-.infinity, .infinity) }

    /// Processes a reading: `index` frames were read by `hostTime`, in nanoseconds of
    /// CLOCK_MONOTONIC, of which the device reports that it holds `held`.
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
            // The stream ran short of frames, or its blocks have become longer.
            self.block = nil
            if step > 0 { learn(step) }
            block = self.block ?? longestBlock
            (least, most) = (newest - block, newest)
        }
        return Estimate(
            heard: time + (least + most) / 2 - block, bound: abs(most - least) / 2 + block)
    }

    private var longestBlock: Double { Self.longestBlock * framesPerNanosecond }

    /// Handles the index moving by whole blocks.
    private mutating func learn(_ step: Double) {
        guard step <= min(block.map { $0 * Self.longestStep } ?? .infinity, longestBlock) else {
            return
        }
        guard let block else { return self.block = step }
        // Their greatest common divisor, as far as all blocks have the same length.
        var (divisor, rest) = (max(step, block), min(step, block))
        while rest > Self.tolerance {
            (divisor, rest) = (rest, abs(divisor - rest * (divisor / rest).rounded()))
        }
        if divisor > 2 * Self.tolerance { self.block = divisor }
    }
}

/// Keeps account of a file's MPEG frames in their order: how many, how large, and which bytes
/// between them belong to none.
package struct FrameSurvey: Equatable, Sendable {
    /// One frame as the parser found it.
    package struct Frame: Equatable, Sendable {
        /// Where it begins in the file, in bytes.
        package var offset: Int
        /// Its bytes, the header included.
        package var length: Int
        /// Thousands of bits per second; 0 in free format.
        package var bitrate: Int
        /// How long it plays.
        package var seconds: Double

        package init(offset: Int, length: Int, bitrate: Int, seconds: Double) {
            self.offset = offset
            self.length = length
            self.bitrate = bitrate
            self.seconds = seconds
        }
    }

    /// Frames of music.
    package private(set) var count = 0
    /// Where the first frame begins, of music or not; nil before it is added.
    package private(set) var start: Int?
    /// Where the frame with the Xing header ends; nil without one.
    package private(set) var headerEnd: Int?
    /// Where the last frame ends.
    package private(set) var end = 0
    package private(set) var skippedBytes = 0
    /// How often bytes were skipped, and where first.
    package private(set) var skippedPlaces = 0
    package private(set) var firstSkipped: Int?

    private var byteCount = 0
    private var seconds = 0.0
    private var bitrates: ClosedRange<Int>?

    package init() {}

    /// Takes in the next frame; one that `isHeader` holds no music but a Xing header. Returns the
    /// bytes between it and the one before, if there are any; those of them that are no tag are to
    /// be handed to `skip`.
    package mutating func add(_ frame: Frame, isHeader: Bool = false) -> Range<Int>? {
        let gap = start == nil || frame.offset <= end ? nil : end..<frame.offset
        start = start ?? frame.offset
        end = frame.offset + frame.length
        guard !isHeader else {
            headerEnd = end
            return gap
        }
        count += 1
        byteCount += frame.length
        seconds += frame.seconds
        let (low, high) = (bitrates?.lowerBound, bitrates?.upperBound)
        bitrates = min(low ?? frame.bitrate, frame.bitrate)...max(high ?? 0, frame.bitrate)
        return gap
    }

    /// Counts bytes that are neither music nor tag.
    package mutating func skip(_ bytes: Range<Int>) {
        guard !bytes.isEmpty else { return }
        skippedBytes += bytes.count
        skippedPlaces += 1
        firstSkipped = firstSkipped ?? bytes.lowerBound
    }

    /// Whether all frames of music have the same bitrate.
    package var isConstant: Bool { bitrates.map { $0.lowerBound == $0.upperBound } ?? true }

    /// Thousands of bits per second over all frames of music; nil without any.
    package var averageBitrate: Double? {
        seconds > 0 ? Double(byteCount) * 8 / seconds / 1000 : nil
    }
}

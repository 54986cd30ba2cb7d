/// Keeps statistics of a file's MPEG frames in order: how many, how large, and which bytes between
/// them belong to none.
package struct FrameSurvey: Equatable, Sendable {
    /// A frame as found by the parser.
    package struct Frame: Equatable, Sendable {
        /// Its position in the file in bytes.
        package var offset: Int
        /// Its length in bytes, including the header.
        package var length: Int
        /// The bitrate in kbit/s; 0 for free format.
        package var bitrate: Int
        /// Its playing time in seconds.
        package var seconds: Double

        package init(offset: Int, length: Int, bitrate: Int, seconds: Double) {
            self.offset = offset
            self.length = length
            self.bitrate = bitrate
            self.seconds = seconds
        }
    }

    /// The number of audio frames.
    package private(set) var count = 0
    /// The offset of the first frame of any kind; nil until one is added.
    package private(set) var start: Int?
    /// The end of the frame with the Xing header; nil if there is none.
    package private(set) var headerEnd: Int?
    /// The end of the last frame.
    package private(set) var end = 0
    package private(set) var skippedBytes = 0
    /// The number of times that bytes were skipped, and the first place of it.
    package private(set) var skippedPlaces = 0
    package private(set) var firstSkipped: Int?

    private var byteCount = 0
    private var seconds = 0.0
    private var bitrates: ClosedRange<Int>?

    package init() {}

    /// Adds the next frame; with `isHeader`, one that contains a Xing header instead of audio.
    /// Returns the bytes between it and the previous frame, if any; those that are not a tag must
    /// be passed to `skip`.
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

    /// Counts bytes that are neither audio nor tag.
    package mutating func skip(_ bytes: Range<Int>) {
        guard !bytes.isEmpty else { return }
        skippedBytes += bytes.count
        skippedPlaces += 1
        firstSkipped = firstSkipped ?? bytes.lowerBound
    }

    /// True if all audio frames have the same bitrate.
    package var isConstant: Bool { bitrates.map { $0.lowerBound == $0.upperBound } ?? true }

    /// The average bitrate of all audio frames in kbit/s; nil if there are none.
    package var averageBitrate: Double? {
        seconds > 0 ? Double(byteCount) * 8 / seconds / 1000 : nil
    }
}

/// The positions of passages in the stream: written by the decode thread as it decodes, read by the
/// clock thread as it is heard.
package struct Timeline: Sendable {
    /// One passage's part of the stream, in frames of the stream's rate.
    package struct Segment: Equatable, Sendable {
        package var passage: PassageID
        package var item: ItemID
        package var start: Int
        /// The time in the item at `start`.
        package var origin: CMTime
        /// Seconds of the item per second of the stream.
        package var rate: Double
        /// True if it was reached by a jump, a seek or a skip, not by the end of what came before.
        package var isJump: Bool
        /// The frame after the last one; nil while the passage is still being decoded.
        package var end: Int?
        /// True if its last frame is the item's last, rather than cut off earlier.
        package var isComplete = true

        package init(
            passage: PassageID, item: ItemID, start: Int, origin: CMTime = .zero, rate: Double = 1,
            isJump: Bool = false, end: Int? = nil
        ) {
            self.passage = passage
            self.item = item
            self.start = start
            self.origin = origin
            self.rate = rate
            self.isJump = isJump
            self.end = end
        }
    }

    private var segments: [Segment] = []

    package init() {}

    /// The earliest passage that has not been heard to its end.
    package var first: Segment? { segments.first }
    package var last: Segment? { segments.last }

    package subscript(passage: PassageID) -> Segment? {
        segments.first { $0.passage == passage }
    }

    /// The time of `item` at `frame`, or at its end if that came first; nil if it is not in the
    /// timeline.
    package func time(of item: ItemID, at frame: Int, sampleRate: Int) -> CMTime? {
        let segment = segments.last { $0.item == item && $0.start <= frame }
        return segment.map { $0.time(at: min(frame, $0.end ?? frame), sampleRate: sampleRate) }
    }

    /// The time in its item up to which the passages that `passage` replaces were heard before
    /// `frame`; nil if nothing of them was heard.
    package func time(
        ofThoseReplacedBy passage: Passage, at frame: Int, sampleRate: Int
    ) -> CMTime? {
        guard let first = passage.replaced else { return nil }
        let segment = segments.last {
            $0.passage >= first && $0.item == passage.item.id && $0.start < frame
        }
        return segment.map { $0.time(at: min(frame, $0.end ?? frame), sampleRate: sampleRate) }
    }

    package mutating func begin(_ segment: Segment) { segments.append(segment) }

    /// Ends the passage that began last; if it is not complete, it was cut off.
    package mutating func end(at frame: Int, isComplete: Bool = true) {
        guard let last = segments.indices.last else { return }
        segments[last].end = frame
        segments[last].isComplete = isComplete
    }

    /// Removes everything from `frame` on; the passage that extends past it ends there.
    package mutating func cut(at frame: Int) {
        segments.removeAll { $0.start >= frame }
        guard let last = segments.indices.last else { return }
        if let end = segments[last].end, end <= frame { return }
        segments[last].end = frame
        segments[last].isComplete = false
    }

    /// Lets the passage that ends at `frame` continue after all.
    package mutating func reopen(at frame: Int) {
        guard let last = segments.indices.last, segments[last].end == frame,
            segments[last].isComplete
        else { return }
        segments[last].end = nil
    }

    /// Removes a passage that was heard.
    package mutating func remove(_ passage: PassageID) {
        segments.removeAll { $0.passage == passage }
    }
}

extension Timeline.Segment {
    /// The time in the item at `frame` of the stream. Exact if nothing is converted: in units of
    /// `sampleRate`, the stream's.
    package func time(at frame: Int, sampleRate: Int) -> CMTime {
        let scale = Int32(sampleRate)
        if rate == 1 {
            let value = originFrame(sampleRate: sampleRate) + Int64(frame - start)
            return CMTime(value: value, timescale: scale)
        }
        let seconds = origin.seconds + Double(frame - start) * rate / Double(sampleRate)
        return CMTime(value: Int64((seconds * Double(sampleRate)).rounded()), timescale: scale)
    }

    /// The first frame of the stream at or after the item's `time`.
    package func frame(of time: CMTime, sampleRate: Int) -> Int {
        if rate == 1 {
            let (quotient, rest) = (Int128(time.value) * Int128(sampleRate)).quotientAndRemainder(
                dividingBy: Int128(time.timescale))
            let frame = quotient + (rest > 0 ? 1 : 0)
            let origin = Int128(originFrame(sampleRate: sampleRate))
            return Int(clamping: Int128(start) + frame - origin)
        }
        let frames = (time.seconds - origin.seconds) / rate * Double(sampleRate)
        // A value that is a whole frame except for the last bits of a Double is that frame, not the
        // next.
        return start + Int(min(max(-1e15, frames - 1e-6), 1e15).rounded(.up))
    }

    /// The time in the item at `start`, rounded to the nearest frame of `sampleRate`.
    private func originFrame(sampleRate: Int) -> Int64 {
        let value = Int128(origin.value) * Int128(sampleRate)
        return Int64((value + Int128(origin.timescale) / 2) / Int128(origin.timescale))
    }
}

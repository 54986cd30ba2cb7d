/// Where each item lies in the stream: written by the decode thread as it goes, read by the clock
/// thread as it is heard.
package struct Timeline: Sendable {
    /// One item's part of the stream, in frames of the stream's rate.
    package struct Segment: Equatable, Sendable {
        package var item: ItemID
        package var start: Int
        /// The frame behind the last one; nil while the item is still being decoded.
        package var end: Int?
    }

    private var segments: [Segment] = []

    package init() {}

    /// The earliest item that has not been heard to its end.
    package var first: Segment? { segments.first }

    package mutating func begin(_ item: ItemID, at frame: Int) {
        segments.append(Segment(item: item, start: frame, end: nil))
    }

    /// Ends the item that was begun last.
    package mutating func end(at frame: Int) {
        guard let last = segments.indices.last else { return }
        segments[last].end = frame
    }

    /// Forgets the earliest item.
    package mutating func removeFirst() { segments.removeFirst() }
}

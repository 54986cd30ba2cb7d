/// The bytes of a file that are there: disjoint ranges in order, none of which touch.
package struct ByteRanges: Hashable, Sendable {
    /// The ranges, in order.
    package private(set) var ranges: [Range<Int64>] = []

    package init() {}

    /// Joins ranges in any order; empty ones and those below 0 are left out.
    package init(_ ranges: some Sequence<Range<Int64>>) {
        for range in ranges where range.lowerBound >= 0 { insert(range) }
    }

    /// The number of bytes.
    package var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

    package var isEmpty: Bool { ranges.isEmpty }

    /// Adds a range, and joins it with those that it touches.
    package mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        // What comes in usually continues a range.
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.count
        let last = ranges[first...].firstIndex { $0.lowerBound > range.upperBound } ?? ranges.count
        var joined = range
        if first < last {
            let start = min(range.lowerBound, ranges[first].lowerBound)
            joined = start..<max(range.upperBound, ranges[last - 1].upperBound)
        }
        ranges.replaceSubrange(first..<last, with: [joined])
    }

    /// Returns true if the byte at `offset` is there.
    package func contains(_ offset: Int64) -> Bool { range(at: offset) != nil }

    /// The end of the bytes that are there from `offset` on without a gap; `offset` if there are
    /// none.
    package func end(from offset: Int64) -> Int64 { range(at: offset)?.upperBound ?? offset }

    /// The start of the bytes that are there without a gap up to `offset`; `offset` if there are
    /// none.
    package func start(before offset: Int64) -> Int64 {
        ranges.first { $0.lowerBound < offset && offset <= $0.upperBound }?.lowerBound ?? offset
    }

    /// The first range that begins at or after `offset`.
    package func next(after offset: Int64) -> Range<Int64>? {
        ranges.first { $0.lowerBound >= offset }
    }

    private func range(at offset: Int64) -> Range<Int64>? {
        ranges.first { $0.contains(offset) }
    }
}

/// The ranges as JSON: pairs of the first byte and the one after the last.
extension ByteRanges: Codable {
    package init(from decoder: any Decoder) throws {
        let pairs = try decoder.singleValueContainer().decode([[Int64]].self)
        self.init(
            pairs.compactMap { ends in
                ends.count == 2 && 0 <= ends[0] && ends[0] <= ends[1] ? ends[0]..<ends[1] : nil
            })
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(ranges.map { [$0.lowerBound, $0.upperBound] })
    }
}

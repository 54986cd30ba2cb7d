import Playback

/// A set of item numbers as ascending ranges, which are few because numbers are assigned in
/// sequence.
struct NumberRanges {
    private(set) var ranges: [ClosedRange<Int>] = []

    var isEmpty: Bool { ranges.isEmpty }

    func contains(_ id: ItemID) -> Bool { ranges.contains { $0.contains(id.number) } }

    /// Precondition: the numbers are higher than all in the set.
    mutating func append(_ numbers: ClosedRange<Int>) {
        if let last = ranges.last, last.upperBound + 1 == numbers.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound...numbers.upperBound
        } else {
            ranges.append(numbers)
        }
    }

    mutating func remove(_ ids: some Sequence<ItemID>) {
        if !ranges.isEmpty { for run in NumberRuns(ids) { remove(run) } }
    }

    private mutating func remove(_ run: ClosedRange<Int>) {
        guard let first = ranges.firstIndex(where: { $0.overlaps(run) }) else { return }
        var end = first
        while end < ranges.count, ranges[end].overlaps(run) { end += 1 }
        let (start, stop) = (ranges[first].lowerBound, ranges[end - 1].upperBound)
        var rest: [ClosedRange<Int>] = []
        if start < run.lowerBound { rest.append(start...run.lowerBound - 1) }
        if stop > run.upperBound { rest.append(run.upperBound + 1...stop) }
        ranges.replaceSubrange(first..<end, with: rest)
    }
}

/// Groups ids into runs of consecutive numbers, as those of a playlist are.
struct NumberRuns<IDs: Sequence<ItemID>>: Sequence, IteratorProtocol {
    private var ids: IDs.Iterator
    private var start: Int?

    init(_ ids: IDs) {
        self.ids = ids.makeIterator()
        start = self.ids.next()?.number
    }

    mutating func next() -> ClosedRange<Int>? {
        guard let first = start else { return nil }
        var last = first
        while let id = ids.next() {
            guard id.number == last + 1 else {
                start = id.number
                return first...last
            }
            last += 1
        }
        start = nil
        return first...last
    }
}

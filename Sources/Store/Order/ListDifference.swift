import Playback

/// How one list of ids becomes another, in a few steps from front to end.
struct ListDifference: Equatable {
    /// Replaces a stretch of the old list by a stretch of the new one. Between two steps the lists
    /// have something in common.
    struct Step: Equatable {
        var old: Range<Int>
        var new: Range<Int>
    }

    private(set) var steps: [Step] = []

    var isEmpty: Bool { steps.isEmpty }

    /// How many ids were removed, added or moved.
    var count: Int { steps.reduce(0) { $0 + $1.old.count + $1.new.count } }

    /// Finds the difference by what the lists have in common at their front and end. Between these
    /// it recognises pure removals, pure insertions, and one stretch that moved; anything else is
    /// one step that replaces the whole middle.
    init(from old: [ItemID], to new: [ItemID]) {
        guard old != new else { return }
        let front = Self.commonPrefix(old, new)
        let end = Self.commonSuffix(old, new, after: front)
        let (from, to) = (front..<old.count - end, front..<new.count - end)
        if let turn = Self.rotation(old[from], new[to]) {
            if turn <= from.count / 2 {
                replace(front..<front + turn, with: front..<front)
                replace(
                    from.upperBound..<from.upperBound, with: to.upperBound - turn..<to.upperBound)
            } else {
                let length = from.count - turn
                replace(front..<front, with: front..<front + length)
                replace(
                    from.upperBound - length..<from.upperBound, with: to.upperBound..<to.upperBound)
            }
        } else if !removals(from, to, old, new), !insertions(from, to, old, new) {
            replace(from, with: to)
        }
    }

    private mutating func replace(_ old: Range<Int>, with new: Range<Int>) {
        steps.append(Step(old: old, new: new))
    }

    /// Whether there are only removals: then each gap becomes a step.
    private mutating func removals(
        _ from: Range<Int>, _ to: Range<Int>, _ old: [ItemID], _ new: [ItemID]
    ) -> Bool {
        guard let gaps = Self.gaps(in: old, from, without: new, to) else { return false }
        for gap in gaps { replace(gap.range, with: gap.place..<gap.place) }
        return true
    }

    /// Whether there are only insertions: then each gap becomes a step.
    private mutating func insertions(
        _ from: Range<Int>, _ to: Range<Int>, _ old: [ItemID], _ new: [ItemID]
    ) -> Bool {
        guard let gaps = Self.gaps(in: new, to, without: old, from) else { return false }
        for gap in gaps { replace(gap.place..<gap.place, with: gap.range) }
        return true
    }

    private static func commonPrefix(_ old: [ItemID], _ new: [ItemID]) -> Int {
        let most = min(old.count, new.count)
        var place = 0
        while place < most, old[place] == new[place] { place += 1 }
        return place
    }

    private static func commonSuffix(_ old: [ItemID], _ new: [ItemID], after front: Int) -> Int {
        let most = min(old.count, new.count) - front
        var length = 0
        while length < most, old[old.count - 1 - length] == new[new.count - 1 - length] {
            length += 1
        }
        return length
    }

    /// How many ids moved from the front of a stretch to its end; nil if it changed in another way.
    private static func rotation(_ old: ArraySlice<ItemID>, _ new: ArraySlice<ItemID>) -> Int? {
        guard old.count == new.count, let first = new.first,
            let place = old.firstIndex(of: first)
        else { return nil }
        let turn = place - old.startIndex
        guard old[place...].elementsEqual(new.prefix(old.count - turn)),
            old[..<place].elementsEqual(new.suffix(turn))
        else { return nil }
        return turn
    }

    /// The stretches of `long` that `short` lacks, each with its place in `short`; nil if removing
    /// stretches from `long` cannot give `short`.
    private static func gaps(
        in long: [ItemID], _ range: Range<Int>, without short: [ItemID], _ rest: Range<Int>
    ) -> [(range: Range<Int>, place: Int)]? {
        guard rest.count < range.count else { return nil }
        var gaps: [(range: Range<Int>, place: Int)] = []
        var place = rest.lowerBound
        var start = range.lowerBound
        for index in range where place < rest.upperBound && long[index] == short[place] {
            if start < index { gaps.append((start..<index, place)) }
            start = index + 1
            place += 1
        }
        guard place == rest.upperBound else { return nil }
        if start < range.upperBound { gaps.append((start..<range.upperBound, place)) }
        return gaps
    }
}

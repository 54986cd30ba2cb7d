import Playback
import Testing

@testable import Store

@Suite struct `The difference of two lists` {
    @Test func `is empty if they are equal`() {
        #expect(ListDifference(from: ids(1, 2), to: ids(1, 2)).isEmpty)
    }

    @Test func `is one step for an insertion`() {
        #expect(steps(ids(1, 2, 3), ids(1, 2, 8, 9, 3)) == ["2 -0 +8,9"])
    }

    @Test(arguments: [
        (ids(1, 2, 3, 4, 5, 6), ids(1, 3, 4, 5, 2, 6), ["1 -1 +", "5 -0 +2"]),
        (ids(1, 2, 3, 4, 5, 6), ids(1, 5, 2, 3, 4, 6), ["1 -0 +5", "4 -1 +"]),
        (ids(1, 2, 3, 4, 5, 6), ids(3, 4, 5, 6, 1, 2), ["0 -2 +", "6 -0 +1,2"]),
        (ids(1, 2), ids(2, 1), ["0 -1 +", "2 -0 +1"]),
    ])
    func `is two small steps for a move`(
        old: [ItemID], new: [ItemID], expected: [String]
    ) {
        #expect(steps(old, new) == expected)
    }

    @Test func `is one step per gap`() {
        let (long, short) = (ids(1, 2, 3, 4, 5, 6, 7), ids(1, 4, 6, 7))

        #expect(steps(long, short) == ["1 -2 +", "4 -1 +"])
        #expect(steps(short, long) == ["1 -0 +2,3", "2 -0 +5"])
    }

    @Test func `is one step for everything else`() {
        #expect(steps(ids(1, 2, 3, 4, 5), ids(1, 4, 3, 2, 5)) == ["1 -3 +4,3,2"])
    }

    @Test(arguments: 1...300)
    func `turns one into the other`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let old = Array((1...Int.random(in: 1...60, using: &generator)).map { ItemID($0) })
        let new = edited(old, using: &generator)

        var list = old
        for step in ListDifference(from: old, to: new).steps.reversed() {
            list.replaceSubrange(step.old, with: new[step.new])
        }

        #expect(list == new)
    }

    private func steps(_ old: [ItemID], _ new: [ItemID]) -> [String] {
        ListDifference(from: old, to: new).steps.map { step in
            let inserted = new[step.new].map(\.description).joined(separator: ",")
            return "\(step.old.lowerBound) -\(step.old.count) +\(inserted)"
        }
    }

    /// The list after some edits of each kind, always with a different result.
    private func edited(
        _ list: [ItemID], using generator: inout SeededGenerator
    ) -> [ItemID] {
        var list = list
        var next = list.count * 1000
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let place = Int.random(in: 0...list.count, using: &generator)
            let length = Int.random(in: 1...max(1, min(40, list.count)), using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: list.removeSubrange(max(0, place - length)..<place)
            case 1: list.removeAll { _ in Bool.random(using: &generator) }
            case 2: list.shuffle(using: &generator)
            case 3 where !list.isEmpty:
                let range = max(0, place - length)..<place
                let moved = list[range]
                list.removeSubrange(range)
                list.insert(
                    contentsOf: moved, at: Int.random(in: 0...list.count, using: &generator))
            default:
                list.insert(contentsOf: (1...length).map { ItemID(next + $0) }, at: place)
            }
            next += 1000
        }
        list.append(ItemID(next))
        return list
    }
}

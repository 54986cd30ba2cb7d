import Playback
import Testing

@testable import Store

@Suite struct `The difference of two lists` {
    @Test func `is nothing when they are the same`() {
        #expect(ListDifference(from: ids(1, 2), to: ids(1, 2)).isEmpty)
    }

    @Test func `is one step for what was put in between`() {
        let difference = ListDifference(from: ids(1, 2, 3), to: ids(1, 2, 8, 9, 3))

        #expect(steps(difference.forward) == ["2 -0 +8,9"])
        #expect(steps(difference.backward) == ["2 -2 +"])
    }

    @Test(arguments: [
        (ids(1, 2, 3, 4, 5, 6), ids(1, 3, 4, 5, 2, 6), ["1 -1 +", "3 -0 +2"]),
        (ids(1, 2, 3, 4, 5, 6), ids(1, 5, 2, 3, 4, 6), ["1 -0 +5", "3 -1 +"]),
        (ids(1, 2, 3, 4, 5, 6), ids(3, 4, 5, 6, 1, 2), ["0 -2 +", "4 -0 +1,2"]),
        (ids(1, 2), ids(2, 1), ["0 -1 +", "1 -0 +1"]),
    ])
    func `is two small steps for what has moved`(
        old: [ItemID], new: [ItemID], forward: [String]
    ) {
        #expect(steps(ListDifference(from: old, to: new).forward) == forward)
    }

    @Test func `is a step for each gap`() {
        let (long, short) = (ids(1, 2, 3, 4, 5, 6, 7), ids(1, 4, 6, 7))

        #expect(steps(ListDifference(from: long, to: short).forward) == ["1 -2 +", "1 -1 +"])
        #expect(steps(ListDifference(from: short, to: long).forward) == ["1 -0 +2,3", "1 -0 +5"])
    }

    @Test func `is one step for everything else`() {
        let difference = ListDifference(from: ids(1, 2, 3, 4, 5), to: ids(1, 4, 3, 2, 5))

        #expect(steps(difference.forward) == ["1 -3 +4,3,2"])
        #expect(steps(difference.backward) == ["1 -3 +2,3,4"])
    }

    @Test(arguments: 1...300)
    func `leads there and back, also through bytes`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let old = Array((1...Int.random(in: 1...60, using: &generator)).map { ItemID($0) })
        let new = edited(old, using: &generator)

        let change = try #require(
            OrderChange(from: QueueOrder(ids: old), to: QueueOrder(ids: new, original: old)))
        let forward = try #require(OrderChange.Way(change.forward.bytes))
        let backward = try #require(OrderChange.Way(change.backward.bytes))
        var order = PartedOrder(QueueOrder(ids: old))

        let isThere = order.apply(forward)
        #expect(isThere)
        #expect(order.order(current: nil) == QueueOrder(ids: new, original: old))
        let isBack = order.apply(backward)
        #expect(isBack)
        #expect(order.order(current: nil) == QueueOrder(ids: old))
    }

    @Test(arguments: 1...20)
    func `is applied to lists of many parts`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var list = (1...100_000).map { ItemID($0) }
        var parted = PartedList(list)

        for _ in 0..<10 {
            let new = edited(list, using: &generator)
            let isApplied = parted.apply(ListDifference(from: list, to: new).forward)
            #expect(isApplied)
            list = new
        }

        let isSame = parted.ids == list
        #expect(isSame)
    }

    @Test(arguments: 1...500)
    func `is never made of damaged bytes without saying so or being one`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let old = ids(1, 2, 3, 4, 5, 6, 7, 8, 9)
        let change = try #require(
            OrderChange(
                from: QueueOrder(ids: old),
                to: QueueOrder(ids: edited(old, using: &generator), original: old)))
        var bytes = change.forward.bytes
        for _ in 0..<3 {
            guard let index = bytes.indices.randomElement(using: &generator) else { break }
            bytes[index] = .random(in: 0...255, using: &generator)
        }

        guard let way = OrderChange.Way(bytes) else { return }
        var order = PartedOrder(QueueOrder(ids: old))
        _ = order.apply(way)
    }

    private func steps(_ patch: ListPatch) -> [String] {
        patch.steps.map { step in
            let inserted = step.inserted.map(\.description).joined(separator: ",")
            return "\(step.skipped) -\(step.dropped) +\(inserted)"
        }
    }

    /// The list after some edits of each kind, which is never the same.
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

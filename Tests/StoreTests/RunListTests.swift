import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongStore

@Suite struct `A list of runs` {
    private let queue = (1...2000).map { ItemID($0) }

    @Test func `A list of runs has long runs at first, and keeps them all if nothing changes`() {
        let list = applied(queue, to: RunList())

        #expect(list.runs.count == 8)
        #expect(list.runs.allSatisfy { (200...256).contains($0.count) })
        #expect(list.division(of: queue).kept == Array(0..<8))
        #expect(list.division(of: queue).added.isEmpty)
    }

    @Test func `A list of runs replaces one for an insertion, two for a move, and no others`() {
        let list = applied(queue, to: RunList())
        var moved = queue
        moved.insert(moved.remove(at: 300), at: 1900)

        let insertion = list.division(of: queue[..<900] + [ItemID(5000)] + queue[900...])
        let move = list.division(of: moved)

        #expect(insertion.kept == [0, 1, 2, 4, 5, 6, 7] && insertion.added.count == 1)
        #expect(move.kept == [0, 2, 3, 4, 5, 6] && move.added.count == 2)
    }

    @Test func `A list of runs gets few runs from many additions at its end or in one place`() {
        var list = applied(queue, to: RunList())
        for number in 0..<1000 {
            let place = number % 2 == 0 ? list.ids.count : 1000
            list = applied(
                list.ids[..<place] + [ItemID(5000 + number)] + list.ids[place...], to: list)
        }

        #expect(list.runs.count < 24)
    }

    @Test func `A list of runs is divided again when there is no room between two of them`() {
        var list = RunList(
            Array(queue[..<512]), [0, 1].map { run($0 + 1, at: 7 + $0, count: 256) })
        let ids = queue[..<256] + (5000..<5200).map { ItemID($0) } + queue[256..<512]

        #expect(list.division(of: Array(ids)).kept.isEmpty)
        list = applied(Array(ids), to: list)
        #expect(list.ids == Array(ids) && list.runs.count == 3)
    }

    @Test(arguments: 1...20)
    func `A list of runs becomes every other list, with ascending places`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var list = applied(queue, to: RunList())
        for step in 0..<20 {
            list = applied(edited(list.ids, 10_000 * (step + 1), using: &generator), to: list)
        }
    }

    // MARK: Steps

    /// Writes `ids` in place of a list, as the rows of the file would be written, and checks that
    /// the result is that list.
    private func applied(_ ids: [ItemID], to list: RunList) -> RunList {
        let (kept, added) = list.division(of: ids)
        var starts: [Int] = []
        var start = 0
        for old in list.runs {
            starts.append(start)
            start += old.count
        }
        var parts = kept.map { index in
            (
                list.runs[index],
                Array(list.ids[starts[index]..<starts[index] + list.runs[index].count])
            )
        }
        for (place, range) in added {
            parts.append((run(0, at: place, count: range.count), Array(ids[range])))
        }
        parts.sort { $0.0.place < $1.0.place }
        let result = RunList(parts.flatMap(\.1), parts.map(\.0))
        let places = result.runs.map(\.place)
        #expect(result.ids == ids)
        #expect(Set(places).count == places.count)
        #expect(result.runs.allSatisfy { (1...256).contains($0.count) })
        return result
    }

    private func run(_ row: Int, at place: Int, count: Int) -> RunList.Run {
        RunList.Run(row: row, place: place, since: 1, count: count, checksum: 0)
    }

    /// The list after one edit.
    private func edited(
        _ list: [ItemID], _ next: Int, using generator: inout SeededGenerator
    ) -> [ItemID] {
        var list = list
        let place = Int.random(in: 0...list.count, using: &generator)
        let length = Int.random(in: 1...400, using: &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: list.shuffle(using: &generator)
        case 1: list.removeAll { _ in Bool.random(using: &generator) }
        case 2: list.removeSubrange(max(0, place - length)..<place)
        case 3...6 where !list.isEmpty:
            let moved = list.remove(at: place % list.count)
            list.insert(moved, at: Int.random(in: 0...list.count, using: &generator))
        case 7...9 where !list.isEmpty: list.remove(at: place % list.count)
        default: list.insert(contentsOf: (0..<length).map { ItemID(next + $0) }, at: place)
        }
        return list
    }
}

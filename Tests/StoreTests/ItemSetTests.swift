import Playback
import Testing

@testable import Store

@Suite struct `Sets of items` {
    @Test func `contain what was inserted and not removed`() {
        var set = ItemSet(ids(5, 70_000, 6, 5))

        set.remove(ids(6, 8))

        #expect(set.count == 2)
        #expect(set.lowest(9) == ids(5, 70_000))
        #expect(set.lowest(1) == ids(5))
        #expect(set.contains(ItemID(70_000)))
        #expect(!set.contains(ItemID(6)))
        #expect(!set.contains(ItemID(700_000)))
        set.remove(ids(5, 70_000))
        #expect(set.isEmpty)
    }

    @Test func `of numbers use as few ranges as possible`() {
        var ranges = NumberRanges()

        ranges.append(1...10)
        ranges.append(11...20)
        ranges.append(30...40)
        #expect(ranges.ranges == [1...20, 30...40])

        ranges.remove(ids(5, 6, 7, 1, 20, 40, 50))
        #expect(ranges.ranges == [2...4, 8...19, 30...39])

        ranges.remove((3...35).map { ItemID($0) })
        #expect(ranges.ranges == [2...2, 36...39])
        #expect(ranges.contains(ItemID(36)))
        #expect(!ranges.contains(ItemID(35)))
    }

    @Test func `in batches lose only what is removed`() {
        var batches = ItemBatches()
        let items = (1...10).map { QueueItem(id: ItemID($0), source: .file(path: "\($0)")) }
        batches.append(Array(items[..<4]))
        batches.append(Array(items[4..<8]))
        batches.append(Array(items[8...]))

        batches.remove(ids(4, 5, 6, 9, 10))

        #expect(Array(batches.all).map(\.id) == ids(1, 2, 3, 7, 8))
        #expect(batches[ItemID(7)]?.source.path == "7")
        #expect(batches[ItemID(6)] == nil)
        #expect(batches[ItemID(9)] == nil)
        #expect(batches[ItemID(11)] == nil)
        batches.remove(ids(1, 2, 3, 7, 8))
        #expect(batches.isEmpty)
    }
}

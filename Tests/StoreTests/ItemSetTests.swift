import Testing
import UndersongPlayback

@testable import UndersongStore

@Suite struct `Sets of items` {
    @Test func `A set of items contains what was inserted`() {
        var set = ItemSet(ids(5, 70_000, 6, 5))

        set.insert(ids(200_000))

        #expect(ids(5, 6, 70_000, 200_000).allSatisfy(set.contains))
        #expect(!ids(4, 7, 69_999, 131_072, 700_000).contains(where: set.contains))
        #expect(!ItemSet().contains(ItemID(0)))
    }
}

import Testing
import UndersongPlayback

@Suite struct `A heard position` {
    /// 10 s of an item are heard at 1 s, at 1.5 seconds of the item per second.
    private static func position(latest: Double) -> HeardPosition {
        HeardPosition(
            item: ItemID(1), time: CMTime(value: 10, timescale: 1), hostTime: 1_000_000_000,
            rate: 1.5, latest: latest, uncertainty: 0)
    }

    @Test func `A heard position advances at the item's own rate`() {
        let position = Self.position(latest: 60)

        #expect(position.seconds(at: 1_000_000_000) == 10)
        #expect(position.seconds(at: 3_000_000_000) == 13)
    }

    @Test func `A heard position stays between the item's beginning and what the device has of it`()
    {
        let position = Self.position(latest: 12)

        #expect(position.seconds(at: 9_000_000_000) == 12)
        #expect(position.seconds(at: -99_000_000_000) == 0)
    }
}

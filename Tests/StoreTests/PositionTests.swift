import Glibc
import TestSupport
import Testing
import UndersongPlayback

@testable import UndersongStore

@Suite struct `The position of what is playing` {
    let folder = TemporaryFolder()
    let clock = ManualClock()

    @Test func `The current position is written every second, and synced to the disk every nine`()
        throws
    {
        let memory = StoreMemory()
        var keeper = Keeper(path: folder.store, memory: memory, clock: clock) { _ in }
        keeper.open()
        let added = memory.itemStore.add([QueueEntry("a")]).map(\.id)
        keeper.perform(.keep(PlayerRecord(added)))
        let first = try #require(keeper.file?.syncs)

        for second in 1...36 {
            clock.advance(by: 1)
            keeper.perform(.keepPosition(CMTime(value: Int64(second), timescale: 1), added[0]))
            #expect(keeper.file?.durable.record.position.seconds == Double(second))
            #expect(keeper.file?.syncs == first + second / 9)
        }
    }

    @Test func `The current position survives the end of the process at any moment`() async throws {
        let store = folder.open(clock: clock)
        let added = store.add([QueueEntry("a")])
        store.keep(PlayerRecord(added))
        await store.flush()

        for second in 1...12 {
            clock.advance(by: 1)
            let position = CMTime(value: Int64(second), timescale: 1)
            store.keep(position, of: added[0])
            await store.flush()
            // A copy made while the file is open equals what a kill leaves in the kernel.
            let copy = TemporaryFolder()
            #expect(unsafe system("cp -r '\(folder.store)' '\(copy.store)'") == 0)
            #expect(copy.open().record == PlayerRecord(added, at: position))
        }
    }
}

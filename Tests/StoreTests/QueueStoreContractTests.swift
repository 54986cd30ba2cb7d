import Playback
import Store
import TestSupport
import Testing

@Suite struct `The port to a queue's store` {
    @Test func `is kept by the store on the disk`() async throws {
        let folder = TemporaryFolder()

        try await expectQueueStoreContract(of: folder.open()) { store in
            store.close()
            let later = folder.open()
            return (later, later.record)
        }
    }

    @Test func `is kept by the one in memory, which other tests use`() async throws {
        try await expectQueueStoreContract(of: MemoryQueueStore()) { ($0, $0.records.last) }
    }
}

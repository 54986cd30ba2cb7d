import TestSupport
import Testing
import UndersongPlayback
import UndersongStore

@Suite struct `The port to a queue's store` {
    @Test func `The queue store's port is implemented by the store on disk`() async throws {
        let folder = TemporaryFolder()

        try await expectQueueStoreContract(of: folder.open()) { store in
            store.close()
            let later = folder.open()
            return (later, later.record)
        }
    }

    @Test func `The queue store's port is implemented by the tests' store in memory`() async throws
    {
        try await expectQueueStoreContract(of: MemoryQueueStore()) { ($0, $0.records.last) }
    }
}

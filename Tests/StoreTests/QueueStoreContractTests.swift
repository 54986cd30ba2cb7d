import TestSupport
import Testing
import UndersongPlayback
import UndersongStore

@Suite struct `The port to a queue's store` {
    @Test func `is implemented by the store on disk`() async throws {
        let folder = TemporaryFolder()

        try await expectQueueStoreContract(of: folder.open()) { store in
            store.close()
            let later = folder.open()
            return (later, later.record)
        }
    }

    @Test func `is implemented by the store in memory that other tests use`() async throws {
        try await expectQueueStoreContract(of: MemoryQueueStore()) { ($0, $0.records.last) }
    }
}

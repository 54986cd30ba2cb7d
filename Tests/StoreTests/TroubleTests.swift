import CUndersongLinux
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongStore

@Suite struct `A store on a failing disk` {
    let folder = TemporaryFolder()
    let notices = Notices()

    @Test func `A store without a folder keeps items in memory, and refuses edits`() async {
        let store = StateStore(folder: nil, clock: SystemClock()) { [notices] in notices.add($0) }

        let added = store.add([QueueEntry("a")])
        let error = await error { try await store.commit(PlayerRecord(added), as: .edit("add")) }

        #expect(store.items(added).map(\.source.path) == ["a"])
        #expect(error?.description == "cannot add: there is no folder for it")
        #expect(error?.code == .notDurable)
        #expect(store.trouble?.code == .noFolder)
        #expect(notices.texts == ["cannot keep the queue: there is no folder for it"])
        #expect(await store.search(.text(nil, .contains, "a"), limit: 9) == [])
    }

    @Test func `A store in trouble names the process using the folder`() async throws {
        let first = folder.open()
        let kept = first.add([QueueEntry("first")])
        try await first.commit(PlayerRecord(kept), as: .edit("add"))
        let store = folder.open(notices)

        let added = store.add([QueueEntry("second")])
        let error = await error { try await store.commit(PlayerRecord(added), as: .edit("add")) }

        let holder = "another service (process \(getpid())) has it"
        #expect(error?.reason == holder)
        #expect(store.record == nil)
        #expect(notices.texts == ["cannot keep the queue in \(folder.store): \(holder)"])
        #expect(added != kept)
    }

    @Test func `A store never writes a state that it has not read when it began`() async throws {
        let first = folder.open()
        var record = PlayerRecord(
            first.add([QueueEntry("first")]), at: CMTime(value: 7, timescale: 1))
        record.settings.volume = 0.4
        try await first.commit(record, as: .edit("add"))
        let store = folder.open(notices)
        var other = PlayerRecord([])
        other.settings.volume = 0.9
        store.keep(other)
        await store.flush()
        first.close()

        store.keep(other)
        await store.flush()
        let added = store.add([QueueEntry("second")])
        let error = await error { try await store.commit(PlayerRecord(added), as: .edit("add")) }
        store.close()

        #expect(error?.reason.hasPrefix("it could not be read when the service started") == true)
        #expect(folder.open().record == record)
    }

    @Test func `A store obtains the lock of a process that was about to end`() async throws {
        let first = folder.open()
        let record = PlayerRecord(first.add([QueueEntry("first")]))
        try await first.commit(record, as: .edit("add"))
        let claim = try StateClaim(folder.store)
        let wasLocked = claim.isLocked
        let meanwhile = SavedState(in: folder.store)

        let lock = await withCheckedContinuation { continuation in
            claim.whenLocked { continuation.resume(returning: $0) }
            first.close()
        }
        let store = StateStore(opening: folder.store, lock: lock, clock: SystemClock()) {
            [notices] in notices.add($0)
        }
        store.waitUntilOpen()

        #expect(!wasLocked && claim.isLocked)
        #expect(meanwhile?.record == record)
        #expect(meanwhile?.items(record.order.ids).map(\.source.path) == ["first"])
        #expect(store.record == record)
        #expect(notices.texts == [])
        #expect(StateLock.holder(in: folder.store) == Int(getpid()))
    }

    @Test func `A store keeps what it could not write until it can`() async throws {
        let file = try #require(fopen(folder.store, "w"))
        fclose(file)
        let clock = ManualClock()
        let store = folder.open(notices, clock: clock)

        store.keep(PlayerRecord([], at: CMTime(value: 7, timescale: 1)))
        await store.flush()
        #expect(store.trouble?.reason == "Not a directory")
        unlink(folder.store)
        clock.advance(by: 1)
        await notices.wait(for: 2)

        #expect(store.trouble == nil)
        #expect(notices.texts.last == "ended")
        store.close()
        #expect(folder.open().record?.position == CMTime(value: 7, timescale: 1))
    }

    @Test func `A store refuses edits while the disk is full, and continues when there is room`()
        throws
    {
        let memory = StoreMemory()
        var keeper = Keeper(path: folder.store, memory: memory, clock: SystemClock()) { [notices] in
            notices.add($0)
        }
        keeper.open()
        let first = memory.itemStore.add([QueueEntry("a")]).map(\.id)
        keeper.commit(PlayerRecord(first))
        try keeper.limitFile(toPages: 1)

        let many = memory.itemStore.add((1...2000).map { QueueEntry("number \($0)") }).map(\.id)
        let error = keeper.commit(PlayerRecord(first + many))
        keeper.perform(.keep(PlayerRecord(first, at: CMTime(value: 1, timescale: 1))))
        keeper.perform(.keep(PlayerRecord(first, at: CMTime(value: 2, timescale: 1))))
        #expect(memory.itemStore.forget(many))

        #expect(
            error?.description
                == "cannot keep the queue in \(folder.store): No space left on device")
        #expect(memory.itemStore.items(many).isEmpty)
        #expect(memory.itemStore.unsavedItems.isEmpty)
        #expect(memory.itemStore.items(first).map(\.source.path) == ["a"])

        try keeper.limitFile(toPages: 1_000_000)
        keeper.perform(.keep(PlayerRecord(first, at: CMTime(value: 3, timescale: 1))))

        #expect(notices.texts.first?.hasSuffix(": No space left on device") == true)
        #expect(keeper.file?.durable.record.position == CMTime(value: 3, timescale: 1))
        #expect(keeper.file?.durable.record.order.ids == first)
        #expect(memory.findings.withLock(\.trouble) == nil)
    }

    @Test func `A store makes a refused edit when asked again`() throws {
        let memory = StoreMemory()
        var keeper = Keeper(path: folder.store, memory: memory, clock: SystemClock()) { _ in }
        keeper.open()
        let many = memory.itemStore.add((1...2000).map { QueueEntry("number \($0)") }).map(\.id)
        try keeper.limitFile(toPages: 1)

        let first = keeper.commit(PlayerRecord(many))
        let second = keeper.commit(PlayerRecord(many))
        try keeper.limitFile(toPages: 1_000_000)
        let third = keeper.commit(PlayerRecord(many))

        #expect([first?.code, second?.code, third?.code] == [.diskFull, .diskFull, nil])
        #expect(memory.itemStore.items(many).count == 2000)
        #expect(memory.itemStore.unsavedItems.isEmpty)
    }

    @Test func `A store undoes an edit to the state before it, even if late`() throws {
        let memory = StoreMemory()
        var keeper = Keeper(path: folder.store, memory: memory, clock: SystemClock()) { _ in }
        keeper.open()
        let added = memory.itemStore.add(["a", "b", "c"].map { QueueEntry($0) }).map(\.id)
        keeper.commit(PlayerRecord(added))
        try keeper.limitFile(toPages: 1)
        let many = memory.itemStore.add((1...2000).map { QueueEntry("number \($0)") }).map(\.id)
        keeper.perform(.keep(PlayerRecord(Array(added[1...]) + many)))
        let wasKept = keeper.file?.durable.record.order.ids != added
        try keeper.limitFile(toPages: 1_000_000)

        keeper.commit(PlayerRecord([]))

        #expect(!wasKept)
        #expect(try keeper.file?.orderBeforeLastEdit()?.order.ids.first == added[1])
        #expect(try keeper.file?.orderBeforeLastEdit()?.order.ids.count == 2002)
    }

    @Test func `A store returns the contents of a file that cannot be written`() async throws {
        let first = folder.open()
        let added = first.add([QueueEntry("a"), QueueEntry("b")])
        try await first.commit(PlayerRecord(added), as: .edit("add"))
        first.close()
        // Makes the file unwritable for everybody.
        mkdir(folder.database + "-shm", 0o700)

        let store = folder.open(notices)

        #expect(store.trouble?.code == .readOnly)
        #expect(store.record?.order.ids == added)
        #expect(store.items(added).map(\.source.path) == ["a", "b"])
        rmdir(folder.database + "-shm")
        store.keep(CMTime(value: 3, timescale: 1), of: added[0])
        await store.flush()
        #expect(store.trouble == nil)
        #expect(store.items(added).map(\.source.path) == ["a", "b"])
        store.close()
        #expect(folder.open().record == PlayerRecord(added, at: CMTime(value: 3, timescale: 1)))
    }

    @Test(arguments: [1, Schema.version - 1, Schema.version + 1])
    func `A store leaves the file of another version alone`(version: Int) async throws {
        let first = folder.open()
        let record = PlayerRecord(first.add([QueueEntry("first")]))
        try await first.commit(record, as: .edit("add"))
        first.addToHistory(PlayedEntry(path: "first", title: "One", began: 1, seconds: 2))
        first.close()
        try folder.edit { try $0.execute("PRAGMA user_version = \(version)") }

        let store = folder.open(notices)
        let added = store.add([QueueEntry("second")])
        let error = await error { try await store.commit(PlayerRecord(added), as: .edit("add")) }
        store.keep(PlayerRecord(added))
        let history = await store.history(limit: 9)
        store.close()

        #expect(store.trouble?.code == .otherVersion)
        #expect(store.record == nil && history.isEmpty)
        #expect(error?.reason == "the file has version \(version), not \(Schema.version)")
        #expect(
            notices.texts == [
                "cannot keep the queue in \(folder.store): "
                    + "the file has version \(version), not \(Schema.version)"
            ])
        #expect(access(folder.database + ".damaged-1", F_OK) != 0)
        try folder.edit { try $0.execute("PRAGMA user_version = \(Schema.version)") }
        #expect(folder.open().record == record)
    }

    @Test func `A store refuses everything once it is closed`() async {
        let store = folder.open()
        store.close()

        let error = await error { try await store.commit(PlayerRecord([]), as: .edit("add")) }
        await store.flush()

        #expect(error?.reason == "the store is closed")
        #expect(store.stage([QueueEntry("a")]).count == 1)
    }

    @Test func `A store has files that only their owner can read`() {
        let store = folder.open()
        store.keep(PlayerRecord([], at: CMTime(value: 7, timescale: 1)))
        store.close()
        let later = folder.open()

        #expect(mode(folder.store) == 0o700)
        for name in ["", "-wal", "-shm"] { #expect(mode(folder.database + name) == 0o600) }
        #expect(mode(folder.store + "/lock") == 0o600)
        later.close()
    }

    private func mode(_ path: String) -> UInt32? {
        var information = stat()
        return unsafe stat(path, &information) == 0 ? information.st_mode & 0o777 : nil
    }

    private func error(_ body: () async throws -> Void) async -> QueueError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? QueueError
        }
    }
}

extension Keeper {
    /// Commits an edit and returns the error, if any.
    @discardableResult
    fileprivate mutating func commit(_ record: PlayerRecord) -> StoreTrouble? {
        do throws(StoreTrouble) {
            _ = try commit(record, as: .edit, key: nil)
            return nil
        } catch {
            return error
        }
    }

    fileprivate func limitFile(toPages count: Int) throws {
        try file?.database.execute("PRAGMA max_page_count = \(count)")
    }
}

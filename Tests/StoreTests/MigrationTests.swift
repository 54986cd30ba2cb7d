import Glibc
import Playback
import Testing

@testable import Store

@Suite struct `A file of the first version` {
    let folder = TemporaryFolder()
    let notices = Notices()

    /// What version 1 has written.
    private static let rows = [
        "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
        "INSERT INTO grdb_migrations VALUES ('1: queue, positions and history')",
        """
        INSERT INTO order_changes VALUES (
            1, 6648219397876588851, 0, 1, 'add to the queue', NULL, X'0001000002020200',
            X'000100020000', NULL, 0, 1, 8295810461175582659)
        """,
        """
        INSERT INTO state VALUES (
            1, 1, 6648219397876588851, 1, 0, 1000000000, 0, 0.300000011920928955, 0, 1.25, 'all',
            0, 0, 0, 'advance', 'off', 0.0, 1, 15.0, 2, 0, 7226361065556390463)
        """,
        "INSERT INTO items VALUES (1, 'one.mp3', NULL, NULL, NULL, NULL, NULL, 3310999042)",
        "INSERT INTO items VALUES (2, 'two.mp3', NULL, NULL, NULL, NULL, NULL, 1064211467)",
    ]

    private func makeFile(_ change: String = "") throws {
        mkdir(folder.store, 0o700)
        let db = try Database(folder.database, readOnly: false)
        try Schema.migrate(db, to: 1)
        for sql in Self.rows + [change] { try db.execute(sql) }
        db.close()
    }

    private func expectWhole(_ record: PlayerRecord?) {
        var settings = PlayerSettings()
        settings.volume = 0.3
        settings.rate = 1.25
        settings.modes.repeatMode = .all
        settings.resumesItems = true
        settings.skipBack = 15
        #expect(record?.settings == settings)
        #expect(record?.order == QueueOrder(ids: ids(1, 2), current: ItemID(1)))
        #expect(notices.all.isEmpty)
    }

    @Test func `is read, with the settings of a new player for what it does not know`() throws {
        try makeFile()

        let store = folder.open(notices)

        expectWhole(store.record)
        #expect(store.items(ids(1, 2)).map(\.source.path) == ["one.mp3", "two.mp3"])
    }

    @Test func `takes what the first version did not know`() async throws {
        try makeFile()
        let store = folder.open(notices)
        var record = try #require(store.record)
        record.settings.outputDevice = "usb"
        record.settings.unplugPolicy = .wait

        store.keep(record)
        await store.flush()
        store.close()

        #expect(folder.open(notices).record == record)
        #expect(notices.all.isEmpty)
    }

    @Test func `takes what its files say of themselves, and can be searched for it`() async throws {
        try makeFile()
        let store = folder.open(notices)
        let facts = ItemFacts(
            title: "Second Song", duration: CMTime(value: 9, timescale: 1), isDurationExact: true)

        store.learn(facts, of: ItemID(2))
        await store.flush()
        store.close()
        let again = folder.open(notices)

        #expect(again.items(ids(1, 2)).map(\.facts) == [nil, facts])
        #expect(await again.search(["second"], limit: 9) == ids(2))
        #expect(await again.search(["one"], limit: 9) == ids(1))
        #expect(notices.all.isEmpty)
    }

    @Test func `is read where it cannot be written`() throws {
        try makeFile()
        // Nobody can write who cannot have this file.
        mkdir(folder.database + "-shm", 0o700)

        let store = folder.open()

        #expect(store.trouble?.code == .readOnly)
        expectWhole(store.record)
    }

    @Test func `whose state is damaged is not taken for a sound one`() throws {
        try makeFile("UPDATE state SET volume = 0.5")

        let store = folder.open(notices)

        #expect(store.record?.settings == PlayerSettings())
        #expect(notices.all.count == 1)
    }
}

import Glibc
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongStore

@Suite struct `A file of an earlier version` {
    let folder = TemporaryFolder()
    let notices = Notices()

    private func makeFile(_ sql: [String] = EarlierFiles.first, _ change: String = "") throws {
        mkdir(folder.store, 0o700)
        try folder.edit { db in for sql in sql + [change] { try db.execute(sql) } }
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

    @Test func `is read, with default values for unknown settings`() throws {
        try makeFile()

        let store = folder.open(notices)

        expectWhole(store.record)
        #expect(store.items(ids(1, 2)).map(\.source.path) == ["one.mp3", "two.mp3"])
    }

    @Test func `accepts data that the first version did not have`() async throws {
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

    @Test func `accepts facts read from files, and can be searched for them`() async throws {
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

    @Test func `is read even if it cannot be written`() throws {
        try makeFile()
        // No new file can be made from it.
        mkdir(folder.database + ".new", 0o700)

        let store = folder.open()

        #expect(store.trouble?.reason == "Is a directory")
        expectWhole(store.record)
    }

    @Test func `with a damaged state is not taken for an intact one`() throws {
        try makeFile(EarlierFiles.first, "UPDATE state SET repeat_mode = 'some'")

        let store = folder.open(notices)

        #expect(store.record?.settings == PlayerSettings())
        #expect(store.record?.order.ids == ids(1, 2))
        #expect(
            notices.texts.map { $0.split(separator: ": ").last } == [
                "the last edits, the position and the settings, the undo history"
            ])
    }

    @Test func `of version 4 is read with its shuffled order, and accepts edits`()
        async throws
    {
        try makeFile(EarlierFiles.fourth)
        var settings = PlayerSettings()
        settings.volume = 0.3
        settings.rate = 1.25
        settings.modes.isShuffled = true
        settings.outputDevice = "usb"
        settings.unplugPolicy = .wait
        settings.inhibitsSleep = true
        settings.preamplification = 3.5
        let order = QueueOrder(ids: ids(1, 2, 3), original: ids(1, 2, 3), current: ItemID(1))

        let store = folder.open(notices)
        let record = try #require(store.record)
        let items = store.items(ids(1))
        try await store.commit(
            PlayerRecord(order: QueueOrder(), settings: settings), as: .edit("clear"))
        store.close()
        let later = folder.open(notices)

        #expect(record.settings == settings)
        #expect(record.order == order)
        #expect(items.map(\.facts?.title) == ["Slack Water"])
        #expect(later.record?.order.ids == [])
        #expect(try await later.orderBeforeLastEdit()?.order == order)
        #expect(later.add([QueueEntry("new")]) == ids(6))
        #expect(notices.all.isEmpty)
    }

    @Test func `of version 5 is read with all that it contains, and is kept beside the new one`()
        async throws
    {
        try makeFile(EarlierFiles.fifth)
        var settings = PlayerSettings()
        settings.volume = 0.3
        settings.rate = 1.25
        settings.modes.repeatMode = .all
        settings.modes.isShuffled = true
        settings.unplugPolicy = .wait
        let order = QueueOrder(ids: ids(1, 4, 2), original: ids(1, 2, 4), current: ItemID(1))
        let record = PlayerRecord(
            order: order, position: CMTime(value: 441, timescale: 44100), settings: settings)

        let store = folder.open(notices)
        let found = store.record
        let items = store.items(ids(1, 2, 4))
        let position = store.resumePosition(of: "one.mp3")
        let history = await store.history(limit: 9).map(\.path)
        store.close()

        #expect(found == record)
        #expect(
            items.map(\.source.path) == ["one.mp3", FilePath(bytes: [0x2F, 0xE9]), "four.mp3"])
        #expect(items[0].start == CMTime(value: 441, timescale: 44100))
        #expect(items[0].end == CMTime(value: 10, timescale: 1))
        #expect(items[0].facts?.duration == CMTime(value: 1_270_820, timescale: 44100))
        #expect(items.map(\.displayTitle) == ["Slack Water", "Two", "four.mp3"])
        #expect(position?.seconds == 61.5)
        #expect(history == ["four.mp3", "one.mp3"])
        #expect(folder.open(notices).record == record)
        #expect(access(folder.database + ".version-5-1", F_OK) == 0)
        #expect(notices.all.isEmpty)
    }

    @Test(arguments: [
        "DELETE FROM entries WHERE id = 4", "DELETE FROM state", "DROP TABLE entries",
    ])
    func `of version 5 that lacks rows is set aside`(sql: String) throws {
        try makeFile(EarlierFiles.fifth, sql)

        let order = folder.open(notices).record?.order

        #expect(notices.texts.count == 1)
        #expect([[], ids(1, 2), ids(1, 4, 2)].contains(order?.ids))
    }

    @Test(arguments: [
        "UPDATE order_parts SET ids = X'04020202'", "UPDATE order_parts SET token = 1",
        "DELETE FROM order_parts WHERE list = 0", "DELETE FROM order_parts",
        "UPDATE order_changes SET forward = backward WHERE sequence = 2001",
        "UPDATE order_changes SET previous = 1 WHERE sequence = 2001",
        "DELETE FROM order_changes WHERE sequence = 2001", "DELETE FROM state",
        "UPDATE state SET token = 1", "UPDATE state SET unplug_policy = 'some'",
    ])
    func `of version 4 with altered rows is set aside`(
        sql: String
    ) throws {
        try makeFile(EarlierFiles.fourth, sql)

        let order = folder.open(notices).record?.order

        #expect(notices.texts.count == 1)
        #expect([[], ids(1, 2, 4, 3), ids(1, 2, 3)].contains(order?.ids))
    }
}

import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongPlayback

/// Edits that have to be durable before they are applied, and what is saved otherwise.
@Suite(.timeLimit(.minutes(2))) struct `A session with a store` {
    @Test func `A session with a store applies an edit once it is durable, and not before`()
        async throws
    {
        let (store, session) = Self.session()
        let ids = store.add([QueueEntry(.file(path: "/a")), QueueEntry(.file(path: "/b"))])
        store.holdsCommits(true)

        async let edit: Void = session.commit(.insert(ids, .end, seed: 1), as: "add to the queue")
        await store.nextCommit()
        let before = await session.page(offset: 0, limit: 9).count
        store.holdsCommits(false)
        try await edit
        let after = await session.page(offset: 0, limit: 9)

        #expect(before == 0)
        #expect(after.items.map(\.source.path) == ["/a", "/b"])
        #expect(store.records.first?.order.ids == ids)
    }

    @Test func `A session refuses an edit that the store does not accept, and changes nothing`()
        async throws
    {
        let (store, session) = Self.session()
        let ids = store.add([QueueEntry(.file(path: "/a"))])
        try await session.commit(.insert(ids, .end, seed: 1), as: "add to the queue")
        let full = QueueError(.notDurable, operation: "clear the queue", reason: "the disk is full")
        store.refuse(full)

        await #expect(throws: full) {
            try await session.commit(.removeAll, as: "clear the queue")
        }

        #expect(await session.page(offset: 0, limit: 9).items.map(\.id) == ids)
    }

    @Test func `A session applies edits one at a time, each to the result of the previous one`()
        async throws
    {
        let (store, session) = Self.session()
        let ids = store.add((1...20).map { QueueEntry(.file(path: "/\($0)")) })

        try await withThrowingTaskGroup { group in
            for id in ids {
                group.addTask { try await session.commit(.insert([id], .end, seed: 1), as: "add") }
            }
            try await group.waitForAll()
        }

        let counts = store.commits.map(\.order.ids.count)
        #expect(counts == Array(1...20))
        #expect(await session.page(offset: 0, limit: 99).items.map(\.id).sorted() == ids)
    }

    @Test func `A session undoes an edit, and returns to its position if its item was gone`()
        async throws
    {
        let (store, session) = Self.session()
        let ids = store.add([QueueEntry(.file(path: Self.song)), QueueEntry(.file(path: "/b"))])
        try await session.commit(.insert(ids, .end, seed: 1), as: "add")
        await session.player.seek(to: CMTime(value: 5, timescale: 1))
        try await session.commit(.removeAll, as: "clear the queue")
        let cleared = await session.page(offset: 0, limit: 9).count

        try await session.undo()
        let page = await session.page(offset: 0, limit: 9)

        #expect(cleared == 0)
        #expect(page.items.map(\.id) == ids && page.current == ids[0].number)
        #expect(await session.player.currentTime == CMTime(value: 5, timescale: 1))
        #expect(store.kinds.last == .undo)
    }

    @Test func `A session redoes edits that were undone, in the opposite order`() async throws {
        let (store, session) = Self.session()
        let ids = store.add((1...3).map { QueueEntry(.file(path: "/\($0)")) })
        for id in ids { try await session.commit(.insert([id], .end, seed: 1), as: "add") }
        try await session.undo()
        try await session.undo()
        let held = Set(store.heldItems)

        try await session.redo()
        let once = await session.order.ids
        try await session.redo()
        let twice = await session.order.ids
        try await session.undo()

        #expect(held == Set(ids))
        #expect(once == Array(ids[..<2]) && twice == ids)
        #expect(await session.order.ids == Array(ids[..<2]))
        try await session.redo()
        #expect(store.heldItems.isEmpty)
        #expect(store.kinds.last == .edit("redo"))
    }

    @Test func `A session cannot redo an edit after another one`() async throws {
        let (store, session) = Self.session()
        let ids = store.add((1...2).map { QueueEntry(.file(path: "/\($0)")) })
        try await session.commit(.insert([ids[0]], .end, seed: 1), as: "add")
        try await session.undo()
        try await session.commit(.insert([ids[1]], .end, seed: 1), as: "add")

        await #expect(
            throws: QueueError(
                .nothingToRedo, operation: "redo", reason: "there is no undone edit to redo")
        ) { try await session.redo() }
        #expect(await session.order.ids == [ids[1]])
        #expect(store.heldItems.isEmpty)
    }

    @Test func `A session reports that there is nothing to undo`() async throws {
        let (_, session) = Self.session()

        await #expect(
            throws: QueueError(
                .nothingToUndo, operation: "undo", reason: "there is no edit to undo")
        ) { try await session.undo() }
    }

    @Test func `A session with a store starts paused at the position of its record`() async throws {
        let store = MemoryQueueStore()
        let ids = store.add([QueueEntry(.file(path: "/a")), QueueEntry(.file(path: Self.song))])
        var settings = PlayerSettings()
        settings.volume = 0.5
        settings.modes.isShuffled = true
        let order = QueueOrder(ids: ids, original: ids.reversed(), current: ids[1])

        let (_, session) = Self.session(
            store,
            PlayerRecord(
                order: order, position: CMTime(value: 7, timescale: 2), wantsPlayback: true,
                settings: settings))
        let report = await session.report

        #expect(report.status == .paused(.userPaused) && !report.player.wantsPlayback)
        #expect(report.current?.id == ids[1] && report.player.place == 1)
        #expect(report.position == CMTime(value: 7, timescale: 2))
        #expect(report.settings == settings)
        await session.flush()
        #expect(store.records.last?.order == order)
    }

    @Test func `A session saves the position at a seek, a jump and a change of settings`()
        async throws
    {
        let (store, session) = Self.session()
        let ids = store.add([
            QueueEntry(.file(path: Self.song)), QueueEntry(.file(path: Self.song)),
        ])
        try await session.commit(.insert(ids, .end, seed: 1), as: "add")

        await session.player.seek(to: CMTime(value: 3, timescale: 1))
        let sought = store.records.last
        try await session.player.jump(to: ids[1])
        let jumped = store.records.last
        await session.player.set { $0.modes.repeatMode = .all }

        #expect(sought?.position == CMTime(value: 3, timescale: 1))
        #expect(jumped?.order.current == ids[1] && jumped?.position == .zero)
        #expect(store.records.last?.settings.modes.repeatMode == .all)
    }

    @Test func `A session keeps the intent to play on record when the process ends, not the user`()
        async throws
    {
        let (store, session) = Self.session()
        let ids = store.add([QueueEntry(.file(path: Self.song))])
        try await session.commit(.insert(ids, .end, seed: 1), as: "add")
        await session.player.play()

        await session.willStop()
        await session.halt()
        await session.stop()

        #expect(store.records.last?.wantsPlayback == true)
    }

    private static let song = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Resources/Demo/01 Slack Water.mp3").path

    private static func session(
        _ store: MemoryQueueStore = MemoryQueueStore(), _ record: PlayerRecord? = nil
    ) -> (MemoryQueueStore, AudioSession) {
        var configuration = SessionConfiguration(output: .null, endsWithQueue: false)
        configuration.store = store
        configuration.record = record
        let session = AudioSession(configuration)
        Task(executorPreference: session.executor) { await session.run() }
        return (store, session)
    }
}

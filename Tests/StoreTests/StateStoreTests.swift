import TestSupport
import Testing
import UndersongBase
import UndersongPlayback
import UndersongStore

@Suite struct `A state store` {
    let folder = TemporaryFolder()

    @Test func `A state store has no record if it is new`() {
        let store = folder.open()

        #expect(store.record == nil)
        #expect(store.trouble == nil)
    }

    @Test func `A state store keeps paths that are not UTF-8, with their positions and history`()
        async throws
    {
        let store = folder.open()
        let path = FilePath(bytes: [0x2F, 0xE9])
        let position = ResumePoint(
            seconds: 60, duration: 1800, isFinished: false, lastPlayed: 1)
        let entry = PlayedEntry(path: path, title: "One", began: 1, seconds: 2)
        let added = store.add([QueueEntry(.file(path: path)), QueueEntry(.file(path: #"/\xe9"#))])
        store.keepPosition(position, of: path)
        store.addToHistory(entry)
        try await store.commit(
            PlayerRecord(order: QueueOrder(ids: added, current: added[0])), as: .edit("add"))
        store.close()

        let later = folder.open()

        #expect(
            later.items(added).map(\.source) == [.file(path: path), .file(path: #"/\xe9"#)])
        #expect(later.resumePosition(of: path) == position)
        #expect(later.resumePosition(of: #"/\xe9"#) == nil)
        #expect(await later.history(limit: 9) == [entry])
        #expect(await later.search(.text(nil, .contains, "xe9"), limit: 9) == added)
    }

    @Test func `A state store returns the last committed record with its items`() async throws {
        let store = folder.open()
        let added = store.add([
            QueueEntry(
                .file(path: "/music/ä.mp3"), start: CMTime(value: 441, timescale: 44100),
                end: CMTime(value: 10, timescale: 1), title: "A\0B"),
            QueueEntry(.standardInput),
        ])
        var settings = PlayerSettings()
        settings.volume = 0.3
        settings.isMuted = true
        settings.rate = 1.25
        settings.crossfade = 5
        settings.outputDevice = "alsa_output.usb-\u{e4}"
        settings.unplugPolicy = .follow
        settings.mixing = .interruptSpoken
        settings.inhibition = .sleep
        settings.replayGain = .album
        settings.modes = PlaybackModes(
            repeatMode: .all, isSingle: true, isConsuming: true, itemEndAction: .pause)
        let record = PlayerRecord(
            order: QueueOrder(ids: added, current: added[1]),
            position: CMTime(value: 123_457, timescale: 44100), wantsPlayback: true,
            settings: settings)

        try await store.commit(record, as: .edit("add"))
        let items = store.items(added)
        store.close()
        let later = folder.open()

        #expect(later.record == record)
        #expect(later.items(added) == items)
        #expect(later.items(added).map(\.title) == ["A\0B", nil])
        #expect(later.items(added).map(\.source) == [.file(path: "/music/ä.mp3"), .standardInput])
        #expect(later.items(added)[0].start == CMTime(value: 441, timescale: 44100))
        #expect(later.items(added)[0].end == CMTime(value: 10, timescale: 1))
    }

    @Test func `A state store returns every setting`() async {
        let store = folder.open()
        var record = PlayerRecord()
        record.settings = .other

        store.keep(record)
        await store.flush()
        store.close()

        #expect(folder.open().record?.settings == .other)
    }

    @Test func `A state store never assigns an id twice`() async throws {
        let store = folder.open()
        let first = store.add([QueueEntry("a"), QueueEntry("b")])
        try await store.commit(PlayerRecord(first), as: .edit("add"))
        try await store.commit(PlayerRecord([]), as: .edit("clear"))
        store.close()

        let later = folder.open()

        #expect(first == ids(1, 2))
        #expect(later.add([QueueEntry("c")]) == ids(3))
    }

    @Test func `A state store keeps the last of many records, and a later position of its item`()
        async
    {
        let store = folder.open()
        let added = store.add([QueueEntry("a"), QueueEntry("b")])

        for second in 1...100 {
            store.keep(PlayerRecord(added, at: CMTime(value: Int64(second), timescale: 1)))
        }
        store.keep(CMTime(value: 205, timescale: 2), of: added[0])
        store.keep(CMTime(value: 999, timescale: 1), of: added[1])
        await store.flush()
        store.close()

        #expect(
            folder.open().record == PlayerRecord(added, at: CMTime(value: 205, timescale: 2)))
    }

    @Test func `A state store returns the order after each of its edits`() async throws {
        var store = folder.open()
        let added = store.add((1...40).map { QueueEntry("\($0)") })
        let changes: [QueueChange] = [
            .insert(Array(added[..<30]), .end, seed: 0), .move(ItemID(3), after: ItemID(20)),
            .move(ItemID(29), after: nil), .remove([ItemID(5), ItemID(9), ItemID(30)]),
            .remove([ItemID(1)]), .removeAll,
        ]
        var queue = PlaybackQueue(itemStore: store)

        for change in changes {
            try queue.apply(change)
            try await store.commit(PlayerRecord(order: queue.order), as: .edit("edit"))
            store.close()
            store = folder.open()

            #expect(store.trouble == nil)
            #expect(store.record?.order == queue.order)
        }
    }

    @Test func `A state store returns both orders of a shuffled queue`() async throws {
        let store = folder.open()
        var queue = PlaybackQueue(itemStore: store)
        var generator = SeededGenerator(seed: 1)
        queue.append((1...100).map { QueueEntry("\($0)") })
        try await store.commit(PlayerRecord(order: queue.order), as: .edit("add"))
        queue.setShuffled(true, using: &generator)

        store.keep(PlayerRecord(order: queue.order))
        store.close()

        let order = try #require(folder.open().record?.order)
        #expect(order == queue.order)
        #expect(order.original == added(100))
        #expect(order.ids != added(100))
    }

    @Test func `A state store returns items that were staged and then committed`() async throws {
        let store = folder.open()
        let batches = (0..<5).map { batch in (1...100).map { QueueEntry("\(batch)/\($0)") } }

        let staged = batches.flatMap { store.stage($0) }
        try await store.commit(PlayerRecord(staged), as: .edit("add"))
        store.close()

        let later = folder.open()
        #expect(staged == added(500))
        #expect(later.record?.order.ids == added(500))
        #expect(later.items([ItemID(401)]).map(\.source.path) == ["4/1"])
    }

    @Test func `A state store undoes edits one by one, even after it was reopened`() async throws {
        var store = folder.open()
        let added = store.add(["a", "b", "c", "d"].map { QueueEntry($0) })
        let orders = [ids(1, 2), ids(1, 2, 3, 4), ids(1, 3, 2, 4), []]
        for (second, order) in orders.enumerated() {
            try await store.commit(
                PlayerRecord(order, at: CMTime(value: Int64(second), timescale: 1)),
                as: .edit("edit"))
        }

        var found: [[ItemID]] = []
        while let (order, position) = try await store.orderBeforeLastEdit() {
            found.append(order.ids)
            if !order.ids.isEmpty {
                #expect(position == CMTime(value: Int64(3 - found.count), timescale: 1))
                #expect(order.current == added[0])
            }
            try await store.commit(PlayerRecord(order: order, position: position), as: .undo)
            store.close()
            store = folder.open()
            #expect(store.record?.order == order)
        }

        #expect(found == [ids(1, 3, 2, 4), ids(1, 2, 3, 4), ids(1, 2), []])
    }

    @Test func `A state store does not bring back what was consumed since the edit`() async throws {
        let store = folder.open()
        let added = store.add(["a", "b", "c", "d", "e"].map { QueueEntry($0) })
        try await store.commit(PlayerRecord(Array(added[..<4])), as: .edit("add"))
        try await store.commit(PlayerRecord(ids(1, 2, 4, 5)), as: .edit("replace 3 by 5"))
        store.keep(PlayerRecord(ids(2, 4, 5)))
        store.keep(PlayerRecord(ids(4, 5)))

        let found = try await store.orderBeforeLastEdit()

        #expect(found?.order == QueueOrder(ids: ids(3, 4), current: ItemID(3)))
        #expect(found?.position == .zero)
    }

    private func added(_ count: Int) -> [ItemID] { (1...count).map { ItemID($0) } }
}

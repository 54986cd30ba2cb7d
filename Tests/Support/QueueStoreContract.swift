internal import Synchronization
package import Testing
package import UndersongPlayback

/// Expects of a store, which is new, what the port says. `reopen` closes a store and opens it again:
/// it returns the new one and the record that was durable.
package func expectQueueStoreContract<Store: QueueStore>(
    of new: Store, reopen: @escaping (Store) async -> (Store, PlayerRecord?),
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    var contract = QueueStoreContract(store: new, reopen: reopen, location: sourceLocation)
    contract.givesItemsBack()
    contract.neverGivesAnIDAgain()
    contract.changesItems()
    try await contract.makesCommitsDurable()
    await contract.keepsTheLastRecord()
    await contract.searches()
    await contract.passesEveryItem()
    try await contract.takesEditsBack()
    try await contract.leavesOutWhatWasConsumed()
    try await contract.makesAnEditWithAKeyOnce()
}

/// One store on its way through the contract, each step on what the last one has left.
private struct QueueStoreContract<Store: QueueStore> {
    var store: Store
    let reopen: (Store) async -> (Store, PlayerRecord?)
    let location: SourceLocation
    /// The first items that it gets.
    private var ids: [ItemID] = []

    init(
        store: Store, reopen: @escaping (Store) async -> (Store, PlayerRecord?),
        location: SourceLocation
    ) {
        self.store = store
        self.reopen = reopen
        self.location = location
    }

    private func expect(_ isSo: Bool, _ what: Comment) {
        #expect(isSo, what, sourceLocation: location)
    }

    private mutating func reopened() async -> PlayerRecord? {
        let (other, record) = await reopen(store)
        store = other
        return record
    }

    private static func entry(_ name: String) -> QueueEntry { .init(.file(path: "/music/\(name)")) }

    private static func time(_ seconds: Int64) -> CMTime { CMTime(value: seconds, timescale: 1) }

    private func record(
        _ ids: [ItemID], at seconds: Int64 = 0, current: ItemID? = nil
    ) -> PlayerRecord {
        PlayerRecord(
            order: QueueOrder(ids: ids, current: current ?? ids.first),
            position: Self.time(seconds))
    }

    // MARK: Items

    mutating func givesItemsBack() {
        let entries = [
            QueueEntry(
                .file(path: "/music/a.mp3"), start: Self.time(2), end: Self.time(9),
                title: "Ä title"),
            QueueEntry(.standardInput), Self.entry("c.mp3"), Self.entry("d.mp3"),
        ]
        ids = store.add(Array(entries[..<3])) + store.stage(Array(entries[3...]))
        let items = store.items([ids[3], ids[0], ids[1]])

        expect(ids.count == 4, "an id is given to each entry")
        expect(items.map(\.id) == [ids[3], ids[0], ids[1]], "items come in the order asked for")
        expect(
            items == [3, 0, 1].map { QueueItem(id: ids[$0], entries[$0]) },
            "items are what the entries were")
        expect(
            store.items([ItemID(ids[3].number + 1000), ids[2]]).map(\.id) == [ids[2]],
            "what it does not know is left out")
        expect(store.add([]).isEmpty && store.items([]).isEmpty, "nothing gives nothing")
    }

    mutating func neverGivesAnIDAgain() {
        let numbers = ids.map(\.number)
        let lost = store.add([Self.entry("lost")])
        store.forget(lost)
        let next = store.add([Self.entry("next")])
        let own = QueueItem(id: ItemID(next[0].number + 10), Self.entry("own"))
        store.add(own)
        let last = store.add([Self.entry("last")])

        expect(numbers == Array(numbers[0]..<numbers[0] + 4), "ids follow one another")
        expect(next[0] > lost[0] && lost[0] > ids[3], "an id is not given again")
        expect(store.items([own.id]) == [own], "an item keeps the id that it has")
        expect(last[0] > own.id, "ids continue from the highest")
    }

    mutating func changesItems() {
        let facts = ItemFacts(title: "Known", duration: Self.time(60), isDurationExact: true)
        store.setRange(of: ids[0], start: .zero, end: nil)
        store.learn(facts, of: ids[2])

        let items = store.items([ids[0], ids[2]])
        expect(items.first?.start == .zero && items.first?.end == nil, "a range is set")
        expect(items.last?.facts == facts, "what a file says is kept with the item")
    }

    // MARK: Records

    mutating func makesCommitsDurable() async throws {
        let isNew = try await store.orderBeforeLastEdit() == nil
        var record = record(ids, at: 7, current: ids[2])
        record.wantsPlayback = true
        record.settings.volume = 0.25
        record.settings.modes.repeatMode = .all
        record.order.original = ids.reversed()
        try await store.commit(record, as: .edit("add"))
        let items = store.items(ids)
        let durable = await reopened()

        expect(isNew, "a new store has no edit to take back")
        expect(durable == record, "a commit is durable when it returns")
        expect(store.items(ids) == items, "its items are durable with it")
        expect(items.count == 4 && items[2].facts?.title == "Known", "with what is known of them")
    }

    mutating func keepsTheLastRecord() async {
        for second in 1...50 { store.keep(record(ids, at: Int64(second))) }
        store.keep(Self.time(99), of: ids[0])
        store.keep(Self.time(11), of: ids[1])
        await store.flush()
        let durable = await reopened()

        expect(durable == record(ids, at: 99), "the last record, and its current item's position")
    }

    func searches() async {
        func word(_ text: String) -> ItemCondition { .text(nil, .contains, text) }
        expect(
            await store.search(.all([word("music"), word("mp3")]), limit: 9) == [
                ids[0], ids[2], ids[3],
            ],
            "all words in any case, in the order of the queue")
        expect(await store.search(word("known"), limit: 9) == [ids[2]], "in what the file says too")
        expect(
            await store.search(.all([word("title"), word("a.mp3")]), limit: 9) == [ids[0]],
            "in both together")
        expect(await store.search(word("music"), limit: 2).count == 2, "as many as asked for")
        expect(await store.search(word("music"), limit: 0).isEmpty, "none where none is asked for")
        expect(await store.search(word("nowhere"), limit: 9).isEmpty, "none where there is none")
    }

    func passesEveryItem() async {
        let found = Mutex<[ItemID: QueueItem]>([:])
        let isTwice = Mutex(false)
        let isWhole = await store.forEachItem { item in
            let earlier = found.withLock { $0.updateValue(item, forKey: item.id) }
            if earlier != nil { isTwice.withLock { $0 = true } }
        }

        expect(
            store.items(ids).allSatisfy { item in found.withLock { $0[item.id] == item } },
            "each item as it is now")
        expect(!isTwice.withLock { $0 }, "each once")
        expect(isWhole, "all of them")
    }

    // MARK: Edits

    mutating func takesEditsBack() async throws {
        let (few, other) = ([ids[1], ids[3]], [ids[3], ids[1]])
        try await store.commit(record(few, at: 3), as: .edit("remove"))
        try await store.commit(record(other, at: 4), as: .edit("move"))
        try await store.commit(record([]), as: .edit("clear"))
        store.forget(ids)

        for (order, seconds) in [(other, 4), (few, 3), (ids, 99)] as [([ItemID], Int64)] {
            let before = try await store.orderBeforeLastEdit()
            expect(before?.order.ids == order, "edits are taken back, the last one first")
            expect(before?.order.current == order.first, "with what was current")
            expect(before?.position == Self.time(seconds), "and its position")
            expect(store.items(order).map(\.id) == order, "and its items")
            guard let before else { return }
            try await store.commit(
                PlayerRecord(order: before.order, position: before.position), as: .undo)
            let durable = await reopened()
            expect(durable?.order == before.order, "to take one back is durable")
        }
    }

    mutating func leavesOutWhatWasConsumed() async throws {
        try await store.commit(record([ids[0], ids[1], ids[2]], at: 5), as: .edit("remove"))
        store.keep(record([ids[1], ids[2]]))
        store.keep(record([ids[2]]))

        let before = try await store.orderBeforeLastEdit()

        expect(before?.order.ids == [ids[2], ids[3]], "what was consumed since stays away")
        expect(before?.order.current == ids[2], "what comes after it is current")
        expect(before?.position == .zero, "from its beginning")
    }

    mutating func makesAnEditWithAKeyOnce() async throws {
        let new = store.add([Self.entry("once.mp3"), Self.entry("twice.mp3")])
        let first = record([new[0]])
        try await store.commit(first, as: .edit("add", key: "one"))
        let earlier = await reopened()
        var code: QueueError.Code?
        do {
            try await store.commit(record(new), as: .edit("add", key: "one"))
        } catch {
            code = error.code
        }
        let unchanged = await reopened()
        try await store.commit(record([]), as: .edit("clear", key: "two"))
        let changed = await reopened()

        expect(earlier == first, "an edit with a key is durable like others")
        expect(code == .alreadyDone, "it is made only once, also by a later process")
        expect(unchanged == first, "the second time nothing changes")
        expect(changed?.order.ids == [], "another key is another edit")
    }
}

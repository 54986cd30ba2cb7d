import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongStore

private let child = KilledProcess(
    test: "A child process keeps records until it is killed", variable: "UNDERSONG_RECORD_CHILD",
    words: ["kept"])
private let childFolder = KilledProcess.folder(child.variable)
private let kills = KilledProcess.count("UNDERSONG_RECORD_KILLS")

/// A value of a feature.
private struct Thing: Codable, Hashable {
    var name: String
    var amount = 0.0
    var count = 0
    var note: String?
}

@Suite(.timeLimit(.minutes(5))) struct `Records in the store` {
    private let folder = TemporaryFolder()
    private let notices = Notices()

    private func keep(
        _ values: [String: Thing], in namespace: String = "things", on store: StateStore
    ) async throws {
        let changes = try values.map { try RecordChange.keep($1, in: namespace, as: $0) }
        try await store.keep(changes, isDurable: true)
    }

    private func things(of store: StateStore, in namespace: String = "things") async
        -> [String: Thing]
    {
        let records = await store.records(Thing.self, in: namespace)
        return Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0.value) })
    }

    @Test func `Records are there for the next service, as they were`() async throws {
        let store = folder.open(notices)
        let values = [
            "a": Thing(name: "\u{0}ü\u{1F600}\"/\n", amount: 0.1 + 0.2, count: .max),
            "b": Thing(name: "", amount: -1e300, count: .min, note: "n"),
        ]
        try await keep(values, on: store)
        try await keep(["a": Thing(name: "other")], in: "others", on: store)
        store.close()

        let later = folder.open(notices)

        #expect(await things(of: later) == values)
        #expect(await things(of: later, in: "others") == ["a": Thing(name: "other")])
        #expect(await things(of: later, in: "none").isEmpty)
        #expect(notices.all.isEmpty)
    }

    @Test func `Records are replaced and removed by their keys`() async throws {
        let store = folder.open(notices)
        try await keep(["a": Thing(name: "1"), "b": Thing(name: "2")], on: store)
        try await keep(["a": Thing(name: "1")], in: "others", on: store)

        try await store.keep(
            [
                .remove(namespace: "things", key: "a"),
                .keep(Thing(name: "3"), in: "things", as: "b"),
                .remove(namespace: "things", key: "unknown"),
            ], isDurable: false)

        #expect(await things(of: store) == ["b": Thing(name: "3")])
        #expect(await things(of: store, in: "others").count == 1)
    }

    @Test func `Records are in the order of their keys, which numbers can be`() async throws {
        let store = folder.open(notices)
        let numbers = [10, 9, 0, 100_000, .max, 2]
        try await store.keep(
            numbers.map { try .keep($0, in: "numbers", as: RecordChange.key($0)) },
            isDurable: true)

        let records = await store.records(Int.self, in: "numbers")

        #expect(records.map(\.value) == numbers.sorted())
    }

    @Test func `Intact records are returned without damaged ones, and the damage is reported`()
        async throws
    {
        let store = folder.open(notices)
        try await keep(
            ["a": Thing(name: "1"), "b": Thing(name: "2"), "c": Thing(name: "3")], on: store)
        try await store.keep([.keep("no thing", in: "things", as: "d")], isDurable: true)
        store.close()
        try folder.edit {
            try $0.execute("UPDATE records SET value = replace(value, '1', '7') WHERE key = 'a'")
            try $0.execute("UPDATE records SET key = 'e' WHERE key = 'b'")
        }

        let found = await things(of: folder.open(notices))

        #expect(found == ["c": Thing(name: "3")])
        #expect(notices.texts == ["left out: 3 of 4 records of things"])
    }

    @Test func `Records are refused while the disk is full, all or none`() throws {
        let memory = StoreMemory()
        var keeper = Keeper(path: folder.store, memory: memory, clock: SystemClock()) { [notices] in
            notices.add($0)
        }
        keeper.open()
        try keeper.save([.keep(1, in: "numbers", as: "a"), .keep(1, in: "numbers", as: "b")])
        try keeper.file?.database.execute("PRAGMA max_page_count = 1")

        let large = String(repeating: "x", count: 1 << 20)
        #expect(throws: StoreTrouble.self) {
            try keeper.save([.keep(2, in: "numbers", as: "a"), .keep(large, in: "texts", as: "b")])
        }
        let kept = try keeper.attempt { try RecordTable(db: $0.database).rows(in: "numbers") }
        try keeper.file?.database.execute("PRAGMA max_page_count = 1000000")
        try keeper.save([.keep(3, in: "numbers", as: "a")])

        #expect(kept.map(\.json) == ["1", "1"])
        #expect(notices.texts.first?.hasSuffix(": No space left on device") == true)
        #expect(notices.texts.last == "ended")
        let now = try keeper.attempt { try RecordTable(db: $0.database).rows(in: "numbers") }
        #expect(now.map(\.json) == ["3", "1"])
    }

    @Test func `Records are refused without a place for them`() async throws {
        let store = StateStore(folder: nil, clock: SystemClock()) { _ in }

        let error = await #expect(throws: QueueError.self) {
            try await store.keep([.remove(namespace: "things", key: "a")], isDurable: true)
        }

        #expect(
            error?.description == "cannot keep the records of things: there is no folder for it")
        #expect(await things(of: store).isEmpty)
    }

    // MARK: Kill

    @Test(.disabled(if: childFolder != nil))
    func `Records are whole after a kill, with all that was acknowledged`() async throws {
        var (count, last) = (0, 0)
        for kill in 1...kills {
            let lines = try child.run(in: folder.store, upTo: Int.random(in: 1...60))

            let store = folder.open(notices)
            let numbers = await store.records(Int.self, in: "numbers").map(\.value)
            #expect(store.trouble == nil)
            store.close()
            // All records of one change: the last one acknowledged, or the one under way.
            let acknowledged = lines.compactMap { Int($0.dropFirst(5)) }.max() ?? last
            last = numbers.first ?? 0
            #expect(numbers == (last == 0 ? [] : [last, last, last]), "kill \(kill)")
            #expect(last == acknowledged || last == acknowledged + 1, "kill \(kill)")
            count += lines.count
        }
        #expect(count > kills && notices.all.isEmpty)
    }

    /// The process to be killed. It reports on standard error what is kept.
    @Test(.enabled(if: childFolder != nil))
    func `A child process keeps records until it is killed`() async throws {
        let store = StateStore(folder: childFolder, clock: SystemClock()) { _ in }
        var number = await store.records(Int.self, in: "numbers").first?.value ?? 0
        while true {
            number += 1
            let changes = try ["a", "b", "c"].map {
                try RecordChange.keep(number, in: "numbers", as: $0)
            }
            try await store.keep(changes, isDurable: number % 2 == 0)
            KilledProcess.report("kept \(number)")
        }
    }
}

extension Keeper {
    fileprivate mutating func save(_ changes: [RecordChange]) throws {
        try attempt { file in
            try file.write { db in for change in changes { try RecordTable(db: db).write(change) } }
        }
    }
}

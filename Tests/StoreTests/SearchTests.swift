import Glibc
import TestSupport
import Testing
import UndersongBase
import UndersongLibrary
import UndersongPlayback

@testable import UndersongStore

/// Searches after the first one, which has read the whole file.
@Suite struct `A search` {
    let folder = TemporaryFolder()

    private func makeStore(_ paths: [String]) async throws -> (StateStore, [ItemID]) {
        let store = folder.open()
        let ids = store.add(paths.map { QueueEntry($0) })
        try await store.commit(PlayerRecord(ids), as: .edit("add"))
        await store.flush()
        return (store, ids)
    }

    @Test func `A search does not read again what has not changed`() async throws {
        let (store, ids) = try await makeStore(["/Ärger/Blue.mp3", "/Night Train.mp3"])

        let first = try await store.find("blue")
        rename(folder.database, folder.database + ".gone")
        let second = try await store.find("ärGER blue")
        let third = try await store.find("train")

        #expect(first == [ids[0]] && second == [ids[0]] && third == [ids[1]])
    }

    @Test func `A search finds words in one item only, and not across its texts`() async throws {
        let (store, ids) = try await makeStore(["/a/one.mp3", "/a/two.mp3", "/b/one two.mp3"])

        #expect(try await store.find("one two") == [ids[2]])
        #expect(try await store.find("mp3/") == [])
        #expect(try await store.find("mp3") == ids)
        #expect(try await store.find("a/ one") == [ids[0]])
    }

    @Test(arguments: [
        ("bjork", "/Björk/Jóga.mp3"), ("JOGA", "/Björk/Jóga.mp3"), ("olafur", "/Ólafur.mp3"),
        ("jo\u{301}ga", "/Björk/J\u{F3}ga.mp3"), ("maersk", "/Mærsk.mp3"), ("weiss", "/Weiß.mp3"),
        ("lodz", "/Łódź.mp3"), ("björk", "/Bjork.mp3"), ("дом", "/ДОМ.mp3"),
    ])
    func `A search finds words without the diacritics of a text, or with others`(
        word: String, path: String
    ) async throws {
        let (store, ids) = try await makeStore([path, "/other.mp3"])
        let unsaved = store.add([QueueEntry(path)])
        try await store.commit(PlayerRecord(ids + unsaved), as: .edit("add"))

        #expect(try await store.find("\"\(word)\"") == [ids[0]] + unsaved)
    }

    @Test func `A search finds a word with the name of a field only there`() async throws {
        let (store, ids) = try await makeStore(["/blue.mp3", "/2.mp3", "/3.mp3", "/4.mp3"])
        let facts = [
            ItemFacts(title: "Green", artist: "Red", album: "Red Album"),
            ItemFacts(title: "Blue", artist: "Björk", album: "Debut"),
            ItemFacts(title: "Red", artist: "Blue", album: "Björk"),
            ItemFacts(title: "Ratio 16:9", artist: "Green"),
        ]
        // First while nothing of it is written, and then from the file.
        for (id, facts) in zip(ids, facts) { store.learn(facts, of: id) }
        for _ in 1...2 {
            #expect(try await store.find("blue") == Array(ids[0...2]))
            #expect(try await store.find("title:blue") == [ids[1]])
            #expect(try await store.find("Artist:bjork") == [ids[1]])
            #expect(try await store.find("album:bjork") == [ids[2]])
            #expect(try await store.find("album:\"red album\" title:green") == [ids[0]])
            #expect(try await store.find("artist:red title:red") == [])
            #expect(try await store.find("artist:\"\"") == ids)
            #expect(try await store.find("16:9") == [ids[3]])
            await store.flush()
        }
    }

    @Test(.rule("LQ7")) func `A search in the queue has the language of the library`() async throws
    {
        let (store, ids) = try await makeStore(["/a/1.mp3", "/a/2.mp3", "/b/3.mp3", "/b/4.mp3"])
        let facts = [
            ItemFacts(title: "Jóga", artist: "Björk", album: "Homogenic"),
            ItemFacts(title: "Jóga (live)", artist: "Björk", album: "Vessel"),
            ItemFacts(title: "Army of Me", artist: "Björk Tribute"),
        ]
        for (id, facts) in zip(ids, facts) { store.learn(facts, of: id) }
        // First while nothing of it is written, and then from the file.
        for _ in 1...2 {
            #expect(try await store.find("joga -live") == [ids[0]])
            #expect(try await store.find("homogenic OR army") == [ids[0], ids[2]])
            #expect(try await store.find("artist:=björk") == [ids[0], ids[1]])
            #expect(
                try await store.find("artist:^björk -(title:joga album:vessel)") == [
                    ids[0], ids[2],
                ])
            #expect(try await store.find("artist:=\"\" OR album:=\"\"") == [ids[2], ids[3]])
            #expect(try await store.find("path:^/b/ -4") == [ids[2]])
            #expect(try await store.find("-mp3") == [])
            #expect(try await store.find("title:\"\"") == Array(ids[0...2]))
            #expect(try await store.find("()") == ids)
            await store.flush()
        }
    }

    @Test(.rule("LQ7")) func `A search does not find by what an item lacks by now`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3", "/two.mp3"])
        let before = try await store.find("-artist:björk")

        store.learn(ItemFacts(artist: "Björk"), of: ids[0])

        #expect(before == ids)
        #expect(try await store.find("-artist:björk") == [ids[1]])
        await store.flush()
        #expect(try await store.find("-artist:björk") == [ids[1]])
    }

    @Test(
        .rule("LQ7"),
        arguments: [
            ("a year:1995", "but not year:"), ("-is:favourite", "but not is:"),
            ("(added:3d OR a)", "but not added:"), ("albumartist:x", "but not albumartist:"),
            ("sort:year", "an order of its own"), ("limit:3", "an order of its own"),
            ("@list", "@list is about the library"),
        ])
    func `A query about more than is known of items is refused`(
        _ text: String, _ reason: String
    ) throws {
        let error = try #require(throws: QueryError.self) { try LibraryQuery(text).itemCondition() }
        #expect(error.reason.contains(reason))
    }

    @Test(.rule("LQ7")) func `Any condition finds the same in the file as in memory`() async throws
    {
        var random = SeededNumbers(5)
        let words = ["a", "ab", "b", "song", "", "/b", "c d"]
        func word() -> String { words[random.below(words.count)] }
        func condition(_ depth: Int) -> ItemCondition {
            let list = { (0..<random.below(4)).map { _ in condition(depth - 1) } }
            switch depth > 0 ? random.below(5) : 4 {
            case 0: return .all(list())
            case 1: return .any(list())
            case 2: return .not(condition(depth - 1))
            default:
                let fields: [ItemCondition.Field?] = [nil, nil, .path, .title, .artist, .album]
                let comparisons: [ItemCondition.Comparison] = [.contains, .begins, .equals]
                return .text(
                    fields[random.below(fields.count)], comparisons[random.below(3)], word())
            }
        }
        let (store, ids) = try await makeStore((1...200).map { "/\(word())/\($0)" })
        for id in ids where random.below(4) > 0 {
            store.learn(ItemFacts(title: word(), artist: word(), album: word()), of: id)
        }
        await store.flush()
        let items = store.items(ids)

        var partCount = 0
        for _ in 1...500 {
            let condition = condition(3)
            let found = await store.search(condition, limit: 999)
            #expect(found == items.filter { condition.holds(for: $0) }.map(\.id), "\(condition)")
            if 1..<200 ~= found.count { partCount += 1 }
        }
        #expect(partCount > 100)
    }

    @Test func `A search finds what was added and changed since the last one`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3", "/two.mp3"])
        _ = try await store.find("one")

        let added = store.add([QueueEntry("/one more.mp3")])
        try await store.commit(PlayerRecord(ids + added), as: .edit("add"))
        let early = try await store.find("one")
        store.learn([(ids[1], ItemFacts(title: "The One", artist: "Ä"))])
        await store.flush()

        #expect(early == [ids[0], added[0]])
        #expect(try await store.find("one") == [ids[0], ids[1], added[0]])
        #expect(try await store.find("ä") == [ids[1]])
    }

    @Test func `A search does not find what an item was called before`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3"])
        store.learn(ItemFacts(title: "Old"), of: ids[0])
        await store.flush()
        let before = try await store.find("old")

        store.learn(ItemFacts(title: "New"), of: ids[0])
        await store.flush()

        #expect(before == ids)
        #expect(try await store.find("old") == [])
        #expect(try await store.find("new") == ids)
    }

    @Test func `A search finds one of very many items that were added at once`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3"])
        _ = try await store.find("one")

        let added = store.add((1...5000).map { QueueEntry("/many \($0).mp3") })
        try await store.commit(PlayerRecord(ids + added), as: .edit("add"))
        await store.flush()

        #expect(try await store.find("\"many 4321\"") == [added[4320]])
        #expect(try await store.find("one") == ids)
        #expect(try await store.find("many", limit: 9999) == added)
    }

    @Test func `A search reads nothing if it was prepared`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3", "/two.mp3"])
        await store.prepareSearch()
        store.learn([(ids[1], ItemFacts(title: "The One"))])
        await store.flush()
        await store.prepareSearch()

        rename(folder.database, folder.database + ".gone")

        #expect(try await store.find("one") == ids)
    }

    @Test func `A search finds the same if it was prepared step by step and if it was not`()
        async throws
    {
        let (store, ids) = try await makeStore((1...3000).map { "/file \($0).mp3" })
        for start in stride(from: 0, to: 3000, by: 250) {
            await store.prepareSearch()
            store.learn(
                ids[start..<start + 250].map { id in
                    (id, ItemFacts(title: "Title \(id.number % 7)", album: "ÄLBUM"))
                })
            await store.flush()
        }
        let queries = [
            "title:\"title 3\"", "\"file 12\" \"title 5\"", "älbum", "-250", "a OR path:^/file",
        ]

        var found: [[ItemID]] = []
        for query in queries { found.append(try await store.find(query, limit: 9999)) }
        store.close()
        let later = folder.open()
        var rebuilt: [[ItemID]] = []
        for query in queries { rebuilt.append(try await later.find(query, limit: 9999)) }

        #expect(found == rebuilt)
        #expect(found[2] == ids)
    }

    @Test func `A search finds only what is in the queue`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3", "/one two.mp3"])
        _ = try await store.find("one")

        try await store.commit(PlayerRecord([ids[1]]), as: .edit("remove"))

        #expect(try await store.find("one") == [ids[1]])
        #expect(try await store.find("") == [ids[1]])
    }
}

extension StateStore {
    /// The items of the queue that a written query finds.
    fileprivate func find(_ query: String, limit: Int = 9) async throws -> [ItemID] {
        try await search(LibraryQuery(query).itemCondition(), limit: limit)
    }
}

@Suite struct `Searched texts` {
    @Test func `Texts that were extended step by step are found as if they were made at once`() {
        var numbers = SeededNumbers(24)
        var (texts, known) = (SearchTexts(), [Int: String]())

        for step in 1...20 {
            for _ in 0..<500 {
                let isNew = known.isEmpty || numbers.below(3) == 0
                let id = isNew ? texts.lastNumber + 1 : 1 + numbers.below(texts.lastNumber)
                let text = "song \(numbers.below(9)) of \(step)"
                known[id] = text
                texts.add(ItemID(id), text)
            }
            texts.tidy()
            if step % 6 == 0 {
                known = known.filter { $0.key % 5 != 0 }
                texts.keep { $0.number % 5 != 0 }
            }
            var rebuilt = SearchTexts()
            for (id, text) in known.sorted(by: { $0.key < $1.key }) {
                rebuilt.add(ItemID(id), text)
            }

            for words in [["song 3"], ["of 1"], ["of \(step)", "g 5"], ["3", "19"], ["nothing"]] {
                #expect(texts.found(words) == rebuilt.found(words))
            }
            #expect(texts.found(["song"]) == known.keys.sorted())
        }
    }
}

extension SearchTexts {
    /// Adds an item with a text, and with the first word of it as another one.
    fileprivate mutating func add(_ id: ItemID, _ text: String) {
        add(id, count: 2) { index, bytes in bytes += (index == 0 ? text : "song").utf8 }
    }

    fileprivate func found(_ words: [String]) -> [Int] {
        let found = items(matching: .all(words.map { .text(nil, .contains, $0) }))
        return (0...lastNumber).filter { found.contains(ItemID($0)) }
    }
}

import Glibc
import TestSupport
import Testing
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

        let first = await store.search(["blue"], limit: 9)
        rename(folder.database, folder.database + ".gone")
        let second = await store.search(["ärGER", "blue"], limit: 9)
        let third = await store.search(["train"], limit: 9)

        #expect(first == [ids[0]] && second == [ids[0]] && third == [ids[1]])
    }

    @Test func `A search finds words in one item only, and not across its texts`() async throws {
        let (store, ids) = try await makeStore(["/a/one.mp3", "/a/two.mp3", "/b/one two.mp3"])

        #expect(await store.search(["one", "two"], limit: 9) == [ids[2]])
        #expect(await store.search(["mp3/"], limit: 9) == [])
        #expect(await store.search(["mp3"], limit: 9) == ids)
        #expect(await store.search(["a/", "one"], limit: 9) == [ids[0]])
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

        #expect(await store.search([word], limit: 9) == [ids[0]] + unsaved)
    }

    @Test func `A search finds a word with the name of a field only there`() async throws {
        let (store, ids) = try await makeStore(["/blue.mp3", "/2.mp3", "/3.mp3", "/4.mp3"])
        let facts = [
            ItemFacts(title: "Green", artist: "Red", album: "Red Album"),
            ItemFacts(title: "Blue", artist: "Björk", album: "Debut"),
            ItemFacts(title: "Red", artist: "Blue", album: "Björk"),
            ItemFacts(title: "Ratio 16:9", artist: "Green"),
        ]
        func found(_ words: String...) async -> [ItemID] { await store.search(words, limit: 9) }
        // First while nothing of it is written, and then from the file.
        for (id, facts) in zip(ids, facts) { store.learn(facts, of: id) }
        for _ in 1...2 {
            #expect(await found("blue") == Array(ids[0...2]))
            #expect(await found("title:blue") == [ids[1]])
            #expect(await found("Artist:bjork") == [ids[1]])
            #expect(await found("album:bjork") == [ids[2]])
            #expect(await found("album:red album", "title:green") == [ids[0]])
            #expect(await found("artist:red", "title:red") == [])
            #expect(await found("artist:") == ids)
            #expect(await found("16:9") == [ids[3]])
            await store.flush()
        }
    }

    @Test func `A search finds what was added and changed since the last one`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3", "/two.mp3"])
        _ = await store.search(["one"], limit: 9)

        let added = store.add([QueueEntry("/one more.mp3")])
        try await store.commit(PlayerRecord(ids + added), as: .edit("add"))
        let early = await store.search(["one"], limit: 9)
        store.learn([(ids[1], ItemFacts(title: "The One", artist: "Ä"))])
        await store.flush()

        #expect(early == [ids[0], added[0]])
        #expect(await store.search(["one"], limit: 9) == [ids[0], ids[1], added[0]])
        #expect(await store.search(["ä"], limit: 9) == [ids[1]])
    }

    @Test func `A search does not find what an item was called before`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3"])
        store.learn(ItemFacts(title: "Old"), of: ids[0])
        await store.flush()
        let before = await store.search(["old"], limit: 9)

        store.learn(ItemFacts(title: "New"), of: ids[0])
        await store.flush()

        #expect(before == ids)
        #expect(await store.search(["old"], limit: 9) == [])
        #expect(await store.search(["new"], limit: 9) == ids)
    }

    @Test func `A search finds one of very many items that were added at once`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3"])
        _ = await store.search(["one"], limit: 9)

        let added = store.add((1...5000).map { QueueEntry("/many \($0).mp3") })
        try await store.commit(PlayerRecord(ids + added), as: .edit("add"))
        await store.flush()

        #expect(await store.search(["many 4321"], limit: 9) == [added[4320]])
        #expect(await store.search(["one"], limit: 9) == ids)
        #expect(await store.search(["many"], limit: 9999) == added)
    }

    @Test func `A search reads nothing if it was prepared`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3", "/two.mp3"])
        await store.prepareSearch()
        store.learn([(ids[1], ItemFacts(title: "The One"))])
        await store.flush()
        await store.prepareSearch()

        rename(folder.database, folder.database + ".gone")

        #expect(await store.search(["one"], limit: 9) == ids)
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
        let words = [["title 3"], ["file 12", "title 5"], ["älbum"], ["250"]]

        var found: [[ItemID]] = []
        for words in words { found.append(await store.search(words, limit: 9999)) }
        store.close()
        let later = folder.open()
        var rebuilt: [[ItemID]] = []
        for words in words { rebuilt.append(await later.search(words, limit: 9999)) }

        #expect(found == rebuilt)
        #expect(found[2] == ids)
    }

    @Test func `A search finds only what is in the queue`() async throws {
        let (store, ids) = try await makeStore(["/one.mp3", "/one two.mp3"])
        _ = await store.search(["one"], limit: 9)

        try await store.commit(PlayerRecord([ids[1]]), as: .edit("remove"))

        #expect(await store.search(["one"], limit: 9) == [ids[1]])
        #expect(await store.search([], limit: 9) == [ids[1]])
    }
}

@Suite struct `Texts to search` {
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
        let found = items(matching: Search(words))
        return (0...lastNumber).filter { found.contains(ItemID($0)) }
    }
}

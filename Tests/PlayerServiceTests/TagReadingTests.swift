import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongPlayback

@testable import UndersongService

/// The tags of files, read before they play.
@Suite(.timeLimit(.minutes(2))) struct `The tags of the queue` {
    private let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `Tags are read while the host is active`() async throws {
        let listener = Listener()
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")

        let words = desk.folder.appending(path: "words.mp3")
        try Data("words, not music".utf8).write(to: words)
        let items = try await desk.service.add(
            Files(Array(repeating: Desk.song, count: 300) + [FilePath(words.path)]))
        try await tagsAreRead()

        let facts = desk.store.items(items.items).map(\.facts)
        #expect(facts.dropLast().allSatisfy { $0?.title == "Slack Water" })
        #expect(facts.dropLast().allSatisfy { $0?.artist == "Undersong" && $0?.duration != nil })
        #expect(facts.last == ItemFacts())
        #expect(await desk.store.unreadFiles(after: nil, limit: 9)?.isEmpty == true)
    }

    @Test func `Tags are reported by an event once the queue's list has them`() async throws {
        let (counts, news) = AsyncStream<Int>.makeStream()
        desk.service.observe { event in if case .tags(let count) = event.kind { news.yield(count) }
        }
        let listener = Listener()
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")

        let items = try await desk.service.add(
            Files(Array(repeating: Desk.song, count: 300))
        ).items
        var found: [Int] = []
        for await count in counts {
            found.append(count)
            let known = desk.store.items(items).count { $0.facts?.title != nil }
            #expect(known >= found.reduce(0, +))
            // The player may have read the first one, to have it ready.
            if found.reduce(0, +) >= 299 { break }
        }

        #expect(found.count < 10)
    }

    @Test(arguments: 1...5)
    func `Tags are awaited by edits that need them`(attempt: Int) async throws {
        let listener = Listener()
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")
        // By their names the files are in the other order.
        let slackWater = Desk.song
        let theTideTurns = FilePath(
            slackWater.description.replacing("01 Slack Water", with: "02 The Tide Turns"))
        let first = desk.folder.appending(path: "1.mp3")
        let second = desk.folder.appending(path: "2.mp3")
        try FileManager.default.copyItem(atPath: theTideTurns.description, toPath: first.path)
        try FileManager.default.copyItem(atPath: slackWater.description, toPath: second.path)
        let songs = [first, second].flatMap { Array(repeating: FilePath($0.path), count: 200) }
        let items = try await desk.service.add(Files(songs)).items

        try await desk.service.sort(by: .title)
        let sorted = await desk.service.page(offset: 0, limit: 999).items.map(\.id)
        _ = try await desk.service.add(Files(songs))
        try await desk.service.crop(to: "artist:undersong")

        #expect(sorted == Array(items[200...] + items[..<200]))
        #expect(await desk.service.page(offset: 0, limit: 0).count == 800)
    }

    @Test func `Tags are read in the background after an edit, as a task`() async throws {
        let items = try await desk.service.add(Files(Array(repeating: Desk.song, count: 300)))
        try await tagsAreRead()
        while await !desk.service.status.suspended { await Task.yield() }

        let facts = desk.store.items(items.items).map(\.facts)
        let found = try await desk.service.search("undersong", offset: 10, limit: 20)
        #expect(facts.allSatisfy { $0?.title == "Slack Water" })
        #expect(found.found.map(\.index) == Array(10..<30) && found.foundCount == 300)
        #expect(found.hasUnreadTags == nil)
    }

    @Test func `Tags are read of items that are staged, but not in the queue yet`()
        async throws
    {
        let staged = desk.store.stage([QueueEntry(.file(path: Desk.song))])
        let listener = Listener()
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")

        try await eventually {
            desk.store.items(staged).first?.facts?.title == "Slack Water"
        }
    }

    @Test func `Tags of what no event has reported yet are read for an edit that needs them`()
        async throws
    {
        let listener = Listener()
        await desk.service.connect(listener)
        await desk.service.attach(listener.id, state: .active, source: "test")
        await desk.service.readTags()

        let staged = desk.store.stage([QueueEntry(.file(path: Desk.song))])
        await desk.service.readTags()

        #expect(desk.store.items(staged).first?.facts?.title == "Slack Water")
    }

    @Test func `Tags are not read from what is not an ordinary file`() async throws {
        let pipe = FilePath(desk.folder.path + "/pipe.mp3")
        mkfifo(pipe.description, 0o600)

        let found = await TagReader().read([(ItemID(1), pipe), (ItemID(2), Desk.song)])

        #expect(found.map(\.id) == [ItemID(1), ItemID(2)])
        #expect(found.first?.facts == ItemFacts() && found.last?.facts.title == "Slack Water")
    }

    @Test func `Tags are not read while their reading is held`() async throws {
        let reader = TagReader()

        reader.hold()
        let held = await reader.read([(ItemID(1), Desk.song)])
        reader.release()
        let free = await reader.read([(ItemID(1), Desk.song)])

        #expect(held.isEmpty && free.count == 1)
    }

    /// Returns when all of the queue was read, and that is on the disk.
    private func tagsAreRead() async throws {
        // The thread that reads runs only when nothing else does.
        while await desk.store.unreadFiles(after: nil, limit: 1)?.isEmpty != true {
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

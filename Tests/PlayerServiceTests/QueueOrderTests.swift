import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBase
import UndersongPlayback

@testable import UndersongService

/// Edits of the queue as a whole, and seeking by parts and chapters.
@Suite struct `A player service's queue` {
    private let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `The service's queue is shuffled with the current item first and none lost`()
        async throws
    {
        let ids = try await fill((1...40).map { "\($0)" })
        try await desk.service.jump(to: ids[7])

        try await desk.service.shuffle()

        let order = await desk.service.page(offset: 0, limit: 99).items.map(\.id)
        #expect(order.first == ids[7])
        #expect(order.sorted() == ids && order != ids)
    }

    @Test func `The service's queue is sorted by path in natural order`() async throws {
        let ids = try await fill(["a 10", "B 1", "a 2"])

        try await desk.service.sort(by: .path)

        #expect(await names == ["a 2", "a 10", "B 1"])
        #expect(await desk.service.report.current?.id == ids[0])
    }

    @Test(
        arguments: [
            (.path, [3, 1, 4, 2]), (.title, [2, 1, 3, 4]), (.length, [3, 2, 4, 1]),
        ] as [(QueueSortKey, [Int])])
    func `The service's queue is sorted by what is known of items, those without it last`(
        key: QueueSortKey, expected: [Int]
    ) {
        let paths: [FilePath] = ["/a/10.mp3", "/B/1.mp3", "/a/2.mp3", "/a/10.mp3"]
        var items = paths.enumerated().map { index, path in
            QueueItem(
                id: ItemID(index + 1), source: .file(path: path),
                start: index == 3 ? Self.time(60) : .zero)
        }
        items[0].facts = ItemFacts(title: "song 3")
        items[1].facts = ItemFacts(title: "Äther", duration: Self.time(70))
        items[2].facts = ItemFacts(title: "Song 12", duration: Self.time(8))
        items[3].facts = ItemFacts(title: "SONG 12", duration: Self.time(150))
        let values = Dictionary(
            uniqueKeysWithValues: items.compactMap { item in
                key.value(of: item).map { (item.id, $0) }
            })

        #expect(key.sorted(items.map(\.id), values).map(\.number) == expected)
    }

    @Test func `The service's queue is cropped to the current item`() async throws {
        let ids = try await fill(["1", "2", "3"])
        try await desk.service.jump(to: ids[1])

        try await desk.service.crop()

        #expect(await names == ["2"])
        #expect(await desk.service.report.current?.id == ids[1])
    }

    @Test func `The service's queue is cropped to what words find, wherever the current item is`()
        async throws
    {
        let ids = try await fill(["1", "2", "31", "32"])
        try await desk.service.jump(to: ids[1])

        try await desk.service.crop(to: "/3")
        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.crop(to: "no such")
        }

        #expect(await names == ["31", "32"])
        #expect(await desk.service.report.current?.id == ids[2])
        #expect(error?.description == "cannot crop the queue: Nothing in it matches no such")
    }

    @Test func `The service's queue cannot be cropped without a current item`() async throws {
        let error = await #expect(throws: ServiceError.self) { try await desk.service.crop() }

        #expect(error?.description == "cannot crop the queue: There is no current item")
    }

    @Test func `The service's queue loses duplicates, but never the current item`() async throws {
        let ids = try await fill(["1", "2", "1", "2", "1"])
        desk.store.setRange(of: ids[4], start: Self.time(5), end: nil)
        try await desk.service.jump(to: ids[2])

        let count = try await desk.service.removeDuplicates()

        #expect(count == 2)
        #expect(
            await desk.service.page(offset: 0, limit: 9).items.map(\.id)
                == [ids[1], ids[2], ids[4]])
        #expect(try await desk.service.removeDuplicates() == 0)
    }

    @Test func `The service's queue plays as long as its items, and some of that comes later`()
        async throws
    {
        let empty = try await desk.service.queueTime()
        let ids = try await fill(["1", "2", "3"])
        for (id, range) in zip(ids, [(0, 2), (1, 2), (4, 8)] as [(Int64, Int64)]) {
            desk.store.setRange(of: id, start: Self.time(range.0), end: Self.time(range.1))
        }
        try await desk.service.jump(to: ids[1])

        let time = try await desk.service.queueTime()

        #expect(empty == QueueTime())
        #expect(time == QueueTime(seconds: 7, secondsAfter: 4, hasCurrent: true))
    }

    @Test func `The service seeks by parts of an item's length`() async throws {
        _ = try await desk.service.add(Files([Desk.song]))
        await desk.service.pause()

        let half = try await desk.service.seek(toFraction: 0.5)
        let length = try #require(await desk.service.report.current?.exactEnd?.seconds)

        #expect(abs(half.position.seconds - length / 2) < 0.001)
        await #expect(throws: ServiceError.self) { try await desk.service.seek(toFraction: 1.1) }
    }

    @Test func `A song without chapters has none to skip to`() async throws {
        _ = try await desk.service.add(Files([Desk.song]))

        let error = await #expect(throws: ServiceError.self) {
            try await desk.service.nextChapter()
        }

        #expect(
            error?.description == "cannot skip to the next chapter: The item has no chapters")
    }

    @Test func `Playback stops after an item without a change of the timer`() async throws {
        try await desk.service.sleep(SetSleep(seconds: 600, fade: 5, after: .queue))

        try await desk.service.stop(after: .item)
        let set = await desk.service.sleepReport
        try await desk.service.stop(after: nil)
        let cleared = await desk.service.sleepReport

        #expect(set.fade == 5 && set.after == .item)
        #expect(cleared.fade == 5 && cleared.after == nil)
    }

    private static func time(_ seconds: Int64) -> CMTime { CMTime(value: seconds, timescale: 1) }

    private var names: [String] {
        get async {
            await desk.service.page(offset: 0, limit: 99).items.map {
                String($0.source.path.lastComponent.dropLast(4))
            }
        }
    }

    /// Adds songs by these names, the same one each time.
    private func fill(_ names: [String]) async throws -> [ItemID] {
        let paths = names.map { FilePath("\(desk.folder.path)/\($0).mp3") }
        for path in Set(paths) {
            try FileManager.default.createSymbolicLink(
                atPath: path.description, withDestinationPath: Desk.song.description)
        }
        return try await desk.service.add(Files(paths)).items
    }
}

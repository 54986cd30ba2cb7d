import TestSupport
import Testing
import UndersongBase
import UndersongPlayback

@Suite struct `A media source's title` {
    @Test func `A media source has the length that a playlist gives until its file is opened`() {
        let length = CMTime(value: 12, timescale: 1)

        let item = QueueItem(id: ItemID(1), QueueEntry(.file(path: "/a"), duration: length))

        #expect(item.facts?.duration == length)
        #expect(item.facts?.isFromFile == false)
        #expect(item.exactEnd == nil)
    }

    @Test func `An item has the artist and album that a library gives until its file is opened`() {
        var entry = QueueEntry(.file(path: "/a"), title: "Hunter")
        (entry.artist, entry.album) = ("Björk", "Homogenic")

        let item = QueueItem(id: ItemID(1), entry)

        #expect(item.facts?.artist == "Björk" && item.facts?.album == "Homogenic")
        #expect(item.facts?.isFromFile == false)
        #expect(item.displayTitle == "Hunter" && item.facts?.title == nil)
        #expect(QueueItem(id: ItemID(1), QueueEntry(.file(path: "/a"))).facts == nil)
    }

    @Test(
        .rule("C6"),
        arguments: [
            ("/music/a.mp3", "a.mp3"), ("a.mp3", "a.mp3"), ("/music/My Song.mp3", "My Song.mp3"),
            ("/music/album/", "album"), ("/", "/"),
        ])
    func `A media source's title is the last component of its path`(path: String, title: String) {
        #expect(MediaSource.file(path: path).title == title)
        #expect(MediaSource.file(path: path).path == FilePath(path))
    }

    @Test(.rule("C6")) func `A media source's title is Unknown for the standard input`() {
        #expect(MediaSource.standardInput.title == "Unknown")
        #expect(MediaSource.standardInput.path == "-")
    }

    @Test func `A media source's title is shown beside an id that is decimal and ordered by age`() {
        #expect(ItemID(12).description == "12")
        #expect(ItemID(9) < ItemID(12))
        #expect(!(ItemID(9) < ItemID(9)))
    }

    @Test func `A media source's title is shown escaped if the file's name is not UTF-8`() {
        let path = FilePath(bytes: Array("/music/latin".utf8) + [0xE9])

        #expect(MediaSource.file(path: path).title == #"latin\xe9"#)
    }
}

@Suite struct `A queue item's range` {
    @Test func `A queue item's range is the whole source by default`() {
        let queue = PlaybackQueue(count: 1)

        #expect(queue.current?.start == .zero)
        #expect(queue.current?.end == nil)
    }

    @Test func `A queue item's range comes from its entry, wherever that is inserted`() throws {
        let half = CMTime(value: 1, timescale: 2)
        let entry = QueueEntry(.standardInput, start: half, end: CMTime(value: 3, timescale: 1))
        var queue = PlaybackQueue(count: 1)

        queue.append([entry])
        try queue.insert([entry], after: ItemID(1))
        queue.insertNext([entry])

        #expect(queue.numbers == [1, 4, 3, 2])
        #expect(queue.items.map(\.start) == [.zero, half, half, half])
        #expect(queue.items.dropFirst().allSatisfy { $0.end == CMTime(value: 3, timescale: 1) })
        #expect(queue.items.dropFirst().allSatisfy { $0.source == .standardInput })
    }

    @Test func `A queue item's range can be changed without moving the item`() {
        var queue = PlaybackQueue(count: 3)

        let isChanged = queue.setRange(
            of: ItemID(2), start: CMTime(value: 1, timescale: 1),
            end: CMTime(value: 2, timescale: 1))

        #expect(isChanged)
        #expect(queue.numbers == [1, 2, 3])
        #expect(queue.item(ItemID(2))?.start == CMTime(value: 1, timescale: 1))
        #expect(queue.item(ItemID(2))?.end == CMTime(value: 2, timescale: 1))
        #expect(queue.item(ItemID(1)) == item(1))
        #expect(queue.item(ItemID(3)) == item(3))
    }

    @Test func `A queue item's range extends to the source's end again without an end`() {
        var queue = PlaybackQueue()
        queue.append([QueueEntry(.standardInput, end: CMTime(value: 2, timescale: 1))])

        queue.setRange(of: ItemID(1), start: .zero, end: nil)

        #expect(queue.current?.end == nil)
    }

    @Test func `A queue item's range cannot be changed for an unknown item`() {
        var queue = PlaybackQueue(count: 2)

        let isChanged = queue.setRange(of: ItemID(3), start: .invalid, end: .zero)

        #expect(!isChanged)
        #expect(queue.items == [item(1), item(2)])
    }
}

@Suite struct `A queue error` {
    @Test func `A queue error reads as a clause and has a code`() {
        let error = QueueError(
            .noSuchItem, operation: "move item 7", reason: "the queue has no such item")

        #expect(error.description == "cannot move item 7: the queue has no such item")
        #expect(error.code.rawValue == "no-such-item")
    }
}

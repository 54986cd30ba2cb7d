import Playback
import Testing

private let a = MediaSource.file(path: "/a.mp3")
private let b = MediaSource.file(path: "/b.mp3")
private let c = MediaSource.file(path: "/c.mp3")

/// Contract 2.3: the current item is the first, and what was played is gone.
@Suite struct `A playback queue` {
    @Test func `is empty at first`() {
        let queue = PlaybackQueue()

        #expect(queue.current == nil)
        #expect(queue.items.isEmpty)
        #expect(queue.count == 0)
        #expect(queue.item(after: nil) == nil)
    }

    @Test func `T16: holds its items in order, the first one current, numbered from 1`() {
        var queue = PlaybackQueue()

        queue.append([a, b, c])

        #expect(queue.items.map(\.source) == [a, b, c])
        #expect(queue.items.map(\.id) == [ItemID(1), ItemID(2), ItemID(3)])
        #expect(queue.current?.source == a)
        #expect(queue.count == 3)
        #expect(queue.place == 0)
    }

    @Test func `T17: appends behind what is there`() {
        var queue = PlaybackQueue()

        queue.append([a])
        queue.append([b, c])

        #expect(queue.items.map(\.source) == [a, b, c])
        #expect(queue.items.map(\.id.number) == [1, 2, 3])
    }

    @Test func `gives the same source another id when it is added twice`() {
        var queue = PlaybackQueue()

        queue.append([a, a])

        #expect(queue.items.map(\.id) == [ItemID(1), ItemID(2)])
    }

    @Test func `2.3: loses what was played when it advances, and counts it`() {
        var queue = PlaybackQueue()
        queue.append([a, b, c])

        queue.advance(to: ItemID(2))

        #expect(queue.items.map(\.source) == [b, c])
        #expect(queue.current?.id == ItemID(2))
        #expect(queue.place == 1)
        #expect(queue.count == 3)
        #expect(queue.item(ItemID(1)) == nil)
    }

    @Test func `loses skipped items too when it advances further`() {
        var queue = PlaybackQueue()
        queue.append([a, b, c])

        queue.advance(to: ItemID(3))

        #expect(queue.items.map(\.source) == [c])
        #expect(queue.place == 2)
    }

    @Test func `stays as it is when it advances to the current item`() {
        var queue = PlaybackQueue()
        queue.append([a, b])

        queue.advance(to: ItemID(1))

        #expect(queue.items.map(\.source) == [a, b])
        #expect(queue.place == 0)
    }

    @Test func `T22 T26: is empty without a current item behind the last one`() {
        var queue = PlaybackQueue()
        queue.append([a, b])

        queue.advance(to: nil)

        #expect(queue.items.isEmpty)
        #expect(queue.current == nil)
        #expect(queue.place == 2)
        #expect(queue.count == 2)
    }

    @Test func `never gives an id again`() {
        var queue = PlaybackQueue()
        queue.append([a, b])
        queue.advance(to: nil)

        queue.append([a])

        #expect(queue.current?.id == ItemID(3))
        #expect(queue.place == 2)
        #expect(queue.count == 3)
    }

    @Test func `finds the item behind another, the first for nil, none behind the last`() {
        var queue = PlaybackQueue()
        queue.append([a, b])

        #expect(queue.item(after: nil)?.source == a)
        #expect(queue.item(after: ItemID(1))?.source == b)
        #expect(queue.item(after: ItemID(2)) == nil)
        #expect(queue.item(after: ItemID(9)) == nil)
    }

    @Test func `finds an item by its id`() {
        var queue = PlaybackQueue()
        queue.append([a, b])

        #expect(queue.item(ItemID(2))?.source == b)
        #expect(queue.item(ItemID(9)) == nil)
    }
}

@Suite struct `A media source's title` {
    @Test(arguments: [
        ("/music/a.mp3", "a.mp3"), ("a.mp3", "a.mp3"), ("/music/My Song.mp3", "My Song.mp3"),
        ("/music/album/", "album"), ("/", "/"),
    ])
    func `C6: is the last component of its path`(path: String, title: String) {
        #expect(MediaSource.file(path: path).title == title)
        #expect(MediaSource.file(path: path).path == path)
    }

    @Test func `C6: is Unknown for the standard input`() {
        #expect(MediaSource.standardInput.title == "Unknown")
        #expect(MediaSource.standardInput.path == "-")
    }

    @Test func `stands beside an id that is written in decimal and ordered by age`() {
        #expect(ItemID(12).description == "12")
        #expect(ItemID(9) < ItemID(12))
        #expect(!(ItemID(9) < ItemID(9)))
    }
}

import Testing

@testable import UndersongPlayback

/// An item's title and end.
@Suite struct `An item` {
    private func item(_ title: String?, end: CMTime? = nil) -> QueueItem {
        QueueItem(
            id: ItemID(1), QueueEntry(.file(path: "/music/01.mp3"), end: end, title: title))
    }

    @Test func `An item has the title of its tag, or else of its playlist, or else of its file`() {
        var tagged = item("By the list")
        tagged.facts = ItemFacts(title: "By the tag")
        var untagged = item("By the list")
        untagged.facts = ItemFacts()

        #expect(tagged.displayTitle == "By the tag" && tagged.title == "By the list")
        #expect(untagged.displayTitle == "By the list")
        #expect(item(nil).displayTitle == "01.mp3" && item(nil).knownTitle == nil)
    }

    @Test func `An item that is part of a file has its playlist's title rather than the tag's`() {
        var track = item("Track 2", end: CMTime(value: 9, timescale: 1))
        track.facts = ItemFacts(title: "The Album")
        var cut = item(nil, end: CMTime(value: 9, timescale: 1))
        cut.facts = ItemFacts(title: "The Song")

        #expect(track.displayTitle == "Track 2")
        #expect(cut.displayTitle == "The Song")
    }

    @Test func `An item has an end that is known exactly, or none`() {
        let (five, nine) = (CMTime(value: 5, timescale: 1), CMTime(value: 9, timescale: 1))
        var estimated = item(nil)
        estimated.facts = ItemFacts(duration: nine, isDurationExact: false)
        var exact = item(nil)
        exact.facts = ItemFacts(duration: nine, isDurationExact: true)
        var part = item(nil, end: five)
        part.facts = exact.facts
        var tooLong = item(nil, end: CMTime(value: 99, timescale: 1))
        tooLong.facts = exact.facts

        #expect(item(nil).exactEnd == nil && estimated.exactEnd == nil)
        #expect(exact.exactEnd == nine && part.exactEnd == five && tooLong.exactEnd == nine)
    }

    @Test func `An item is not decoded again when facts about its file become known`() {
        var queue = PlaybackQueue()
        let ids = queue.append([.file(path: "/1.mp3"), .file(path: "/2.mp3")])
        var plan = PlaybackPlan()
        _ = plan.revise(for: queue)
        let first = plan.current?.id
        _ = first.map { plan.opened($0, in: queue) }

        let isNew = queue.learn(ItemFacts(title: "Two"), of: ids[1])
        let isNewAgain = queue.learn(ItemFacts(title: "Two"), of: ids[1])

        #expect(isNew && !isNewAgain)
        #expect(plan.revise(for: queue).isEmpty)
    }
}

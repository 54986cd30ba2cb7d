import AVFoundation
import TestSupport
import Testing

extension Players {
    @Suite struct `A queue with additions to Apple's API` {
        @Test func `A queue player plays the same file twice`() async {
            let item = Sound.item(0, seconds: 0.2)
            let player = AVQueuePlayer.silent([item])
            let copy = player.insertCopy(of: item, after: item)
            #expect(player.items() == [item, copy])
            #expect(player.id(of: item) != player.id(of: copy))

            player.play()

            await player.waitFor(current: copy)
            await player.waitFor(current: nil)
        }

        @Test(.rule("T37")) func `A queue player moves an item after another, and keeps its id`()
            async
        {
            let items = (0..<3).map { Sound.item($0, seconds: 0.2) }
            let player = AVQueuePlayer.silent(items)
            let ids = items.map { player.id(of: $0) }

            #expect(player.move(items[1], after: items[2]))
            #expect(!player.move(items[0], after: items[2]))
            #expect(!player.move(Sound.item(), after: items[2]))

            #expect(player.items() == [items[0], items[2], items[1]])
            #expect(items.map { player.id(of: $0) } == ids)
            player.play()
            await player.waitFor(current: items[2])
            await player.waitFor(current: items[1])
        }

        @Test func `A queue player replaces a waiting item and the current one`() async {
            let items = (0..<2).map { Sound.item($0, seconds: 30) }
            let (first, second) = (Sound.item(2, seconds: 0.2), Sound.item(1, seconds: 30))
            let player = AVQueuePlayer.silent(items)
            player.play()
            await player.waitFor(.playing)

            player.replace(items[1], with: second)
            player.replace(items[0], with: first)

            #expect(player.items() == [first, second])
            await player.waitFor(current: second)
        }

        @Test func `A queue player returns to the previous item, and the current one follows it`()
            async
        {
            let items = (0..<3).map { Sound.item($0, seconds: 0.2) }
            let player = AVQueuePlayer.silent(items)
            player.play()
            await player.waitFor(current: items[1])

            player.pause()
            player.returnToPreviousItem()
            #expect(player.items() == items)

            player.play()
            await player.waitFor(current: items[1])
            await player.waitFor(current: items[2])
        }
    }
}

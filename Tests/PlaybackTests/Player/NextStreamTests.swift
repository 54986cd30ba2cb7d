import Testing
import UndersongPlayback

@Suite struct `A player whose stream cannot carry an item` {
    /// Two items, of which the first is heard and the second needs another stream.
    private static func beforeWideItem() -> (stage: SteppedPlayer, second: Passage?) {
        var stage = SteppedPlayer(items: 2)
        stage.sound()
        let second = stage.passages.last
        return (stage, second)
    }

    @Test func `A player ends its stream before an item that it cannot carry, and begins the next`()
        throws
    {
        var (stage, passage) = Self.beforeWideItem()
        let second = try #require(passage)

        let noted = stage.feed(.stream(.needsWiderStream(second)))
        let ended = stage.feed(.stream(.finished))
        let status = stage.player.status
        stage.feed(.stream(.opened(second, SteppedPlayer.description([]))))
        let ready = stage.feed(.stream(.ready))

        #expect(noted == [.schedule(.append(nil))])
        let streams = ended.filter { [.dropStream, .openStream].contains($0) }
        #expect(streams == [.dropStream, .openStream])
        #expect(ended.last == .schedule(.append(second)))
        #expect(stage.player.queue.currentID == stage.ids[1])
        #expect(status == .waiting(.evaluatingBufferingRate))
        #expect(ready.contains(.runOutput))
    }

    @Test func `A player begins the next stream at once on a jump to it, and answers a seek in it`()
        throws
    {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        stage.feed(.command(.seek(time(7), Player.AnswerID(1))))
        let sought = try #require(stage.passages.last)

        let effects = stage.feed(.stream(.needsWiderStream(sought)))
        let opened = stage.feed(.stream(.opened(sought, SteppedPlayer.description([]))))

        #expect(effects.contains(.openStream))
        #expect(effects.last == .schedule(.append(sought)))
        #expect(stage.seconds == 7)
        #expect(opened.contains(.answer(Player.AnswerID(1), true)))
    }

    @Test func `A player stays in its stream if another item comes before the end`() throws {
        var (stage, passage) = Self.beforeWideItem()
        stage.feed(.stream(.needsWiderStream(try #require(passage))))

        let removed = stage.feed(.edit(.change(.remove([stage.ids[1]]))))
        let ended = stage.feed(.stream(.finished))

        let first = try #require(stage.passages.first)
        #expect(removed.contains(.schedule(.splice(nil, at: .after(first.id)))))
        #expect(!ended.contains(.openStream))
    }

    @Test func `A player's next stream waits for a device that was there for the one before`()
        throws
    {
        var (stage, passage) = Self.beforeWideItem()
        let second = try #require(passage)
        stage.feed(.stream(.needsWiderStream(second)))
        stage.feed(.stream(.finished))
        stage.feed(.stream(.opened(second, SteppedPlayer.description([]))))
        stage.feed(.stream(.ready))

        let effects = stage.lose(.noSuchDevice)

        #expect(effects.contains(.retryLater) && !effects.contains(.stopStream))
    }
}

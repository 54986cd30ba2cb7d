import Testing
import UndersongPlayback

@Suite struct `A player with a scheduled stop` {
    private static func settings(_ condition: StopCondition) -> PlayerSettings {
        var settings = PlayerSettings()
        settings.modes.stopCondition = condition
        return settings
    }

    @Test func `A player with a scheduled stop stops at the end of the current chapter`() {
        var stage = SteppedPlayer(items: 2, settings: Self.settings(.chapter))

        stage.sound(chapters: [
            Chapter(start: .zero, end: time(10)), Chapter(start: time(10), end: time(100)),
        ])

        #expect(stage.passages.last?.item.id == stage.ids[0])
        #expect(stage.passages.last?.settings.stopTime == time(10))
    }

    @Test func `A player stops at the end of the item if its last chapter ends there`() {
        var stage = SteppedPlayer(items: 2, settings: Self.settings(.chapter))

        stage.sound(chapters: [Chapter(start: .zero, end: time(99.9))])

        #expect(stage.passages.allSatisfy { $0.settings.stopTime == nil })
    }

    @Test func `A player with a scheduled stop stops before the next item, and at no other time`() {
        var stage = SteppedPlayer(items: 2, settings: Self.settings(.item))
        stage.sound()

        let effects = stage.feed(.stream(.finished))

        #expect(stage.player.status == .paused(.userPaused))
        #expect(stage.player.queue.currentID == stage.ids[1])
        #expect(stage.player.settings.modes.stopCondition == nil)
        #expect(stage.player.queue.stopCondition == nil)
        #expect(effects.contains(.report(.settings)))
    }

    @Test func `A player fades in when it plays after a pause, and not when it plays already`() {
        var stage = SteppedPlayer(items: 2)
        stage.sound()
        stage.hear(stage.ids[0], at: 10)
        let count = stage.passages.count

        stage.feed(.command(.fadeIn(5)))
        stage.feed(.command(.play))
        #expect(stage.passages.count == count)
        stage.feed(.command(.pause(.userPaused)))
        stage.feed(.command(.play))

        #expect(stage.passages.last?.settings.fadeIn == 5)
        #expect(stage.passages.last?.item.id == stage.ids[0])
        #expect(stage.passages.dropLast().allSatisfy { $0.settings.fadeIn == nil })
    }

    @Test(arguments: [(95.0, 60.0, 5.0), (95, 2, 2), (99.99, 60, 0.05)])
    func `A player with a scheduled stop fades out by the end of the item at the latest`(
        heard: Double, seconds: Double, fade: Double
    ) throws {
        var stage = SteppedPlayer(items: 2)
        stage.sound()
        stage.hear(stage.ids[0], at: heard)

        stage.feed(.command(.fadeOut(seconds)))

        let length = try #require(stage.passages.last?.settings.fadeOut)
        #expect(abs(length - fade) < 1e-6)
    }
}

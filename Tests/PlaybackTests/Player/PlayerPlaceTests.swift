import Testing
import UndersongBase
import UndersongPlayback

@Suite struct `A player's position` {
    @Test func `A player's position is the sought one until heard, and advances from there`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()

        let effects = stage.feed(.command(.seek(time(30), nil)))
        let passage = stage.passages.last
        stage.open()
        stage.hear(stage.ids[0], at: 2)
        let before = stage.seconds
        stage.begin(passage, at: 31, isJump: true)

        #expect(effects.contains { $0.passage?.start == time(30) })
        #expect(before == 30)
        #expect(stage.seconds == 31)
    }

    @Test func `A player skips several items without playing those between`() {
        var stage = SteppedPlayer(items: 5)
        stage.sound()

        let ahead = stage.feed(.command(.next(3)))
        let back = stage.feed(.command(.previous(2)))
        let beyond = stage.feed(.command(.previous(9)))

        let items = [ahead, back, beyond].map { $0.compactMap(\.passage?.item.id) }
        #expect(items == [[stage.ids[3]], [stage.ids[1]], [stage.ids[0]]])
        #expect(stage.player.queue.count == 5)
    }

    @Test func `A player skips past the end, and removes what it skips from a consumed queue`() {
        var settings = PlayerSettings()
        settings.modes.isConsuming = true
        var stage = SteppedPlayer(items: 5, settings: settings)
        stage.sound()

        stage.feed(.command(.next(2)))
        let left = stage.player.queue.count
        stage.feed(.command(.next(9)))

        #expect(left == 3)
        #expect(stage.player.queue.currentID == nil && stage.player.queue.count == 0)
    }

    @Test func `A player's position is the sought one in a passage that replaces the sought one`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        stage.feed(.command(.seek(time(30), nil)))
        var settings = stage.player.settings
        settings.rate = 2

        stage.feed(.command(.set(settings, seed: 0)))
        let before = stage.seconds
        stage.begin(stage.passages.last, at: 31, isJump: true)

        #expect(before == 30)
        #expect(stage.seconds == 31)
    }

    @Test func `A jump's position is the item's start again, and where another item was left`() {
        let memory = TransientFileMemory()
        for name in ["/1.mp3", "/2.mp3"] {
            memory.keepPosition(
                ResumePoint(seconds: 105, duration: 3600, isFinished: false, lastPlayed: 0),
                of: FilePath(name))
        }
        var settings = PlayerSettings()
        settings.resumesItems = true
        var stage = SteppedPlayer(items: 2, settings: settings, memory: memory)
        stage.sound()

        let again = stage.feed(.command(.jump(stage.ids[0])))
        let other = stage.feed(.command(.jump(stage.ids[1])))

        #expect(again.compactMap(\.passage).map(\.start) == [.zero])
        #expect(other.compactMap(\.passage).map(\.start) == [time(100)])
    }

    @Test func `A player's position is in the item that replaces an unplayable one`() {
        var stage = SteppedPlayer(items: 3)
        stage.feed(.command(.play))
        guard let first = stage.passages.last else { return }
        let error = MediaError(.notFound, operation: "open", reason: "It is not there")

        stage.feed(.stream(.failed(first, error)))
        stage.feed(.stream(.ended(first.id, wasOpened: false)))

        #expect(stage.player.queue.currentID == stage.ids[1])
        #expect(stage.passages.last?.item.id == stage.ids[1])
    }

    @Test func `A player's position is kept, and saved for the file, when the stream is released`()
    {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        stage.hear(stage.ids[0], at: 42)

        let effects = stage.feed(.command(.halt))

        let marks = effects.compactMap { effect -> Double? in
            guard case .leaveFile(stage.ids[0], let time) = effect else { return nil }
            return time.seconds
        }
        #expect(marks == [42])
        #expect(stage.seconds == 42)
        #expect(stage.player.record(at: stage.moment).position.seconds == 42)
    }

    @Test(arguments: [ItemEndAction.pause, .none])
    func `A player's position is the end of an item that stays current`(action: ItemEndAction) {
        var settings = PlayerSettings()
        settings.modes.itemEndAction = action
        var stage = SteppedPlayer(items: 2, settings: settings)
        stage.sound()
        stage.hear(stage.ids[0], at: 100)

        stage.feed(.stream(.finished))

        #expect(stage.seconds == 100)
        #expect(stage.player.queue.currentID == stage.ids[0])
        #expect(stage.player.wantsPlayback == (action == .none))
    }

    @Test func `A player's position stays the end when playback is wanted there, until a seek`() {
        var settings = PlayerSettings()
        settings.modes.itemEndAction = .pause
        var stage = SteppedPlayer(items: 1, settings: settings)
        stage.sound()
        stage.hear(stage.ids[0], at: 100)
        stage.feed(.stream(.finished))

        let play = stage.feed(.command(.play))
        let seek = stage.feed(.command(.seek(.zero, nil)))

        #expect(play.compactMap(\.passage) == [])
        #expect(play.contains(.runOutput))
        #expect(seek.compactMap(\.passage).map(\.start) == [.zero])
        #expect(stage.player.wantsPlayback)
    }
}

@Suite struct `A queue player` {
    @Test func `A queue player opens what is added to an empty queue while sound is wanted`() {
        var stage = SteppedPlayer(items: 0)
        stage.feed(.command(.play))

        let effects = stage.feed(.edit(.change(.insert(stage.ids, .end, seed: 0))))

        #expect(stage.player.status == .waiting(.evaluatingBufferingRate))
        #expect(effects.contains(.report(.status(.waiting(.evaluatingBufferingRate)))))
        #expect(effects.contains(.openStream))
    }

    @Test func `A queue player schedules what follows after an edit`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        let new = stage.add()

        let effects = stage.feed(.edit(.change(.insert([new], .end, seed: 0))))

        #expect(effects.compactMap(\.passage).map(\.item.id) == [new])
    }

    @Test func `A queue player reschedules an item if its range changes before it is heard`() {
        var stage = SteppedPlayer(items: 2)
        stage.sound()

        let effects = stage.feed(.edit(.setRange(stage.ids[1], start: time(5), end: nil)))

        #expect(effects.compactMap(\.passage).map(\.item.id) == [stage.ids[1]])
        #expect(effects.compactMap(\.passage).map(\.start) == [time(5)])
    }

    @Test func `A queue player counts an item once, however often it is sought`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        for seconds in [10.0, 20] {
            stage.feed(.command(.seek(time(seconds), nil)))
            stage.begin(stage.passages.last, at: seconds, isJump: true)
        }

        let effects = stage.feed(.command(.halt))

        let end = SessionEnd(reason: .stopped, playedCount: 1, failedCount: 0, run: 1)
        #expect(effects.contains(.report(.runEnded(end))))
    }

    @Test func `A queue player knows an item's exact length once it was measured`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()
        let source = stage.player.queue.items[0].source

        let effects = stage.feed(.stream(.measured(source, frames: 44_100 * 98)))

        let length = CMTime(value: 44_100 * 98, timescale: 44_100)
        #expect(effects.contains(.measured(stage.ids[0], length: length)))
        #expect(stage.player.queue.items[0].exactEnd == length)
    }

    @Test func `A queue player keeps what was wanted before its process began to end`() {
        var stage = SteppedPlayer(items: 1)
        stage.sound()

        stage.feed(.session(.willStop))
        stage.feed(.command(.halt))

        #expect(!stage.player.wantsPlayback)
        #expect(stage.player.record(at: stage.moment).wantsPlayback)
    }
}

import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

@testable import UndersongService

/// Playback that stops by itself.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `The sleep timer of a service` {
    /// The number of times that playback was paused on request.
    private static func pauses(_ client: Client) -> Int {
        client.events.count { $0.kind.name == "state" && $0.head.reason == .known(.userPaused) }
    }

    @Test func `The sleep timer shows the time left, can be replaced, and ends`() throws {
        let stage = try Stage()
        let client = try stage.client()

        let none = try client.call(GetSleep())
        let set = try client.call(SetSleep(seconds: 1800))
        let shown = try client.call(GetWhy()).status.sleep
        let other = try client.call(SetSleep(seconds: 60, fade: 0, after: .queue))
        let later = try client.call(SetSleep(seconds: nil, after: .item))
        let asked = try client.call(GetSleep())
        let ended = try client.call(SetSleep())

        #expect(none == SleepReport() && ended == SleepReport())
        #expect(set.remaining.map { $0 > 1790 && $0 <= 1800 } == true)
        #expect(set.fade == 10 && set.fading == false && set.after == nil)
        #expect(shown?.fade == 10)
        #expect(other.remaining.map { $0 <= 60 } == true && other.fade == 0)
        #expect(other.after == .queue)
        #expect(later == SleepReport(after: .item) && asked == later)
        #expect(try client.call(GetStatus()).sleep == nil)
    }

    @Test(arguments: [
        (
            SetSleep(seconds: 0),
            "cannot set the sleep timer: The time must be above 0 and at most 7 days"
        ),
        (
            SetSleep(seconds: 1e6),
            "cannot set the sleep timer: The time must be above 0 and at most 7 days"
        ),
        (SetSleep(seconds: 60, fade: -1), "cannot fade out: A fade-out takes 0 to 3600 seconds"),
        (
            SetSleep(seconds: nil, after: .chapter),
            "cannot stop after the chapter: The item has no chapters"
        ),
    ])
    func `The sleep timer stays unchanged if a request is invalid`(call: SetSleep, message: String)
        throws
    {
        let stage = try Stage()
        let client = try stage.client()
        _ = try client.call(SetSleep(seconds: nil, after: .item))

        let error = #expect(throws: ControlError.self) { try client.call(call) }

        #expect(error?.message == message)
        #expect(try client.call(GetSleep()) == SleepReport(after: .item))
    }

    @Test func `The sleep timer is reported by events, and to those who subscribe later`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        try client.play()
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }
        func sleeps(_ client: Client) -> [SleepReport] {
            client.events.compactMap { if case .sleep(let sleep) = $0.kind { sleep } else { nil } }
        }

        _ = try client.call(SetSleep(seconds: 60, fade: 20))
        let end = stage.clock.secondsSinceEpoch + 60
        let other = try stage.client()
        _ = try other.call(Subscribe(interval: nil))
        await other.wait { !sleeps($0).isEmpty }
        stage.clock.advance(by: 45)
        await client.wait { sleeps($0).count == 2 }
        _ = try client.call(SetSleep(seconds: nil, after: .item))
        _ = try client.call(SetSleep())
        await client.wait { sleeps($0).count == 4 }

        let found = sleeps(client)
        #expect(found.map(\.fading) == [false, true, nil, nil])
        #expect(found.map(\.after) == [nil, nil, .item, nil])
        #expect(found.map { $0.time.map { abs($0 - end) < 1 } } == [true, true, nil, nil])
        #expect(found[0].fade == 20 && sleeps(other).first == found[0])
    }

    @Test func `The sleep timer runs while the machine sleeps`() throws {
        let stage = try Stage()
        let client = try stage.client()
        _ = try client.call(SetSleep(seconds: 60))

        stage.clock.sleepMachine(for: 20)
        let left = try client.call(GetSleep()).remaining

        #expect(left.map { abs($0 - 40) < 0.001 } == true)
    }

    @Test func `The sleep timer pauses when it expires, which clears everything`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        try client.play()
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }

        _ = try client.call(SetSleep(seconds: 60, fade: 0.2, after: .queue))
        stage.clock.advance(by: 59.9)
        await client.wait { Self.pauses($0) == 1 }
        stage.clock.advance(by: 0.2)
        let state = try client.call(GetSleep())
        let status = try client.call(GetStatus())

        #expect(state == SleepReport())
        #expect(status.status == .paused && status.reason == .known(.userPaused))
        #expect(!status.wantsPlayback && status.position.seconds > 0.1)
        #expect(status.settings.volume == 100)
    }

    @Test
    func `A pause during the fade cancels the sleep timer, and playing resumes at full volume`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        _ = try client.call(Play(files: Files([Stage.song, Stage.song]), output: .null))
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }

        _ = try client.call(SetSleep(seconds: 20, fade: 20))
        let begun = try client.call(GetSleep())
        _ = try client.call(Command(.next))
        let skipped = try client.call(GetSleep())
        _ = try client.call(Command(.pause))
        let paused = try client.call(GetSleep())

        #expect(begun.fading == true && skipped.fading == true)
        #expect(paused == SleepReport())
    }

    @Test func `The sleep timer keeps running after a pause before the fade`() throws {
        let stage = try Stage()
        let client = try stage.client()
        _ = try client.call(SetSleep(seconds: 1800, after: .item))

        _ = try client.call(Command(.pause))

        #expect(try client.call(GetSleep()).remaining != nil)
        #expect(try client.call(GetSleep()).after == .item)
    }

    @Test func `The sleep timer stops after an item, before the next one, once`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        let tenth = WireTime(value: 1, timescale: 10)

        _ = try client.call(
            Play(
                files: Files(Array(repeating: FilePath(Stage.song), count: 3), end: tenth),
                output: .null,
                sleep: SetSleep(seconds: nil, after: .item)))
        await client.wait { Self.pauses($0) == 1 }
        let stopped = try client.call(GetStatus())
        _ = try client.call(Command(.resume))
        await client.wait { !$0.notices(SessionEnd.self).isEmpty }

        #expect(stopped.place == 1 && stopped.position.seconds == 0 && stopped.sleep == nil)
        #expect(client.notices(SessionEnd.self).map(\.playedCount) == [3])
        let stops = client.events.filter { $0.kind.name == "settings" }.map(\.stopAfter)
        #expect(stops == [.item, nil])
    }

    @Test func `The sleep timer follows the user to another item when it stops after an item`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        _ = try client.call(
            Play(files: Files([Stage.song, Stage.song, Stage.song]), output: .null))
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }

        _ = try client.call(SetSleep(seconds: nil, after: .item))
        _ = try client.call(Command(.next))
        _ = try client.call(Seek(to: WireTime(value: 288, timescale: 10)))
        await client.wait { Self.pauses($0) == 1 }
        let status = try client.call(GetStatus())

        #expect(status.place == 2 && status.sleep == nil)
    }

    @Test func `The sleep timer stops at the end of the queue even when repeating`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        var change = SettingsChange()
        change.repeat = .all
        let tenth = WireTime(value: 1, timescale: 10)

        _ = try client.call(
            Play(
                files: Files(Array(repeating: FilePath(Stage.song), count: 2), end: tenth),
                output: .null,
                settings: change, sleep: SetSleep(seconds: nil, after: .queue)))
        await client.wait { !$0.notices(SessionEnd.self).isEmpty }

        #expect(client.notices(SessionEnd.self).map(\.playedCount) == [2])
        #expect(client.notices(SessionEnd.self).map(\.reason) == [.finished])
        #expect(try client.call(GetStatus()).sleep == nil)
        #expect(try client.call(GetStatus()).settings.repeat == .all)
    }

    @Test func `The sleep timer keeps its time when the run is stopped, but no stop condition`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        try client.play()
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }

        _ = try client.call(SetSleep(seconds: 1800, after: .item))
        _ = try client.call(Command(.stop))
        let state = try client.call(GetSleep())

        #expect(state.after == nil && state.remaining != nil)
    }

    @Test func `The sleep timer stops after a chapter within the item, at the exact sample`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        let file = try stage.longFile(chapters: [0, 500, 4003])

        _ = try client.call(
            Play(
                files: Files([file, Stage.song]), output: .null,
                sleep: SetSleep(seconds: nil, after: .chapter)))
        await client.wait { Self.pauses($0) == 1 }
        let first = try client.call(GetStatus())
        _ = try client.call(SetSleep(seconds: nil, after: .chapter))
        _ = try client.call(Seek(to: WireTime(value: 7, timescale: 2)))
        _ = try client.call(Command(.resume))
        await client.wait { Self.pauses($0) == 2 }
        let second = try client.call(GetStatus())

        #expect(first.position == WireTime(value: 22_050, timescale: 44_100))
        #expect(first.place == 0 && first.sleep == nil)
        #expect(second.position == WireTime(value: 176_532, timescale: 44_100))
        #expect(second.place == 0 && second.sleep == nil)
    }

    @Test func `A stop after a chapter follows the user, or comes after the item's last chapter`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        let files = [
            try stage.longFile("1.mp3", chapters: [0, 600_000]),
            try stage.longFile("2.mp3", chapters: [0, 1000]), Stage.song,
        ]
        _ = try client.call(Play(files: Files(files), output: .null))
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }

        _ = try client.call(SetSleep(seconds: nil, after: .chapter))
        _ = try client.call(Command(.next))
        await client.wait { Self.pauses($0) == 1 }
        let skipped = try client.call(GetStatus())
        _ = try client.call(SetSleep(seconds: nil, after: .chapter))
        _ = try client.call(Command(.resume))
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }
        _ = try client.call(Seek(to: WireTime(value: 1259, timescale: 1)))
        await client.wait { Self.pauses($0) == 2 }
        let last = try client.call(GetStatus())
        _ = try client.call(Command(.resume))
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }

        #expect(skipped.place == 1 && skipped.position.seconds == 1)
        #expect(last.place == 2 && last.position.seconds == 0)
        #expect(throws: ControlError.self) {
            try client.call(SetSleep(seconds: nil, after: .chapter))
        }
    }
}

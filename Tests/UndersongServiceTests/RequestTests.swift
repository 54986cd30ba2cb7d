import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

@testable import UndersongService

/// Requests that clients send to a service.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A service's requests` {
    @Test func `A request replaces the queue, and reports the end of its run to each follower`()
        async throws
    {
        let stage = try Stage()
        let (first, second) = (try stage.client(), try stage.client())
        try first.attach(.active)

        let one = try first.play()
        let two = try second.play(seconds: 0.1)
        await first.wait { !$0.notices(SessionEnd.self).isEmpty }
        await second.wait { !$0.notices(SessionEnd.self).isEmpty }

        #expect(one == 1 && two == 2)
        #expect(first.notices(SessionEnd.self).map(\.reason) == [.stopped])
        #expect(first.notices(SessionEnd.self).map(\.run) == [1])
        #expect(second.notices(SessionEnd.self).map(\.reason) == [.finished])
        #expect(second.notices(SessionEnd.self).map(\.playedCount) == [1])
    }

    @Test func `A request edits the queue, and names what is not in it`() async throws {
        let stage = try Stage()
        let client = try stage.client()

        let added = try client.call(AddToQueue(Files([Stage.song, Stage.song]))).added
        let later = try client.call(InsertIntoQueue(Files([Stage.song]), after: added[0])).added
        let moved = try client.call(MoveInQueue(later[0], after: nil))
        let removed = try client.call(RemoveFromQueue([added[1]]))
        let cleared = try client.call(ClearQueue())

        #expect(added == [1, 2] && later == [3])
        #expect(moved.queue.items.map(\.id) == [3, 1, 2])
        #expect(removed.queue.items.map(\.id) == [3, 1])
        #expect(cleared.queue.items.isEmpty)
        #expect(
            throws: ControlError(
                .notFound, "cannot remove item 7: The queue has no such item")
        ) { try client.call(RemoveFromQueue([7])) }
    }

    @Test func `A request names a file that is not UTF-8 by its bytes`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        let path = FilePath(bytes: Array(stage.folder.path.utf8) + [0x2F, 0xE9])
        // Without a title, which might be known by the time of the answer.
        let untitled = try stage.longFile()
        #expect(path.withPlatformString { unsafe symlink(untitled, $0) } == 0)

        let added = try client.call(AddToQueue(Files([path]))).queue.items
        _ = try client.call(Play(files: Files([path]), output: .null))
        let item = try client.call(GetStatus()).item

        #expect(added.first?.title == #"\xe9"#)
        for entry in [added.first, item] {
            #expect(entry?.path == path.description)
            #expect(entry?.pathBytes == Base64(path.bytes))
            #expect(entry?.missing == nil)
        }
    }

    @Test func `A request shows the current item with its tags and its format`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))

        let none = try client.call(GetItem())
        try client.play()
        await client.wait { $0.events.contains { $0.beginsItem } }
        let item = try client.call(GetItem())

        #expect(none == GetItem.Reply())
        #expect(item.item?.path == Stage.song && item.item?.number == 1)
        #expect(item.tags?["title"] == "Slack Water")
        #expect(item.format?.encoding == "MPEG 1 Layer III")
        #expect(item.chapters == nil)
    }

    @Test func `A request finds the picture of the current item in its folder`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        let file = try stage.longFile()
        try Data("not looked at".utf8).write(to: stage.folder.appending(path: "cover.jpg"))
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))

        let none = try client.call(GetCover())
        _ = try client.call(Play(files: Files([file]), output: .null))
        await client.wait { $0.events.contains { $0.beginsItem } }
        let cover = try client.call(GetCover())

        #expect(none == GetCover.Reply())
        #expect(cover.item == 1)
        #expect(cover.url == "file://\(stage.folder.path)/cover.jpg")
    }

    @Test func `A request lists the queue page by page`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        let list = stage.folder.appending(path: "list.m3u")
        try Data("/1.mp3\n/2.mp3\n/3.mp3\n".utf8).write(to: list)
        _ = try client.call(AddToQueue(Files([list.path])))

        let page = try client.call(ListQueue(offset: 1, limit: 1))
        let last = try client.call(ListQueue(offset: 2, limit: 7))
        let none = try client.call(ListQueue(offset: 7))

        #expect(page.items.map(\.path) == ["/2.mp3"])
        #expect(page.offset == 1 && page.count == 3)
        #expect(last.items.map(\.path) == ["/3.mp3"])
        #expect(none.items.isEmpty && none.count == 3)
        #expect(
            throws: ControlError(
                .invalidParams, "cannot list the queue: A place must not be negative")
        ) { try client.call(ListQueue(offset: -1)) }
    }

    @Test func `A request replaces the queue by a playlist, with its titles and times`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        _ = try client.call(AddToQueue(Files([Stage.song])))
        let list = stage.folder.appending(path: "list.cue")
        let text = """
            FILE "/a.mp3" MP3
            TRACK 01 AUDIO
            TITLE "One"
            INDEX 01 00:00:00
            TRACK 02 AUDIO
            INDEX 01 00:01:01
            """
        try Data(text.utf8).write(to: list)

        let reply = try client.call(ReplaceQueue(Files([list.path])))

        #expect(reply.added == [2, 3])
        #expect(reply.queue.items.map(\.id) == [2, 3])
        #expect(reply.queue.items.map(\.title) == ["One", "a.mp3"])
        let second = WireTime(value: 76, timescale: 75)
        #expect(reply.queue.items.map(\.start) == [nil, second])
        #expect(reply.queue.items.map(\.end) == [second, nil])
        #expect(try client.call(GetStatus()).wantsPlayback == false)
    }

    @Test func `A request has times reported at the interval of each subscriber`() async throws {
        let stage = try Stage()
        let (quick, slow) = (try stage.client(), try stage.client())
        try quick.attach(.active)
        let tenth = WireTime(value: 1, timescale: 10)
        _ = try quick.call(Subscribe(interval: tenth, kinds: ["time", "end"]))
        _ = try slow.call(
            Subscribe(
                interval: WireTime(value: 1, timescale: 4), kinds: ["time", "boundary", "end"],
                boundaries: [WireTime(value: 3, timescale: 10)]))

        try quick.play(seconds: 0.55)
        for client in [quick, slow] {
            await client.wait { $0.events.last?.kind.name == "end" }
        }

        let ticks = { (client: Client) in
            client.events.filter { $0.kind.name == "time" && $0.isExact == false }.compactMap(
                \.seconds)
        }
        #expect(ticks(quick) == [0, 0.1, 0.2, 0.3, 0.4, 0.5])
        #expect(ticks(slow) == [0, 0.25, 0.5])
        #expect(slow.events.filter { $0.kind.name == "boundary" }.compactMap(\.seconds) == [0.3])
    }

    @Test
    func `A request changes settings within their ranges, and explains what is wrong with others`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        var change = SettingsChange()
        change.volume = 50
        change.rate = 1.5
        change.repeat = .all
        var louder = SettingsChange()
        louder.volumeBy = 10
        var (wrong, unknown) = (SettingsChange(), SettingsChange())
        wrong.rate = 3
        unknown["onUnplug"] = .text("stop")

        let changed = try client.call(SetSettings(change))
        let again = try client.call(SetSettings(louder))

        #expect(changed.volume == 50 && changed.rate == 1.5 && changed.repeat == .all)
        #expect(again.volume == 60)
        #expect(
            throws: ControlError(
                .invalidParams, "cannot set the rate to 3.0: It must be from 0.5 to 2.0")
        ) { try client.call(SetSettings(wrong)) }
        #expect(
            throws: ControlError(
                .invalidParams,
                "cannot use the unplug policy 'stop': It is not one of pause, follow, wait")
        ) { try client.call(SetSettings(unknown)) }
        #expect(try client.call(GetStatus()).settings == again)
    }

    @Test func `A request sets the rate of what it plays, and not of what played before`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        try client.play()
        await client.wait { $0.events.contains { $0.beginsItem } }
        var change = SettingsChange()
        change.rate = 1.5
        let long = try stage.longFile()

        _ = try client.call(
            Play(files: Files([long, Stage.song]), output: .null, settings: change))
        await client.wait { $0.events.count { $0.beginsItem } >= 2 }
        let atLong = try client.call(GetStatus())
        _ = try client.call(Command(.next))
        let atSong = try client.call(GetStatus())
        _ = try client.call(Command(.previous))
        let again = try client.call(GetStatus())

        #expect(atLong.item?.path == long && atLong.settings.rate == 1.5)
        #expect(atSong.item?.path == Stage.song && atSong.settings.rate == 1)
        #expect(again.item?.path == long && again.settings.rate == 1.5)
    }

    @Test func `A request to play explains why there is nothing to play, and changes nothing`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil, kinds: ["error", "end"]))
        try FileManager.default.createDirectory(
            at: stage.folder.appending(path: "empty"), withIntermediateDirectories: false)

        let run = try client.call(
            Play(files: Files([stage.folder.appending(path: "empty").path]), output: .null)
        ).run
        await client.wait { $0.events.count == 2 && !$0.notices(SessionEnd.self).isEmpty }

        #expect(run == 0)
        #expect(client.notices(SessionEnd.self).map(\.failedCount) == [1])
        #expect(client.events.map(\.kind.name) == ["error", "end"])
        #expect(
            throws: ControlError(.notPossible, "cannot resume: The queue is empty")
        ) { try client.call(Command(.resume)) }
    }

    @Test func `A request to play keeps the queue if nothing that it names exists`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil, kinds: ["error", "end"]))
        let kept = try client.call(AddToQueue(Files([Stage.song]))).queue

        let run = try client.call(
            Play(files: Files(["/nosuch/a.mp3", "/nosuch/b.mp3"]), output: .null)
        ).run
        await client.wait { $0.events.count == 2 && !$0.notices(SessionEnd.self).isEmpty }
        let replaced = try client.call(ReplaceQueue(Files(["/nosuch/a.mp3"])))

        #expect(run == 0)
        #expect(client.notices(SessionEnd.self).map(\.failedCount) == [2])
        #expect(client.events.map(\.kind.name) == ["error", "error"])
        #expect(
            replaced.problems == ["cannot open /nosuch/a.mp3: No such file or directory"])
        #expect(try client.call(ListQueue()).items.map(\.id) == kept.items.map(\.id))
    }

    @Test(arguments: [nil, 1000] as [Int64?])
    func `A request to play changes nothing if nothing can be played`(
        start: Int64?
    ) async throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil, kinds: ["error", "end"]))
        try client.play()
        let kept = try client.call(ListQueue())
        let before = try client.call(GetStatus())
        let words = stage.folder.appending(path: "words.mp3")
        try Data(String(repeating: "words, not music\n", count: 999).utf8).write(to: words)
        let list = stage.folder.appending(path: "list.m3u")
        try Data("words.mp3\ngone.mp3\n".utf8).write(to: list)
        var change = SettingsChange()
        change.volume = 7

        let files =
            start.map { Files([FilePath(Stage.song)], start: WireTime(value: $0, timescale: 1)) }
            ?? Files([words.path, list.path])
        let run = try client.call(Play(files: files, output: .null, settings: change)).run
        await client.wait { !$0.notices(SessionEnd.self).isEmpty }

        let after = try client.call(GetStatus())
        #expect(run == 0)
        #expect(client.notices(SessionEnd.self).map(\.failedCount) == [start == nil ? 3 : 1])
        #expect(client.events.allSatisfy { $0.failure != nil })
        #expect(after.item?.id == before.item?.id && after.wantsPlayback)
        #expect(after.settings == before.settings)
        #expect(try client.call(ListQueue()).items.map(\.id) == kept.items.map(\.id))
    }

    @Test func `A request to play names at once what cannot be played beside the rest`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil, kinds: ["error"]))
        let other = stage.folder.appending(path: "song.m4a").path
        try Data("\0\0\0\u{20}ftypM4A ".utf8).write(to: URL(filePath: other))

        _ = try client.call(Play(files: Files([Stage.song, "/nosuch.mp3"]), output: .null))
        await client.wait { !$0.events.isEmpty }
        let errors = client.events.compactMap(\.failure?.description)
        let added = try client.call(AddToQueue(Files([Stage.song, other])))
        let none = try client.call(AddToQueue(Files([other])))

        #expect(errors == ["cannot open /nosuch.mp3: No such file or directory"])
        #expect(added.addedCount == 1 && added.failedCount == 1 && added.queue.count == 2)
        #expect(added.problems.count == 1 && added.problems[0].contains(other))
        #expect(none.addedCount == 0 && none.queue.count == 2)
    }

    @Test func `A request plays the queue from its start after it was heard to its end`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        try client.play(seconds: 0.1)
        await client.wait { $0.notices(SessionEnd.self).count == 1 }

        let run = try client.call(Play(files: nil)).run
        await client.wait { $0.notices(SessionEnd.self).count == 2 }

        #expect(run == 2)
        #expect(client.notices(SessionEnd.self).map(\.playedCount) == [1, 1])
    }

    @Test func `A request seeks exactly, and only to valid times`() async throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        try client.play()
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }
        _ = try client.call(Command(.pause))
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .paused }

        let reply = try client.call(Seek(to: WireTime(value: 12, timescale: 1)))
        let status = try client.call(GetStatus())

        #expect(reply.finished && status.position.seconds == 12)
        #expect(throws: ControlError.self) {
            try client.call(Seek(to: WireTime(value: 1, timescale: 0)))
        }
    }
}

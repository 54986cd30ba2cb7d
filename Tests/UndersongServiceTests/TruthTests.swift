import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

@testable import UndersongService

/// Replies that describe what is playing, which must be true when they are sent.
@Suite(.blockingThreads) struct `A service's reply` {
    private static let folder = URL(filePath: Stage.song).deletingLastPathComponent()
    private static let second = folder.appending(path: "02 The Tide Turns.mp3").path

    /// A stage that plays a list of two songs, with a missing file between them.
    private func makeStage(
        settings change: (inout SettingsChange) -> Void = { _ in }
    ) throws -> (Stage, Client) {
        let stage = try Stage(settings: change)
        let client = try stage.client()
        try client.attach(.active)
        let list = stage.folder.appending(path: "list.m3u")
        let text = """
            #EXTM3U
            #EXTINF:30,The Testers - Song A
            \(Stage.song)
            #EXTINF:30,Gone
            /nowhere/gone.mp3
            \(Self.second)
            """
        try Data(text.utf8).write(to: list)
        _ = try client.call(Play(files: Files([list.path]), output: .null))
        return (stage, client)
    }

    private func titles(_ client: Client) throws -> [String] {
        try client.call(ListQueue()).items.map(\.title)
    }

    @Test func `A reply says that a setting is in effect and not kept`() throws {
        let folder = URL(filePath: "/tmp/service-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        // The file cannot be written by anybody.
        try FileManager.default.createDirectory(
            at: folder.appending(path: "state/state.sqlite-shm"), withIntermediateDirectories: true)
        let stage = try Stage(keeping: folder)
        let client = try stage.client()
        var change = SettingsChange()
        change.volume = 40

        let error = #expect(throws: ControlError.self) { try client.call(SetSettings(change)) }

        #expect(error?.message.hasPrefix("cannot keep the settings: ") == true)
        #expect(
            error?.message.hasSuffix("; they are in effect until the service ends") == true)
        #expect(try client.call(GetStatus()).settings.volume == 40)
    }

    @Test
    func `A reply gives an item the same title while it plays, afterwards, and after a restart`()
        async throws
    {
        let (stage, client) = try makeStage()
        let list = stage.folder.appending(path: "list.m3u").path
        let fresh = try client.call(AddToQueue(Files([list]))).queue.items.last

        let playing = try client.call(Command(.next)).item
        let stopped = try client.call(Command(.stop)).item
        let first = try client.call(ListQueue()).items.first
        let copy = stage.folder.appending(path: "copy").path
        try FileManager.default.copyItem(
            atPath: stage.folder.appending(path: "state").path, toPath: copy)
        let kept = ServiceStore(folder: copy, clock: SystemClock()).store

        // Its tags may have been read already.
        #expect(["02 The Tide Turns.mp3", "The Tide Turns"].contains(fresh?.title))
        #expect(playing?.title == "The Tide Turns" && stopped?.title == "The Tide Turns")
        #expect(playing?.duration != nil && stopped?.duration == playing?.duration)
        #expect(first?.title == "Slack Water" && first?.playlistTitle == "The Testers - Song A")
        let items = kept.record.map { kept.items($0.order.ids) } ?? []
        #expect(items.first?.displayTitle == "Slack Water")
        kept.close()
    }

    @Test func `A reply to next and previous shows what is playing, not a missing file`() throws {
        let (stage, client) = try makeStage()
        defer { _ = stage }

        let next = try client.call(Command(.next))
        let previous = try client.call(Command(.previous))
        let list = try client.call(ListQueue())

        #expect(next.item?.title == "The Tide Turns" && next.place == 2)
        #expect(previous.item?.title == "Slack Water" && previous.place == 0)
        #expect(next.item?.duration != nil && previous.item?.duration != nil)
        #expect(list.current == previous.item?.id)
    }

    @Test func `A reply to several steps shows what they lead to, and too many are refused`() throws
    {
        let (stage, client) = try makeStage()
        defer { _ = stage }
        _ = try client.call(AddToQueue(Files([Self.second, Stage.song])))

        let next = try client.call(Command(.next, times: 4))
        let previous = try client.call(Command(.previous, times: 9))
        for times in [0, -1, 1001] {
            #expect(throws: ControlError.self) { try client.call(Command(.next, times: times)) }
        }

        #expect(next.item?.title == "Slack Water" && next.place == 4)
        #expect(previous.item?.title == "Slack Water" && previous.place == 0)
    }

    @Test func `A reply to previous is the item's start if nothing before it can be played`()
        async throws
    {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        let list = stage.folder.appending(path: "gone.m3u")
        try Data("/nowhere/a.mp3\n/nowhere/b.mp3\n\(Stage.song)\n".utf8).write(to: list)
        _ = try client.call(Subscribe(interval: nil))
        _ = try client.call(Play(files: Files([list.path]), output: .null))
        _ = try client.call(Seek(to: WireTime(value: 20, timescale: 1)))

        let previous = try client.call(Command(.previous))

        #expect(previous.item?.title == "Slack Water" && previous.place == 2)
        // Until its jump is heard, the position does not change. That of the seek is not heard if
        // nothing was before.
        await client.wait {
            $0.events.contains { $0.kind.name == "jump" && $0.head.generation == 2 }
        }
        let position = try client.call(GetStatus()).position.seconds
        #expect(position < 5)
    }

    @Test func `A reply to a jump shows what is playing`() throws {
        let (stage, client) = try makeStage()
        defer { _ = stage }
        let items = try client.call(ListQueue()).items

        let reply = try client.call(Jump(to: items[1].id))

        #expect(reply.status.item?.id == items[2].id)
        #expect(reply.queue.current == items[2].id)
    }

    @Test func `A reply counts places from 0 as index and from 1 as number`() throws {
        let (stage, client) = try makeStage()
        defer { _ = stage }

        let status = try client.call(Command(.next))
        let list = try client.call(ListQueue(offset: 1, limit: 2))
        let found = try client.call(SearchQueue("turns")).found
        _ = try client.call(ClearQueue())
        let none = try client.call(GetStatus())

        #expect(status.place == 2 && status.index == 2 && status.number == 3)
        #expect(status.item?.index == 2 && status.item?.number == 3)
        #expect(list.items.map(\.index) == [1, 2] && list.items.map(\.number) == [2, 3])
        #expect(found.map(\.index) == [2] && found.map(\.number) == [3])
        #expect(none.index == nil && none.number == nil)
    }

    @Test func `A reply to a seek past the item's end is a refusal without any effect`() throws {
        let (stage, client) = try makeStage()
        defer { _ = stage }
        _ = try client.call(Seek(to: WireTime(value: 5, timescale: 1)))

        #expect(
            throws: ControlError(
                .notPossible, "cannot seek to 16:40: The item is 0:28 long")
        ) { try client.call(Seek(to: WireTime(value: 1000, timescale: 1))) }

        let status = try client.call(GetStatus())
        #expect(status.item?.title == "Slack Water")
        #expect((5..<28).contains(status.position.seconds))
    }

    @Test func `A reply to a seek forward past the end is the next item`() throws {
        let (stage, client) = try makeStage()
        defer { _ = stage }

        let reply = try client.call(SeekBy(WireTime(value: 1000, timescale: 1)))

        #expect(reply.finished)
        #expect(reply.status?.item?.title == "The Tide Turns")
        #expect(reply.position.seconds < 5)
    }

    @Test func `A reply to a seek forward past the end of a repeated item is its start`()
        async throws
    {
        let (stage, client) = try makeStage { $0.repeat = .one }
        defer { _ = stage }

        let reply = try client.call(SeekBy(WireTime(value: 1000, timescale: 1)))

        #expect(reply.status?.item?.title == "Slack Water")
        #expect(reply.position.seconds < 5)
    }

    @Test func `A reply to a seek while nothing plays explains why`() throws {
        let stage = try Stage()
        let client = try stage.client()

        #expect(throws: ControlError(.notPossible, "cannot seek: The queue is empty")) {
            try client.call(Seek(to: WireTime(value: 90, timescale: 1)))
        }
    }

    @Test(arguments: [PlayerCommand.resume, .toggle])
    func `A reply to a verb that resumes explains that it cannot if the queue is empty`(
        verb: PlayerCommand
    ) throws {
        let stage = try Stage()
        let client = try stage.client()

        #expect(throws: ControlError(.notPossible, "cannot \(verb): The queue is empty")) {
            try client.call(Command(verb))
        }
    }

    @Test func `A reply to a seek in a stream is a refusal with the reason`() throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.attach(.active)
        let path = stage.folder.appending(path: "stream.mp3").path
        try #require(mkfifo(path, 0o600) == 0)
        // A writer that stays, so that the stream does not end.
        let writer = FileHandle(fileDescriptor: open(path, O_RDWR), closeOnDealloc: true)
        defer { try? writer.close() }
        try writer.write(contentsOf: Data(contentsOf: URL(filePath: Stage.song)).prefix(60_000))
        _ = try client.call(Play(files: Files([path]), output: .null))

        let time = WireTime(value: 2, timescale: 1)
        let refusal = ControlError(.notPossible, "cannot seek: The item is a stream")
        #expect(throws: refusal) { try client.call(Seek(to: time)) }
        #expect(throws: refusal) { try client.call(SeekBy(time)) }
    }

    @Test func `A reply to why explains which volume setting keeps it from being heard`() throws {
        let (stage, client) = try makeStage {
            $0.muted = true
            $0.volume = 0
        }
        defer { _ = stage }

        let silent = try client.call(GetWhy()).silencedBy
        var change = SettingsChange()
        (change.muted, change.volume) = (false, 50)
        _ = try client.call(SetSettings(change))

        #expect(silent == [.muted, .volumeZero])
        #expect(try client.call(GetWhy()).silencedBy == nil)
    }
}

import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

@testable import UndersongService

/// The positions that a service saves of files heard in several sittings.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `The positions saved by a service` {
    private static let resuming: SettingsChange = {
        var change = SettingsChange()
        change.resumeItems = true
        return change
    }()

    /// Plays files and waits until they are heard.
    private func play(
        _ paths: [String], _ client: Client, _ change: SettingsChange? = nil
    ) async throws {
        let count = client.events.count
        _ = try client.call(Play(files: Files(paths), output: .null, settings: change))
        await client.wait { client in
            client.events.dropFirst(count).contains {
                $0.kind.name == "state" && $0.head.status == .playing
            }
        }
    }

    /// The number of times that an item has begun.
    private static func beginnings(_ client: Client) -> Int {
        client.events.count { $0.beginsItem }
    }

    private func makeClient(_ stage: Stage) throws -> Client {
        let client = try stage.client()
        try client.attach(.active)
        _ = try client.call(Subscribe(interval: nil))
        return client
    }

    private func seek(_ client: Client, to seconds: Double) throws {
        let time = WireTime(value: Int64((seconds * 10).rounded()), timescale: 10)
        _ = try client.call(Seek(to: time))
    }

    private func pause(_ client: Client) async throws {
        _ = try client.call(Command(.pause))
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .paused }
    }

    private func entries(_ client: Client) throws -> [ListedItem] {
        try client.call(ListQueue()).items
    }

    @Test func `A saved position lets a long item resume where it was left, if requested`()
        async throws
    {
        let stage = try Stage()
        let client = try makeClient(stage)
        let file = try stage.longFile()
        try await play([file], client)
        try seek(client, to: 700)
        try await pause(client)
        let shown = try #require(entries(client).first)

        try await play([file], client, Self.resuming)
        let resumed = try client.call(GetStatus()).position.seconds
        try await play([file], client, SettingsChange())
        var off = SettingsChange()
        off.resumeItems = false
        try await play([file], client, off)
        let fresh = try client.call(GetStatus()).position.seconds

        let left = try #require(shown.resume).seconds
        #expect(left >= 700 && left < 1000 && shown.finished == nil)
        #expect(resumed >= left - 5 && resumed < left + 200)
        #expect(fresh < 300)
    }

    @Test func `Saved positions apply to an item that follows by itself, and to a jump's`()
        async throws
    {
        let stage = try Stage()
        let client = try makeClient(stage)
        let files = [try stage.longFile("1.mp3"), try stage.longFile("2.mp3")]
        for (file, seconds) in zip(files, [400.0, 800]) {
            stage.memory.keepPosition(
                ResumePoint(
                    seconds: seconds, duration: 1260, isFinished: false, lastPlayed: 0),
                of: FilePath(file))
        }

        try await play([stage.longFile("0.mp3")] + files, client, Self.resuming)
        try seek(client, to: 1260)
        await client.wait { Self.beginnings($0) == 2 }
        let followed = try client.call(GetStatus())
        _ = try client.call(Command(.next))
        await client.wait { Self.beginnings($0) == 3 }
        let skipped = try client.call(GetStatus())
        _ = try client.call(Jump(to: followed.item?.id ?? 0))
        let back = try client.call(GetStatus())
        await client.wait { Self.beginnings($0) == 4 }
        let count = client.events.count
        _ = try client.call(Jump(to: followed.item?.id ?? 0))
        await client.wait { $0.events.dropFirst(count).contains { $0.kind.name == "jump" } }
        let again = try client.call(GetStatus())

        #expect(followed.place == 1 && (395..<600).contains(followed.position.seconds))
        #expect(skipped.place == 2 && (795..<1000).contains(skipped.position.seconds))
        #expect(back.place == 1 && (390..<600).contains(back.position.seconds))
        #expect(again.place == 1 && again.position.seconds < 200)
    }

    @Test func `A stopped item shows where it will resume`() async throws {
        let stage = try Stage()
        let client = try makeClient(stage)
        let file = try stage.longFile()
        stage.memory.keepPosition(
            ResumePoint(seconds: 700, duration: 1260, isFinished: false, lastPlayed: 0),
            of: FilePath(file))

        try await play([stage.longFile("0.mp3"), file], client, Self.resuming)
        _ = try client.call(SetSleep(seconds: nil, after: .item))
        try seek(client, to: 1260)
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .paused }
        let status = try client.call(GetStatus())

        #expect(status.place == 1 && status.position.seconds == 695)
    }

    @Test func `A saved position marks a finished item, which starts over`() async throws {
        let stage = try Stage()
        let client = try makeClient(stage)
        let file = try stage.longFile()
        try await play([file, stage.longFile("0.mp3")], client)
        try seek(client, to: 1259)
        await client.wait { Self.beginnings($0) == 2 }
        let shown = try entries(client)

        try await play([file], client, Self.resuming)
        let status = try client.call(GetStatus())

        #expect(shown.map(\.finished) == [true, nil] && shown.map(\.resume) == [nil, nil])
        #expect(status.position.seconds < 300)
    }

    @Test func `A saved position is at most ten seconds old while an item plays`() async throws {
        let stage = try Stage()
        let client = try makeClient(stage)
        _ = try client.call(
            Subscribe(
                interval: nil, kinds: ["boundary"],
                boundaries: [WireTime(value: 10_001, timescale: 100)]))
        try await play([try stage.longFile()], client)

        _ = try client.call(Seek(to: WireTime(value: 99_900, timescale: 1000)))
        await client.wait { $0.events.contains { $0.kind.name == "boundary" } }

        #expect(try client.call(GetStatus()).status == .playing)
        #expect(try entries(client).first?.resume?.seconds == 100)
    }

    @Test(arguments: ["stop", "next", "replace", "background"])
    func `A saved position is exact where an item is left`(way: String) async throws {
        let stage = try Stage()
        let client = try makeClient(stage)
        let file = try stage.longFile()
        _ = try client.call(
            Subscribe(
                interval: nil, kinds: ["boundary"],
                boundaries: [WireTime(value: 3055, timescale: 10)]))
        try await play([file, stage.longFile("0.mp3")], client)
        try seek(client, to: 305)
        // The seek has saved a position too.
        await client.wait { $0.events.contains { $0.kind.name == "boundary" } }

        switch way {
        case "stop": _ = try client.call(Command(.stop))
        case "next":
            _ = try client.call(Command(.next))
            await client.wait {
                $0.events.contains { $0.leavesItem }
            }
        case "replace": try await play([Stage.song], client)
        default:
            try client.attach(.background)
            await client.wait {
                $0.events.last { $0.kind.name == "state" }?.head.status == .paused
            }
        }

        let position = try #require(stage.memory.resumePosition(of: FilePath(file)))
        #expect(position.seconds >= 305.5 && position.seconds < 600 && !position.isFinished)
        #expect(abs(position.duration - 1260) < 1)
    }

    @Test func `A saved position is ignored if the file has become shorter: it starts over`()
        async throws
    {
        let stage = try Stage()
        let client = try makeClient(stage)
        let file = try stage.longFile()
        stage.memory.keepPosition(
            ResumePoint(seconds: 5000, duration: 9000, isFinished: false, lastPlayed: 0),
            of: FilePath(file))

        try await play([file], client, Self.resuming)
        let status = try client.call(GetStatus())

        #expect(status.place == 0 && status.position.seconds < 300)
    }

    @Test func `No position is saved for a short item`() async throws {
        let stage = try Stage()
        let client = try makeClient(stage)
        try await play([Stage.song, Stage.song], client)
        try seek(client, to: 28.8)
        await client.wait { Self.beginnings($0) == 2 }

        #expect(stage.memory.resumePosition(of: FilePath(Stage.song)) == nil)
        #expect(try entries(client).map(\.finished) == [nil, nil])
    }

    @Test
    func `A saved position skips back a little after a long pause, but not after a short one`()
        async throws
    {
        let stage = try Stage()
        let client = try makeClient(stage)
        let file = try stage.longFile()
        var change = SettingsChange()
        change.skipBack = 600
        try await play([file], client, change)
        try seek(client, to: 700)
        try await pause(client)

        _ = try client.call(Command(.resume))
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }
        let short = try client.call(GetStatus()).position.seconds
        try await pause(client)
        var left = try #require(stage.memory.resumePosition(of: FilePath(file)))
        left.lastPlayed -= 400
        stage.memory.keepPosition(left, of: FilePath(file))
        _ = try client.call(Command(.resume))
        await client.wait { $0.events.last { $0.kind.name == "state" }?.head.status == .playing }
        let long = try client.call(GetStatus()).position.seconds

        #expect(short >= 700)
        #expect(long >= left.seconds - 400 && long < left.seconds - 100)
    }
}

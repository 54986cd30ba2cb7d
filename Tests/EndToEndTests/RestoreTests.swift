import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A restarted service` {
        @Test func `A restarted service is paused at the same sample, and marks missing files`()
            throws
        {
            let stage = try RestoreStage()
            _ = try stage.client.call(Play(files: Files([stage.song, stage.other])))
            _ = try stage.client.call(Seek(to: WireTime(value: 5, timescale: 1)))
            try stage.waitForSound()
            _ = try stage.client.call(Command(.stop))
            let before = try stage.client.call(GetStatus())

            try FileManager.default.removeItem(atPath: stage.other)
            try stage.restart()
            let after = try stage.client.call(GetStatus())
            let gone = try stage.client.call(ListQueue()).items
            try Data().write(to: URL(filePath: stage.other))
            let back = try stage.client.call(ListQueue()).items

            #expect(before.position.seconds >= 5)
            #expect(after.position.seconds == before.position.seconds)
            #expect(after.item == before.item || after.item?.id == before.item?.id)
            #expect(after.status == .paused && !after.wantsPlayback && after.count == 2)
            #expect(gone.map(\.missing) == [nil, true])
            #expect(back.map(\.missing) == [nil, nil])
        }

        @Test func `A restarted service plays with --resume, and reports what was heard`() throws {
            let stage = try RestoreStage(["--resume"])
            _ = try stage.client.call(Play(files: Files([stage.song])))
            try stage.waitForSound()

            try stage.restart()
            try stage.waitForSound()
            let history = try stage.client.call(GetHistory(limit: 5)).entries

            #expect(history.map(\.path) == [stage.song])
            #expect(history.first.map { $0.seconds > 0 && $0.began > 1_700_000_000 } == true)
        }

        @Test func `A restarted service runs the command of --on-item`() throws {
            let folder = try Music()
            let pipe = folder.path("pipe")
            mkfifo(pipe, 0o600)
            let stage = try RestoreStage(["--on-item", "echo $UNDERSONG_PATH > '\(pipe)'"])
            _ = try stage.client.call(Play(files: Files([stage.song])))

            let reader = try #require(FileHandle(forReadingAtPath: pipe))
            let written = String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self)

            #expect(written == stage.song + "\n")
        }

        @Test func `A restarted service restores a killed one's position, even without clients`()
            throws
        {
            let stage = try RestoreStage()
            _ = try stage.client.call(Play(files: Files([stage.song])))
            try stage.waitForSound()
            try stage.recording.wait(5)
            let before = try stage.client.call(GetStatus()).position.seconds
            try stage.restart(by: SIGKILL)
            let after = try stage.client.call(GetStatus()).position.seconds

            // The position is kept once a second, on a busy machine.
            #expect(before > 4)
            #expect(after > before - 2)
        }

        /// Swift's shared threads would be watched by a timer that fires every second forever.
        @Test func `A service plays, pauses, seeks and skips without Swift's shared threads`()
            throws
        {
            let stage = try RestoreStage()
            _ = try stage.client.call(Play(files: Files([stage.song, stage.other])))
            try stage.waitForSound()
            _ = try stage.client.call(Command(.pause))
            _ = try stage.client.call(Command(.resume))
            _ = try stage.client.call(SeekBy(WireTime(value: 1, timescale: 1)))
            _ = try stage.client.call(Command(.next))
            _ = try stage.client.call(Command(.stop))

            let threads = try stage.daemon.threadNames()

            #expect(threads.contains("store"))
            // The kernel keeps the last 15 characters of `com.apple.root.default-qos`.
            #expect(!threads.contains("oot.default-qos"))
        }

        @Test func `A service reports the owner of its session and exits while that is running`()
            throws
        {
            let stage = try RestoreStage()
            _ = try stage.client.call(GetStatus())

            let second = try Program(
                Program.path(of: "undersongd"), ["serve"], environment: stage.daemon.environment)

            #expect(try second.wait() == 1)
            #expect(
                second.errorText.hasSuffix(
                    ": A service answers there already, process \(stage.daemon.process)\n"))
        }
    }
}

/// A service with two songs, which is ended and started again.
private final class RestoreStage {
    private let music: Music
    private let server: SoundServer
    let recording: Recording
    let song: String
    let other: String
    let daemon: Daemon
    private(set) var client: ControlClient

    init(_ arguments: [String] = []) throws {
        music = try Music()
        song = try music.encode(Music.noise(seconds: 20), to: "song.mp3")
        other = try music.encode(Music.noise(seconds: 1), to: "other.mp3")
        server = try SoundServer()
        recording = try Recording(server)
        daemon = try Daemon(
            in: server.folder.path, arguments, environment: server.environment)
        client = try daemon.client()
        _ = try client.call(Attach(state: .active, source: "option"))
    }

    /// Ends the service with SIGTERM, as the system does, or another signal, and starts it again.
    func restart(by signal: Int32 = SIGTERM) throws {
        daemon.end(by: signal)
        try daemon.start()
        client = try daemon.client()
        _ = try client.call(Attach(state: .active, source: "option"))
    }

    /// Waits until some of the current item has been heard.
    func waitForSound() throws {
        let start = try client.call(GetStatus()).position.seconds
        try recording.waitForSound()
        try waitUntil { try client.call(GetStatus()).position.seconds >= start + 0.1 }
    }
}

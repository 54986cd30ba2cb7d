import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `A client of MPD's protocol` {
        @Test(.comparesSamples)
        func `A client of MPD's protocol plays the queue, every sample of it`() throws {
            let stage = try Stage()
            let sources = try Sources(stage.music, seconds: [1.5, 1.2])
            try stage.allowAudioInBackground()
            let client = try stage.client()
            let recording = try Recording(stage.server)

            for path in sources.paths { #expect(try client.call("add \(path)") == ["OK"]) }
            #expect(try client.call("play") == ["OK"])
            // The end of the queue is reported, as is each song.
            while try client.call("status").value("state") == "play" {
                #expect(try client.call("idle player").first == "changed: player")
            }

            let heard = Heard(try recording.finish(), of: sources.music)
            #expect(heard.unmatchedFrames == 0)
            #expect(heard.joined.map(\.count) == sources.music.map(\.count))
        }

        @Test func `A client of MPD's protocol finds its edits after the service was killed`()
            throws
        {
            let stage = try Stage()
            let song = try stage.music.encode(Music.noise(seconds: 1), to: "a.mp3")
            let client = try stage.client()
            let ids = try (0..<3).map { _ in try client.call("addid \(song)").value("Id") ?? "" }
            #expect(try client.call("moveid \(ids[2]) 0") == ["OK"])

            stage.daemon.end(by: SIGKILL)
            try stage.daemon.start()

            // The socket that the first one has left is not in the way.
            let next = try stage.client()
            #expect(try next.call("playlistinfo").values("Id") == [ids[2], ids[0], ids[1]])
            stage.daemon.end(by: SIGTERM)
            #expect(!FileManager.default.fileExists(atPath: stage.socket))
        }

        @Test func `A client of MPD's protocol on the network needs a password`() throws {
            let port = try NetworkServer.freePort()
            let stage = try Stage(
                "--mpd", "127.0.0.1:\(port)", "--mpd-password", "secret@read,add")
            // The service listens there once it listens on the socket.
            _ = try stage.client()
            let song = try stage.music.encode(Music.noise(seconds: 1), to: "a.mp3")
            let client = try MPDTestClient(port: port)

            #expect(
                try client.call("status")
                    == ["ACK [4@0] {status} you don't have permission for \"status\""])
            #expect(
                try client.call("password secre") == ["ACK [3@0] {password} incorrect password"])
            #expect(try client.call("password secret") == ["OK"])
            #expect(try client.call("status").last == "OK")
            #expect(
                try client.call("clear")
                    == ["ACK [4@0] {clear} you don't have permission for \"clear\""])
            // Files are for clients of this machine.
            #expect(try client.call("add \(song)").last?.hasPrefix("ACK ") == true)
            #expect(try client.call("status").value("playlistlength") == "0")
        }

        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/mpc")))
        func `A client of MPD's protocol that is known everywhere understands the player`() throws {
            let stage = try Stage()
            let song = try stage.music.encode(Music.noise(seconds: 1), to: "a.mp3")
            func mpc(_ words: String...) throws -> String {
                let program = try Program(
                    "/usr/bin/mpc", words,
                    environment: stage.daemon.environment.merging(["MPD_HOST": stage.socket]) { $1 }
                )
                #expect(try program.wait() == 0, "\(program.errorText)")
                return program.text
            }
            _ = try stage.client()

            _ = try mpc("--quiet", "add", song)
            _ = try mpc("--quiet", "add", song)
            _ = try mpc("--quiet", "repeat", "on")
            let status = try mpc("--quiet", "volume", "40") + (try mpc("status"))
            let listed = try mpc("playlist", "--format", "%position% %file%")

            #expect(status.contains("volume: 40%   repeat: on    random: off"))
            #expect(listed.split(separator: "\n").count == 2 && listed.hasPrefix("1 "))
        }
    }
}

/// A service with music, a sound server, and a socket for clients of MPD's protocol.
private final class Stage {
    let server: SoundServer
    let music: Music
    let daemon: Daemon
    var socket: String { daemon.folder + "/mpd/socket" }

    init(_ arguments: String...) throws {
        server = try SoundServer()
        music = try Music()
        daemon = try Daemon(
            in: server.folder.path, arguments, environment: server.environment)
    }

    /// A client, once the service listens.
    func client() throws -> MPDTestClient {
        var client: MPDTestClient?
        try waitUntil {
            client = try? MPDTestClient(path: socket)
            return client != nil
        }
        return try #require(client)
    }

    func allowAudioInBackground() throws {
        let program = try Program(
            Program.undersong, ["capability", "audio", "on"], environment: daemon.environment)
        #expect(try program.wait() == 0, "\(program.errorText)")
    }
}

import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The connection that is made before there is something to play, and that stays the only one.
    @Suite struct `A connection made in advance` {
        @Test func `is closed again where nothing is played`() throws {
            let server = try SoundServer()
            let daemon = try Daemon(in: server.folder.path, ["--sound-server", server.address])
            defer { daemon.end(by: SIGKILL) }

            try waitUntil { try players(on: server) == 1 }
            try waitUntil { try players(on: server) == 0 }
        }

        @Test func `is the only one, by which a run plays and hears of the server`() throws {
            let server = try SoundServer()
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 4), to: "a.mp3")
            let recording = try Recording(server)

            let run = try Program(
                Program.undersong, ["play", path], environment: server.environment)
            try recording.wait(1)

            #expect(try players(on: server) == 1)
            run.signal(SIGTERM)
            try run.wait()
        }

        /// How many connections the service, or this process, has to the server.
        private func players(on server: SoundServer) throws -> Int {
            try server.pactl("list", "clients").split(separator: "\n")
                .count { $0.hasSuffix("application.name = \"Undersong\"") }
        }
    }
}

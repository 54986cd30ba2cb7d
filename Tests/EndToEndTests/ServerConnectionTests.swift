import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The connection made before there is something to play, which stays the only one.
    @Suite struct `A connection made in advance` {
        @Test func `A connection made in advance is closed again if nothing is played`() throws {
            let server = try SoundServer()
            let daemon = try Daemon(in: server.folder.path, ["--sound-server", server.address])
            defer { daemon.end(by: SIGKILL) }

            try waitUntil { try players(on: server) == 1 }
            try waitUntil { try players(on: server) == 0 }
        }

        @Test func `A connection made in advance is the only one, for playing and for events`()
            throws
        {
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

        /// The number of connections of the service, or this process, to the server.
        private func players(on server: SoundServer) throws -> Int {
            try server.pactl("list", "clients").split(separator: "\n")
                .count { $0.hasSuffix("application.name = \"Undersong\"") }
        }
    }
}

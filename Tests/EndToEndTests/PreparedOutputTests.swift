import AudioSession
import Foundation
import Testing

@testable import AudioIO

extension EndToEnd {
    /// The connection that is made before there is something to play.
    @Suite struct `A connection made in advance` {
        @Test func `is there once, and is played over`() throws {
            let server = try SoundServer()
            let destination = OutputDestination.pulse(server: server.address, device: nil)
            let prepared = try #require(PreparedOutput(for: destination))

            #expect(prepared.serves(destination))
            #expect(!prepared.serves(.pulse(server: nil, device: nil)))
            let connection = try #require(try prepared.take())
            let output = try PulseOutput(
                format: Self.format, on: connection, device: nil, asksVolume: false)

            #expect(try prepared.take() == nil)
            #expect(!prepared.serves(destination))
            #expect(output.room > 0)
        }

        @Test func `makes way for another where the server has gone since and is back`() throws {
            let server = try SoundServer()
            let prepared = try #require(
                PreparedOutput(for: .pulse(server: server.address, device: nil)))
            try waitUntil { try players(on: server) == 1 }
            server.stop()
            try server.start()

            let output = try PulseOutput.open(
                format: Self.format, server: server.address, prepared: prepared, device: nil,
                asksVolume: false)

            #expect(output.room > 0)
        }

        @Test func `fails with the same error as any other`() throws {
            let address = "unix:/nowhere/native"
            let prepared = try #require(PreparedOutput(for: .pulse(server: address, device: nil)))

            let errors = [prepared, nil].map { prepared in
                #expect(throws: OutputError.self) {
                    _ = try PulseOutput.open(
                        format: Self.format, server: address, prepared: prepared, device: nil,
                        asksVolume: false
                    ).room
                }
            }

            #expect(errors[0] != nil && errors[0] == errors[1])
        }

        @Test func `is closed again where nothing is played`() throws {
            let server = try SoundServer()
            let daemon = try Daemon(in: server.folder.path, ["--sound-server", server.address])
            defer { daemon.end(by: SIGKILL) }

            try waitUntil { try players(on: server) == 1 }
            try waitUntil { try players(on: server) == 0 }
        }

        @Test func `is the one that a run plays over`() throws {
            let server = try SoundServer()
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 4), to: "a.mp3")
            let recording = try Recording(server)

            let run = try Program(
                Program.undersong, ["play", path], environment: server.environment)
            recording.wait(1)

            // The other one listens.
            #expect(try players(on: server) == 2)
            run.signal(SIGTERM)
            run.wait()
        }

        private static let format = StreamFormat(sampleRate: 44100, channelCount: 2)

        /// How many connections the service, or this process, has to the server.
        private func players(on server: SoundServer) throws -> Int {
            try server.pactl("list", "clients").split(separator: "\n")
                .count { $0.hasSuffix("application.name = \"Undersong\"") }
        }

        private func waitUntil(_ condition: () throws -> Bool) throws {
            let deadline = ContinuousClock.now + .seconds(20)
            while try !condition() {
                try #require(ContinuousClock.now < deadline)
                usleep(10_000)
            }
        }
    }
}

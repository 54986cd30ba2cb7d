import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `A sound server across the network` {
        @Test(.comparesSamples)
        func `A remote sound server plays for any client that has its cookie`() throws {
            let server = try SoundServer()
            let network = try NetworkServer(server)
            let music = try Music()
            let sources = try Sources(music, seconds: [1.5, 1.2])
            // The service starts without a cookie.
            _ = try undersong(["queue", "--json"], server.environment)
            let recording = try Recording(server)

            let byOption = try undersong(
                ["play", "--server", network.address, sources.paths[0]],
                server.environment.merging(["PULSE_COOKIE": network.cookie]) { $1 })
            let byVariable = try undersong(
                ["play", sources.paths[1]],
                server.environment.merging([
                    "PULSE_COOKIE": network.cookie, "PULSE_SERVER": network.address,
                ]) { $1 })

            #expect(byOption.status == 0 && byVariable.status == 0)
            let heard = Heard(try recording.finish(), of: sources.music)
            #expect(heard.unmatchedFrames == 0)
            #expect(heard.joined.map(\.source) == [0, 1])
            let wanted = sources.music.map(\.count)
            #expect(heard.joined.map(\.count).elementsEqual(wanted))
        }

        @Test func `A remote sound server refuses a wrong or missing cookie with an error at once`()
            throws
        {
            let server = try SoundServer()
            let network = try NetworkServer(server)
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 1), to: "a.mp3")
            let arguments = ["play", "--server", network.address, path]
            let right = ["PULSE_COOKIE": network.cookie]
            let wrong = ["PULSE_COOKIE": network.wrongCookie]

            let refused = try undersong(arguments, server.environment.merging(wrong) { $1 })
            let played = try undersong(arguments, server.environment.merging(right) { $1 })
            // The other client had the cookie.
            let without = try undersong(arguments, server.environment)

            let why =
                "undersong: cannot connect to the sound server \(network.address): Access denied\n"
            #expect(refused.status == 69 && refused.error == why)
            #expect(played.status == 0 && played.error == "")
            #expect(without.status == 69 && without.error == why)
        }

        @Test func `A remote sound server is named in the error if it does not exist`() throws {
            let server = try SoundServer()
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 1), to: "a.mp3")
            let address = "tcp:127.0.0.1:\(try NetworkServer.freePort())"

            let refused = try undersong(
                ["play", "--server", address, path], server.environment)

            #expect(refused.status == 69)
            #expect(
                refused.error
                    == "undersong: cannot connect to the sound server \(address): "
                    + "Connection refused\n")
        }

        @Test(.comparesSamples)
        func `A remote sound server continues the queue from where another server left it`()
            throws
        {
            let (one, other) = (try SoundServer(), try SoundServer())
            let music = try Music()
            let sources = try Sources(music, seconds: [4])
            let recordings = (try Recording(one), try Recording(other))
            let run = try Program(
                Program.undersong, ["play", sources.paths[0]], environment: one.environment)
            try recordings.0.wait(1)

            let pause = try undersong(["pause"], one.environment)
            let play = try undersong(["play", "--server", other.address], one.environment)

            #expect(pause.status == 0 && play.status == 0)
            #expect(try run.wait() == 0)
            let before = Heard(try recordings.0.finish(), of: sources.music).joined
            let after = Heard(try recordings.1.finish(), of: sources.music).joined
            #expect(before.count == 1 && after.count == 1)
            #expect(before.first?.start == 0)
            #expect(after.first?.start == before.last?.end)
            #expect(after.last?.end == sources.music[0].count)
        }

        /// Runs the program to its end.
        private func undersong(
            _ arguments: [String], _ environment: [String: String]
        ) throws -> (status: Int32, error: String) {
            let program = try Program(Program.undersong, arguments, environment: environment)
            return (try program.wait(), program.errorText)
        }
    }
}

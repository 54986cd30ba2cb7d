import Glibc
import TestSupport
import Testing
import UndersongAudioIO
import UndersongBase
import UndersongPlayback

extension EndToEnd {
    @Suite struct `Playback by libpulse-simple` {
        @Test(.comparesSamples)
        func `Playback by libpulse-simple is as mpg123 decodes a queue, joins included`() throws {
            let server = try SoundServer()
            let music = try Music()
            let paths = try [1.3, 0.05, 1.7].enumerated().map { index, seconds in
                try music.encode(
                    Music.noise(seconds: seconds, seed: UInt64(index + 1)), to: "\(index).mp3")
            }
            let expected = try Music.decoded(paths)
            let recording = try Recording(server)

            let player = try Program(
                Program.undersong, ["play", "--json", "--output", "pulse-simple"] + paths,
                environment: server.environment)
            try recording.waitForSound()
            let why = try Program(Program.undersong, ["why"], environment: server.environment)
            try why.wait()
            let status = try player.wait()

            #expect(status == 0)
            let heard = sounds(in: try recording.finish())
            #expect(heard.count == 1)
            let isAll = heard.first.map(Array.init) == trimmed(expected)
            #expect(isAll)
            #expect(why.text.contains(#/output +pulse-simple/#))
        }
    }

    @Suite struct `The outputs to a sound server` {
        private static let format = StreamFormat(sampleRate: 44100, channelCount: 2)
        /// The most that the server, its sink and the buffer between them hold, in nanoseconds.
        private static let deviceShare: Int64 = 500_000_000

        @Test(arguments: SoundServer.Kind.installed)
        func `The output contract is fulfilled with libpulse`(_ kind: SoundServer.Kind) throws {
            let server = try SoundServer(kind)

            // PipeWire may take one more block after a pause.
            try expectOutputContract(
                of: Self.format, deviceShare: Self.deviceShare, isExact: kind == .pulseAudio
            ) { () throws(OutputError) in
                try PulseOutput(format: Self.format, server: server.address, device: nil)
            }
        }

        @Test(arguments: SoundServer.Kind.installed)
        func `The output contract is fulfilled with libpulse-simple`(_ kind: SoundServer.Kind)
            throws
        {
            let server = try SoundServer(kind)

            try expectOutputContract(of: Self.format, deviceShare: Self.deviceShare) {
                () throws(OutputError) in
                try Self.simple(on: server)
            }
        }

        @Test func `The outputs report the same reason when they cannot be opened`() throws {
            let server = try SoundServer()
            let errors = [
                Self.error { () throws(OutputError) in
                    try PulseOutput(format: Self.format, server: server.address, device: "none")
                },
                Self.error { () throws(OutputError) in
                    try Self.simple(on: server, device: "none")
                },
            ]
            server.stop()
            let laterErrors = [
                Self.error { () throws(OutputError) in
                    try PulseOutput(format: Self.format, server: server.address, device: nil)
                },
                Self.error { () throws(OutputError) in try Self.simple(on: server) },
            ]

            #expect(errors.map(\.?.code) == [.noSuchDevice, .noSuchDevice])
            #expect(errors.first == errors.last)
            #expect(laterErrors.map(\.?.code) == [.serverUnavailable, .serverUnavailable])
            #expect(laterErrors.first == laterErrors.last)
        }

        @Test func `The outputs wake a waiting libpulse-simple when the server goes`() throws {
            let server = try SoundServer()
            var output = try Self.simple(on: server)
            try Self.fill(&output)

            startThread(named: "stop") { server.stop() }
            let quiet = Wakeup()
            let deadline = SystemClock().now + Int64(patience * 1e9)
            var error: OutputError?
            while error == nil && SystemClock().now < deadline {
                do throws(OutputError) {
                    if output.room > 0 { try Self.fill(&output) }
                    try output.wait(until: deadline, or: quiet.descriptor)
                } catch let failure {
                    error = failure
                }
            }

            #expect(error?.code == .serverLost)
        }

        @Test func `The outputs leave no thread waiting for libpulse-simple when the server hangs`()
            throws
        {
            let server = try SoundServer()
            var output = try Self.simple(on: server)
            try Self.fill(&output)

            server.freeze()
            // The ring is full, and nothing is taken from it.
            while output.room > 0 { try Self.fill(&output) }
            let written = Self.format.frames(milliseconds: 250)
            let kept = try output.pause()
            let dropped = try output.flush(continuing: true)
            let room = output.room
            output.close()

            #expect(kept > 0 && kept <= written)
            #expect(dropped == kept)
            #expect(room > 0)
            server.thaw()
        }

        @Test func `The outputs sleep while a hanging server owes an answer, woken or not`() throws
        {
            let server = try SoundServer()
            var output = try PulseOutput(format: Self.format, server: server.address, device: nil)
            try Self.fill(&output)
            let wakeup = Wakeup()
            wakeup.post()
            try output.wait(until: nil, or: wakeup.descriptor)

            server.freeze()
            startThread(named: "thaw") {
                usleep(300_000)
                server.thaw()
            }
            let (start, used) = (SystemClock().now, threadTime())
            _ = try output.reading()

            #expect((threadTime() - used) * 10 < SystemClock().now - start)
        }

        private static func simple(
            on server: SoundServer, device: String? = nil
        ) throws(OutputError) -> PulseSimpleOutput {
            try PulseSimpleOutput(
                format: format, server: server.address, device: device, clock: SystemClock())
        }

        /// Writes as much as there is room for.
        private static func fill(
            _ output: inout some AudioOutput & ~Copyable
        ) throws(OutputError) {
            let bytes = [UInt8](repeating: 1, count: output.room * format.bytesPerFrame)
            try bytes.span.withUnsafeBytes { bytes throws(OutputError) in
                try output.write(bytes)
            }
        }

        private static func error<Output: AudioOutput & ~Copyable>(
            _ make: () throws(OutputError) -> Output
        ) -> OutputError? {
            do throws(OutputError) {
                try make().close()
                return nil
            } catch {
                return error
            }
        }
    }
}

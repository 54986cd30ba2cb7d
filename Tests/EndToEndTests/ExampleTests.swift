import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `An example` {
        @Test(.comparesSamples)
        func `The queue player example plays gapless and prints titles and times as heard`() throws
        {
            let example = try Example("QueuePlayer", seconds: [0.75, 0.5])

            let lines = try example.run()

            #expect(
                lines == ["Now playing: 0.mp3"] + Self.times(upTo: 75)
                    + ["Now playing: 1.mp3"] + Self.times(upTo: 50) + ["Now playing: Unknown"])
            let heard = sounds(in: try example.recording.finish())
            #expect(heard.count == 1)
            let isAll = heard.first.map(Array.init) == trimmed(example.expected)
            #expect(isAll)
        }

        @Test(.comparesSamples)
        func `The audio engine example plays files and a buffer without a gap`() throws {
            let example = try Example(
                "AudioEngine", of: "UndersongAsyncExamples", seconds: [0.75, 0.5])

            let lines = try example.run()

            #expect(lines == ["Playing: true", "Played to the end: true", "Finished"])
            let heard = sounds(in: try example.recording.finish())
            #expect(heard.count == 1)
            let again = example.expected.suffix(11_025)
            let isAll = heard.first.map(Array.init) == trimmed(example.expected + again)
            #expect(isAll)
        }

        @Test(.comparesSamples)
        func `The view model example shows times in front and prints them in the background`()
            throws
        {
            let example = try Example("ViewModel", seconds: [0.6, 0.4])

            let lines = try example.run()

            #expect(
                lines == ["Title: 0.mp3", "Length: 0:00"]
                    + Self.times(upTo: 60).map { "Time: \($0)" }
                    + ["In the background", "Title: 1.mp3", "Length: 0:00"]
                    + Self.times(upTo: 40).map { "Background: \($0)" } + ["Finished"])
            let heard = sounds(in: try example.recording.finish())
            let isAll = heard.first.map(Array.init) == trimmed(example.expected)
            #expect(isAll)
        }

        @Test(.comparesSamples)
        func `The Combine example plays in an asynchronous main and prints what it publishes`()
            throws
        {
            let example = try Example(
                "Combine", of: "UndersongAsyncExamples", seconds: [0.75, 0.5])

            let lines = try example.run()

            // The model may have the first title before anybody subscribes to it.
            let titles = lines.filter { $0.hasPrefix("Title") }.drop { $0 == "Title: " }
            #expect(titles == ["Title: 0.mp3", "Title: 1.mp3", "Title: "])
            #expect(
                lines.filter { $0.hasPrefix("Playing") }
                    == [
                        "false, played: 0", "true, played: 0", "true, played: 1",
                        "true, played: 2", "false, played: 2",
                    ].map { "Playing: \($0)" })
            #expect(
                lines.filter { $0.hasPrefix("Time") }
                    == Self.tenths(7) + ["Time: 0.75"] + Self.tenths(5))
            let heard = sounds(in: try example.recording.finish())
            let isAll = heard.first.map(Array.init) == trimmed(example.expected)
            #expect(isAll)
        }

        @Test(.comparesSamples)
        func `The interruption example resumes after a call and pauses without headphones`()
            throws
        {
            let example = try Example("Interruptions", seconds: [1, 0.5])

            let lines = try example.run()

            #expect(lines.filter { $0.hasPrefix("Player") } == Self.plays(and: 2))
            #expect(
                lines.filter { !$0.hasPrefix("Player") } == [
                    "Interruption: began", "Interruption: ended, should resume",
                    "Route: new device, headphones: true",
                    "Route: device gone, had headphones: true", "Somebody presses play", "Finished",
                ])
            // Three pieces, split anywhere, without a lost frame.
            let heard = sounds(in: try example.recording.finish())
            #expect(heard.count == 3)
            let isAll = Array(heard.joined()) == trimmed(example.expected)
            #expect(isAll)
        }

        @Test(.comparesSamples)
        func `The queue player example is silent during a call and resumes with the next frame`()
            throws
        {
            let example = try Example("QueuePlayer", seconds: [5])

            let program = try example.start()
            try example.recording.waitForSound()
            try example.recording.wait(0.5)
            let call = try example.server.call(seconds: 1, from: example.path("call.raw"))
            try call.wait()
            let status = try program.wait()

            #expect(status == 0)
            let heard = sounds(in: try example.recording.finish())
            #expect(heard.count == 2)
            let isAll = Array(heard.joined()) == trimmed(example.expected)
            #expect(isAll)
        }

        @Test
        func `The Now Playing example shows what plays and responds to a remote control`() throws {
            let example = try Example(
                "NowPlaying", seconds: [1, 0.7], options: ["--tt", "Undersong"])

            let lines = try example.run()

            #expect(
                lines.filter { !$0.hasPrefix("Seek finished") && !$0.hasPrefix("Next") } == [
                    "At first: Undersong, 1.0 s, at rate 1.0", "resume: commandFailed",
                    "pause: success", "Paused: Undersong, 1.0 s, at rate 0.0",
                    "changePlaybackPosition(0.6): success", "skipBackward(0.5): success",
                    "resume: success", "next: success", "next: noSuchContent",
                    "skipForward(0.5): success", "Finished",
                ])
            #expect(lines.contains { $0.hasPrefix("Next: Undersong, 0.7 s") })
            #expect(lines.last { $0.hasPrefix("Seek") } == "Seek finished: true")
        }

        @Test(
            .comparesSamples,
            arguments: [
                ("UndersongExamples", ["RunLoop"]), ("UndersongExamples", ["dispatchMain"]),
                ("UndersongAsyncExamples", []),
            ])
        func `The example in today's style plays, pauses and shows the item on every run loop`(
            program: String, loop: [String]
        ) throws {
            let example = try Example("ModernPlayer", of: program, seconds: [0.75, 0.5])

            let lines = try example.run(loop)

            #expect(
                lines == [
                    "Title: 0.mp3", "Pause: success", "Shown: 0.mp3", "Play: success", "Played: 1",
                    "Title: 1.mp3", "Played: 2", "Finished",
                ])
            let heard = sounds(in: try example.recording.finish())
            let isAll = Array(heard.joined()) == trimmed(example.expected)
            #expect(isAll)
        }

        @Test(arguments: ["RunLoop", "dispatchMain"])
        func `The example rewritten by scripts/port gets notifications, commands and timers`(
            loop: String
        ) throws {
            let example = try Example("PortedPlayer", seconds: [2.5])

            let lines = try example.run([loop])

            // As on Apple's systems `dispatchMain()` runs no timers, which belong to the run loop.
            let ticks = loop == "RunLoop" ? ["tick"] : []
            #expect(
                lines == [
                    "player(UndersongPlayback.PlayerCommand.resume): success",
                    "player(UndersongPlayback.PlayerCommand.pause): success",
                    "changePlaybackPosition(2.0): success",
                    "player(UndersongPlayback.PlayerCommand.resume): success", "ended", "for iOS",
                    "interrupted 0", "later", "seek 2.0",
                ] + ticks + ["interrupted 1 time"])
        }

        @Test(arguments: ["RunLoop", "dispatchMain"])
        func `The example rewritten by scripts/port observes key paths`(loop: String) throws {
            let example = try Example("PortedKeyPaths", seconds: [0.5])

            let lines = try example.run([loop])

            #expect(
                Set(lines).isSuperset(of: [
                    "status 0", "rate 1.0", "item true", "keeps up true", "duration true",
                    "status 2",
                    "rate 0.0", "volume 0.5", "empty false",
                ]))
            // It had stopped before the rate was set again.
            #expect(!lines.contains("rate 0.5"))
        }

        @Test func `The example rewritten by scripts/port runs on the main actor`() throws {
            let example = try Example("PortedMainActor", seconds: [0.3])

            #expect(try example.run([]) == ["playing", "ended"])
        }

        @Test(
            .rule("G1", "G2", "G3", "G4", "G7", "G8", "N1", "N2", "K3"),
            arguments: ["simulate", "background"])
        func `The background refresh example asks for the next refresh each time`(
            verb: String
        ) throws {
            let folder = try RuntimeFolder()

            let first = try Self.refresh(verb, in: folder)
            let second = try Self.refresh("background", in: folder)

            #expect(
                first.dropLast() == [
                    "background refresh scheduled", "refresh occurred",
                    "background refresh scheduled",
                ])
            let last = try #require(first.last)
            #expect(last.hasPrefix("Last refresh: ") && last != "Last refresh: Not yet updated")
            // It is too early for the next one, which the second process has asked for again.
            #expect(second == ["background refresh scheduled", last])
        }

        @Test func `The background refresh example shows what it has not declared`() throws {
            let lines = try Self.refresh("undeclared", in: RuntimeFolder())

            let identifier = "net.undersong.BackgroundRefreshExample.task.refresh"
            #expect(
                lines == [
                    "\(identifier) is not permitted",
                    "Couldn't schedule app refresh cannot submit \(identifier): the background mode "
                        + "'fetch' is not declared",
                    "Last refresh: Not yet updated",
                ])
        }

        /// Runs the example of a background refresh to its end; the next may begin at once.
        private static func refresh(_ verb: String, in folder: RuntimeFolder) throws -> [String] {
            // After a simulated refresh, which uses up nothing, the next one must not be due.
            let delay = verb == "simulate" ? "60" : "0"
            let program = try Program(
                Program.path(of: "UndersongExamples"),
                ["BackgroundRefresh", verb, folder.path, delay],
                environment: folder.environment)
            #expect(try program.wait() == 0, "\(program.errorText)")
            return program.text.split(separator: "\n").map(String.init)
        }

        /// An item's times, in the format of the examples.
        private static func times(upTo last: Int) -> [String] {
            (0...last).map { String(format: "%d.%02d", $0 / 100, $0 % 100) }
        }

        private static func tenths(_ last: Int) -> [String] {
            (0...last).map { String(format: "Time: %.2f", Double($0) / 10) }
        }

        private static func plays(and pauses: Int) -> [String] {
            ["Player: playing"]
                + (0..<pauses).flatMap { _ in ["Player: paused", "Player: playing"] }
        }
    }
}

/// One of the examples of a program in `Examples/`, on its own sound server.
private struct Example {
    let server: SoundServer
    let recording: Recording
    /// The files as decoded by mpg123, end to end.
    let expected: [Frame]
    private let program, name: String
    private let music: Music
    private let paths: [String]

    /// Cuts one noise into files of the given `lengths` in seconds.
    init(
        _ name: String, of program: String = "UndersongExamples", seconds lengths: [Double],
        options: [String] = []
    ) throws {
        let music = try Music()
        let noise = Music.noise(seconds: lengths.reduce(0, +))
        var position = 0
        paths = try lengths.enumerated().map { index, seconds in
            let end = position + Int(seconds * 44100) * 4
            defer { position = end }
            return try music.encode(
                noise[position..<end], to: "\(index).mp3", options: ["-b", "128"] + options)
        }
        expected = try Music.decoded(paths)
        server = try SoundServer()
        recording = try Recording(server)
        (self.program, self.name, self.music) = (program, name, music)
    }

    func start(_ options: [String] = []) throws -> Program {
        try Program(
            Program.path(of: program), [name] + options + paths, environment: server.environment)
    }

    func path(_ name: String) -> String { music.path(name) }

    /// Runs it to its end and returns its output. Repeated lines count once: a time is printed
    /// again when the item starts or stops there.
    func run(_ options: [String] = []) throws -> [String] {
        let program = try start(options)
        #expect(try program.wait() == 0, "\(program.errorText)")
        return program.text.split(separator: "\n").map(String.init).reduce(into: []) {
            if $0.last != $1 { $0.append($1) }
        }
    }
}

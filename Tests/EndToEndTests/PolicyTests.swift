import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct `The background policy under a real shell's job control` {
        @Test(.rule("B4", "C11"), .comparesSamples)
        func `Ctrl-Z with the capability does not affect the sound or the time events`()
            throws
        {
            let stage = try Stage()

            try stage.play(backgroundAudio: "on")
            try stage.terminal.stopJob()
            try stage.events.wait { $0["end"].count == 1 }
            try stage.terminal.run("fg")

            let heard = sounds(in: try stage.recording.finish())
            #expect(heard.map(Array.init) == [stage.expected])
            let events = try stage.events.events
            #expect(events["policy"].allSatisfy { $0["decision"] as? String == "allowed" })
            #expect(events["time"].last?["state"] as? String == "background")
            #expect(events.ticks(of: 1) == Array(0...300))
        }

        @Test(.rule("B4", "A3"), .comparesSamples)
        func `Ctrl-Z without the capability is silent, and fg resumes at the exact sample`()
            throws
        {
            let stage = try Stage()

            try stage.play(backgroundAudio: "off")
            try stage.terminal.stopJob()
            try stage.events.wait { $0["state"].last?["status"] as? String == "paused" }
            try stage.recording.wait(0.3)
            try stage.terminal.run("fg", untilPrompt: false)
            try stage.terminal.waitFor("ready> ")

            let heard = sounds(in: try stage.recording.finish())
            #expect(heard.count == 2)
            #expect(Array(heard.joined()) == stage.expected)
            let events = try stage.events.events
            let silent = events["state"].first { $0["reason"] as? String == "appBackgrounded" }
            let position = silent?["position"] as? [String: Any]
            #expect(position.flatMap(frame) == heard.first.map { $0.count + stage.lead })
            let reasons = events["policy"].compactMap { $0["reasons"] as? [String] }
            // The first event reports the initial state, the second the option.
            #expect(reasons == [[], [], ["appBackgrounded"], []])
            let lifecycle = events["application"].compactMap { $0["lifecycle"] as? [String] }
            #expect(
                lifecycle == [
                    [], ["willResignActive", "didEnterBackground"],
                    ["willEnterForeground", "didBecomeActive"],
                ])
            #expect(events.ticks(of: 1) == Array(0...300))
        }

        @Test(.rule("B4"), .comparesSamples)
        func `The shell's bg without the capability stays silent until fg`() throws {
            let stage = try Stage()

            try stage.play(backgroundAudio: "off")
            try stage.terminal.stopJob()
            try stage.terminal.run("bg")
            try stage.events.wait { $0["state"].last?["status"] as? String == "paused" }
            try stage.recording.wait(0.3)
            try stage.terminal.run("fg", untilPrompt: false)
            try stage.terminal.waitFor("ready> ")

            let heard = sounds(in: try stage.recording.finish())
            #expect(heard.count == 2)
            #expect(Array(heard.joined()) == stage.expected)
        }

        @Test(.rule("B4"), .comparesSamples)
        func `The shell's bg with the capability plays on, and events show the background`()
            throws
        {
            let stage = try Stage()

            try stage.play(backgroundAudio: "on")
            try stage.terminal.stopJob()
            try stage.terminal.run("bg")
            try stage.events.wait { $0["end"].count == 1 }

            let heard = sounds(in: try stage.recording.finish())
            #expect(heard.map(Array.init) == [stage.expected])
            let events = try stage.events.events
            #expect(events["policy"].last?["decision"] as? String == "allowed")
            #expect(events["time"].last?["state"] as? String == "background")
            #expect(events["time"].last?["status"] as? String == "playing")
            #expect(events.ticks(of: 1) == Array(0...300))
        }

        @Test(.rule("A11"), .comparesSamples)
        func `A start with & is a start in the background, silent until fg`() throws {
            let stage = try Stage()

            stage.start("--background-audio off", "&")
            try stage.events.wait { $0["state"].last?["reason"] as? String == "appBackgrounded" }
            try stage.recording.wait(0.3)
            try stage.terminal.run("fg", untilPrompt: false)
            try stage.terminal.waitFor("ready> ")

            let heard = sounds(in: try stage.recording.finish())
            #expect(heard.first.map(Array.init) == stage.expected)
            let events = try stage.events.events
            #expect(events["application"].first?["state"] as? String == "background")
            #expect(events["time"].allSatisfy { $0["state"] as? String == "active" })
        }

        @Test(.comparesSamples)
        func `A closed terminal with the capability plays the queue to its end`()
            throws
        {
            let stage = try Stage()

            try stage.play(backgroundAudio: "on")
            stage.terminal.hangUp()
            try stage.events.wait { $0["end"].count == 1 }

            let heard = sounds(in: try stage.recording.finish())
            #expect(heard.first.map(Array.init) == stage.expected)
            #expect(try stage.events.events["end"].first?["reason"] as? String == "finished")
        }

        @Test(.rule("A3"), .comparesSamples)
        func `A closed terminal without the capability is silent and keeps the position`()
            throws
        {
            let stage = try Stage()

            try stage.play(backgroundAudio: "off")
            stage.terminal.hangUp()
            try stage.events.wait { $0["state"].last?["status"] as? String == "paused" }
            let other = try Terminal(environment: stage.server.environment)
            try other.run("\(Program.undersong) why")
            let why = other.text
            try other.run("\(Program.undersong) play --json > \(stage.music.path("rest"))")

            let heard = sounds(in: try stage.recording.finish())
            #expect(heard.count == 2)
            #expect(Array(heard.joined()) == stage.expected)
            #expect(why.contains("background"))
        }

        @Test(.rule("A12"), .comparesSamples)
        func `Declaring the capability resumes a suspended service`() throws {
            let stage = try Stage()
            let other = try Terminal(environment: stage.server.environment)

            try stage.play(backgroundAudio: "off")
            stage.terminal.hangUp()
            try stage.events.wait { $0["state"].last?["status"] as? String == "paused" }
            try other.run("\(Program.undersong) capability audio on")
            while !other.text.contains("end of the queue"),
                !other.text.contains("the queue is empty")
            {
                try other.run("\(Program.undersong) status")
            }

            let heard = sounds(in: try stage.recording.finish())
            #expect(Array(heard.joined()) == stage.expected)
        }

        @Test(.comparesSamples)
        func `Any terminal in the foreground makes the host active`() throws {
            let stage = try Stage()
            let other = try Terminal(environment: stage.server.environment)
            let watch = EventFile(stage.music.path("watch"))

            try stage.play(backgroundAudio: "off")
            try other.run("\(Program.undersong) events > \(watch.path)", untilPrompt: false)
            try watch.wait { $0["session"].count == 1 }
            try stage.terminal.stopJob()
            try stage.events.wait { $0["end"].count == 1 }

            let heard = sounds(in: try stage.recording.finish())
            #expect(heard.map(Array.init) == [stage.expected])
        }

        @Test(.rule("A1"), .comparesSamples)
        func `The verb host overrides the terminals' state`() throws {
            let stage = try Stage()
            let other = try Terminal(environment: stage.server.environment)

            try stage.play(backgroundAudio: "off")
            try other.run("\(Program.undersong) host background")
            try stage.events.wait { $0["state"].last?["status"] as? String == "paused" }
            try stage.recording.wait(0.3)
            try other.run("\(Program.undersong) host inactive")
            try stage.events.wait { $0["end"].count == 1 }

            let heard = sounds(in: try stage.recording.finish())
            #expect(heard.count == 2)
            #expect(Array(heard.joined()) == stage.expected)
            let source = try stage.events.events["application"].last?["source"] as? String
            #expect(source == "undersong host")
        }

        @Test func `A closed terminal under nohup is the background too`() throws {
            let stage = try Stage()

            try stage.play(backgroundAudio: "on", by: "nohup")
            stage.terminal.hangUp()
            try stage.events.wait { $0["end"].count == 1 }

            try expectChangeToBackground(in: stage.events.events)
        }

        @Test func `The end of the script that started it is the background`() throws {
            let stage = try Stage()

            try stage.play(backgroundAudio: "on", by: "(", "& read)")
            try stage.terminal.run("")
            try stage.events.wait { $0["end"].count == 1 }

            try expectChangeToBackground(in: stage.events.events)
        }

        private func expectChangeToBackground(in events: Events) throws {
            #expect(events["time"].first?["state"] as? String == "active")
            #expect(events["time"].last?["state"] as? String == "background")
            #expect(events.ticks(of: 1) == Array(0...300))
        }

        @Test func `Ctrl-C ends the sound and the events in order`() throws {
            let stage = try Stage()

            try stage.play(backgroundAudio: "off")
            stage.terminal.type("\u{3}")
            try stage.terminal.waitFor("ready> ")
            try stage.terminal.run("echo status=$?.")
            let shown = stage.terminal.text

            #expect(shown.contains("status=130."))
            try expectGoodEnd(of: stage.events.events, stage)
        }

        @Test func `SIGTERM ends the sound and the events in order`() throws {
            let stage = try Stage()

            let player = try Program(
                Program.undersong, ["play", stage.path], environment: stage.server.environment)
            try player.waitForOutput { $0.count > 20_000 }
            player.signal(SIGTERM)
            let status = try player.wait()

            #expect(status == 143)
            try expectGoodEnd(of: Events(player.text), stage)
        }

        /// Expects that the last event is the end, and the last time that of the last frame heard.
        private func expectGoodEnd(of events: Events, _ stage: Stage) throws {
            #expect(events.lines.last?["event"] as? String == "end")
            #expect(events["end"].first?["reason"] as? String == "stopped")
            let heard = sounds(in: try stage.recording.finish())
            let length = try #require(heard.first?.count)
            #expect(heard.count == 1)
            #expect(heard.first.map(Array.init) == Array(stage.expected.prefix(length)))
            let last = try #require(events["time"].last)
            #expect(frame(last) == length + stage.lead)
        }

        /// The item's frame in a time event.
        private func frame(_ event: [String: Any]) -> Int? {
            guard let value = event["value"] as? Int, let scale = event["timescale"] as? Int else {
                return nil
            }
            return value * 44100 / scale
        }

        @Test func `A terminal shows a line with title, position and time, removed at the end`()
            throws
        {
            let stage = try Stage()

            stage.terminal.type("\(Program.undersong) play --output null '\(stage.path)'\n")
            try stage.terminal.waitFor("▶ 1/1  0:01 / 0:03")
            try stage.terminal.waitFor("ready> ")

            #expect(stage.terminal.text.hasSuffix("\r\u{1B}[Kready> "))
        }
    }
}

/// A recorded sound server, three seconds of music, and a shell to play them from.
private final class Stage {
    let server: SoundServer
    let music: Music
    let recording: Recording
    let terminal: Terminal
    let events: EventFile
    let path: String
    /// The frames expected, without the silence at both ends.
    let expected: [Frame]
    /// The number of silent frames before them.
    let lead: Int

    init() throws {
        server = try SoundServer()
        music = try Music()
        path = try music.encode(Music.noise(seconds: 3), to: "a.mp3")
        let decoded = try Music.decoded([path])
        expected = trimmed(decoded)
        lead = decoded.firstIndex { $0 != 0 } ?? 0
        events = EventFile(music.path("events"))
        terminal = try Terminal(environment: server.environment)
        recording = try Recording(server)
    }

    /// Starts the player and waits until half a second has been heard.
    func play(backgroundAudio: String, by prefix: String = "", _ suffix: String = "") throws {
        start("--background-audio \(backgroundAudio)", suffix, by: prefix)
        try events.wait { $0.ticks(of: 1).count >= 50 }
    }

    func start(_ options: String, _ suffix: String, by prefix: String = "") {
        let command = "\(Program.undersong) play --json \(options) '\(path)' >\(events.path)"
        terminal.type("\(prefix) \(command) \(suffix)\n")
    }
}

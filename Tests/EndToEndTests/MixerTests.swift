import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

extension EndToEnd {
    /// A mixer shows the cube root of the factor: 0.5 is 79 %, 0.3 is 67 %, 0.8 is 93 %.
    @Suite struct `A mixer` {
        @Test(.comparesSamples)
        func `A mixer shows the player's volume, which is not applied twice`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [4])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.3)

            await studio.player.set { $0.volume = 0.5 }
            try studio.server.waitForStream("79%")
            try studio.recording.wait(0.3)
            await studio.player.set { $0.volume = 0.8 }
            try studio.server.waitForStream("93%")
            try studio.recording.wait(0.3)
            let recording = try await studio.stop()

            let heard = sounds(in: recording).flatMap { $0 }
            let walk = Walk(along: heard, of: trimmed(sources.music[0]), factors: [1, 0.5, 0.8])
            #expect(walk.failure == "")
            #expect(studio.reportedVolumes == [0.793701, 0.928318])
        }

        @Test(.comparesSamples)
        func `A mixer sets the player's volume, with one event and no echo`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [8])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.5)

            for percent in ["79%", "93%"] {
                let count = studio.count
                try studio.server.setStream("volume", percent)
                try studio.wait(after: count) { $0.volume != nil }
                try studio.recording.wait(0.3)
            }
            // A volume set by the player afterwards is used too.
            await studio.player.set { $0.volume = 0.3 }
            try studio.server.waitForStream("67%")
            try studio.recording.wait(0.5)
            let shown = try studio.server.stream()
            let recording = try await studio.stop()

            #expect(shown.contains("67%"))
            // The server itself steps from 100 to 79 and 93 %; only the last change is a ramp.
            let heard = sounds(in: recording).flatMap { $0 }
            let strange = zip(heard, trimmed(sources.music[0])).count { heard, source in
                ![1, 0.49304, 0.80436, 0.3].contains { isNear(heard, scaled(source, $0)) }
            }
            #expect(strange < 900)
            let reported = studio.reportedVolumes.map { ($0 * 100).rounded() / 100 }
            #expect(reported == [0.79, 0.93, 0.67])
        }

        @Test(.comparesSamples)
        func `A mixer mutes the player, and shows if it is muted`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [8])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.5)

            for (mute, isMuted) in [("1", true), ("0", false), ("1", true)] {
                let count = studio.count
                try studio.server.setStream("mute", mute)
                try studio.wait(after: count) { $0.isMuted == isMuted }
            }
            await studio.player.set { $0.isMuted = false }
            try studio.server.waitForStream("Mute: no")
            try studio.recording.wait(0.3)
            await studio.player.set { $0.isMuted = true }
            try studio.server.waitForStream("Mute: yes")
            let recording = try await studio.stop()

            let reported = studio.events.compactMap(\.isMuted)
            #expect(reported == [true, false, true, false, true])
            let heard = Heard(recording, of: sources.music).joined
            #expect(heard.count >= 3)
        }

        @Test func `A mixer that mutes the device is reported meanwhile`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [5])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()

            for (what, value, isSilent) in [
                ("mute", "1", true), ("mute", "0", false), ("volume", "0", true),
                ("volume", "100%", false),
            ] {
                let count = studio.count
                try studio.server.pactl("set-sink-\(what)", "@DEFAULT_SINK@", value)
                let event = try studio.wait(after: count) { $0.isState }
                #expect(event.head.isDeviceSilent == isSilent)
                #expect(event.head.status == .playing)
                #expect(await studio.session.report.player.deviceSilent == (isSilent ? true : nil))
            }
            _ = try await studio.stop()
        }

        @Test(.comparesSamples)
        func `A mixer shows a new stream at the player's volume, whatever the server has stored`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [3])
            let studio = try Studio(modules: ["module-stream-restore"])
            await studio.player.append(sources.media)
            await studio.player.set { $0.volume = 0.5 }
            try await studio.play()
            try studio.server.waitForStream("79%")
            try studio.recording.wait(0.3)

            try await studio.pause()
            try studio.server.waitForStream("")
            await studio.player.set { $0.volume = 0.3 }
            try await studio.play()
            try studio.server.waitForStream("67%")
            try studio.recording.wait(0.5)
            try await studio.pause()
            try studio.server.waitForStream("")
            await studio.player.set { $0.volume = 1 }
            try await studio.play()
            try studio.server.waitForStream("100%")
            let recording = try await studio.stop()

            let parts = sounds(in: recording, silence: 44100)
            let source = trimmed(sources.music[0])
            try #require(parts.count == 3)
            let first = Walk(along: Array(parts[0]), of: source, factors: [0.5])
            let rest = Array(source.dropFirst(parts[0].count))
            let second = Walk(along: Array(parts[1]), of: rest, factors: [0.3])
            #expect(first.failure == "")
            #expect(second.failure == "")
            #expect(studio.reportedVolumes == [0.793701, 0.669433, 1])
        }

        @Test func `A mixer shows the player's volume after the server restarts`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [8])
            let studio = try Studio()
            await studio.player.append(sources.media)
            await studio.player.set { $0.volume = 0.5 }
            try await studio.play()
            try studio.recording.wait(0.3)

            _ = try studio.killServer()
            try studio.startServer()
            try studio.server.waitForStream("79%")
            _ = try await studio.stop()

            #expect(studio.reportedVolumes == [0.793701])
        }

        @Test func `A mixer shows a separate volume for each player`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [8])
            let studio = try Studio()
            let other = try Program(
                Program.undersong,
                ["play", "--volume", "30", "--mixing", "mix"] + sources.paths,
                environment: studio.server.environment)
            await studio.player.append(sources.media)
            await studio.player.set {
                $0.volume = 0.5
                $0.mixing = .mix
            }
            try await studio.play()

            try studio.server.waitForStream("79%")
            try studio.server.waitForStream("30%")
            try studio.recording.wait(0.5)
            let shown = try studio.server.stream()
            _ = try await studio.stop()
            other.signal(SIGINT)
            try other.wait()

            #expect(shown.contains("79%") && shown.contains("30%"))
            #expect(studio.reportedVolumes == [0.793701])
        }
    }
}

extension SoundServer {
    /// The streams as `pactl` lists them; empty if there are none.
    fileprivate func stream() throws -> String { try pactl("list", "sink-inputs") }

    /// Waits until `pactl` shows `text` for a stream, or no streams if it is empty; for a stream of
    /// `application` if that is given.
    func waitForStream(_ text: String, of application: String = "") throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while true {
            let streams = try stream().components(separatedBy: "Sink Input #")
            let found = streams.filter { application.isEmpty || $0.contains(application) }.joined()
            if text.isEmpty ? found.isEmpty : found.contains(text) { return }
            guard Date() < deadline else { throw HelperFailure(command: text, text: found) }
        }
    }

    /// Sets the volume or the mute of the only stream, as a mixer does.
    fileprivate func setStream(_ what: String, _ value: String) throws {
        let index = try pactl("list", "short", "sink-inputs").prefix { $0.isNumber }
        try pactl("set-sink-input-" + what, String(index), value)
    }
}

extension Studio {
    /// The volumes reported in events, as mixers show them.
    fileprivate var reportedVolumes: [Double] { events.compactMap(\.volume) }
}

extension PlayerEvent {
    fileprivate var volume: Double? {
        if case .settings(let settings) = kind { settings.volume } else { nil }
    }

    fileprivate var isMuted: Bool? {
        if case .settings(let settings) = kind { settings.muted } else { nil }
    }
}

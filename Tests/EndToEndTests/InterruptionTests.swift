import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A call` {
        @Test(.comparesSamples, arguments: CallStage.Kind.installed)
        func `A call silences the player, which resumes with the next frame`(
            kind: CallStage.Kind
        ) async throws {
            let stage = try await CallStage(kind)
            let count = stage.studio.count

            let call = try stage.call(seconds: 1)
            try stage.studio.wait(after: count) {
                $0.isState && $0.head.reason == .known(.interrupted)
            }
            try call.wait()
            try stage.studio.wait(after: count) { $0.isInterruption(begun: false) }
            try stage.studio.wait(after: count) { $0.isState && $0.head.status == .playing }
            try stage.studio.recording.wait(0.3)
            let heard = try await stage.studio.finish(stage.sources)

            // PipeWire does not report what it has played, and drops cycles on a busy machine.
            if kind == .pipeWire {
                #expect(abs(heard.leftOutAtLongestSilence) < 22050, "\(heard.pieces)")
            } else {
                #expect(heard.joined.count == 1, "\(heard.joined)")
            }
            let told = stage.studio.interruptions
            #expect(told.map(\.hasBegun) == [true, false])
            #expect(told.map(\.source.kind) == ["call", "call"])
            #expect(told.last?.shouldResume == true)
        }

        @Test(.rule("T57"), .comparesSamples, arguments: [CallStage.Kind.plain, .cork])
        func `A call does not undo the user's pause when it ends`(kind: CallStage.Kind) async throws
        {
            let stage = try await CallStage(kind)
            let count = stage.studio.count

            let call = try stage.call(seconds: 1)
            try stage.studio.wait(after: count) {
                $0.isState && $0.head.reason == .known(.interrupted)
            }
            await stage.studio.player.pause()
            try call.wait()
            try stage.studio.wait(after: count) { $0.isInterruption(begun: false) }
            let isPaused = await stage.studio.session.report.status == .paused(.userPaused)
            try await stage.studio.play()
            try stage.studio.recording.wait(0.3)
            let heard = try await stage.studio.finish(stage.sources)

            #expect(isPaused)
            #expect(heard.joined.count == 1, "\(heard.joined)")
        }

        @Test(.rule("T51")) func `A call postpones play until its end`() async throws {
            let stage = try await CallStage(.plain)
            try await stage.studio.pause()
            let count = stage.studio.count

            let call = try stage.call(seconds: 60)
            try stage.studio.wait(after: count) { $0.isInterruption(begun: true) }
            await stage.studio.player.play()
            let isSilent = await stage.studio.session.report.status.isInterrupted
            call.signal(SIGKILL)
            try call.wait()
            try stage.studio.wait(after: count) { $0.isState && $0.head.status == .playing }
            let end = stage.studio.events.firstIndex { $0.isInterruption(begun: false) }
            let start = stage.studio.events.lastIndex {
                $0.isState && $0.head.status == .playing
            }
            await stage.studio.session.stop()

            #expect(isSilent)
            #expect(try #require(end) < #require(start))
        }
    }

    @Suite struct `A second session` {
        @Test(.comparesSamples)
        func `Another session interrupts when it begins, and playback resumes when it ends`()
            async throws
        {
            let stage = try await CallStage(.plain)
            let alarm = try stage.files.encode(Music.noise(seconds: 1, seed: 9), to: "alarm.mp3")
            let count = stage.studio.count

            let other = try Program(
                Program.undersong, ["play", "--session", "alarm", "--volume", "0", alarm],
                environment: stage.studio.server.environment)
            try stage.studio.wait(after: count) { $0.isInterruption(begun: true) }
            try stage.studio.wait(after: count) { $0.isInterruption(begun: false) }
            try other.wait()
            try stage.studio.wait(after: count) { $0.isState && $0.head.status == .playing }
            try stage.studio.recording.wait(0.3)
            let recording = try await stage.studio.stop()

            let told = stage.studio.interruptions
            #expect(told.map(\.source) == [.session(name: "alarm"), .session(name: "alarm")])
            #expect(told.map(\.shouldResume) == [false, true])
            let heard = Heard(recording, of: stage.sources.music).joined
            #expect(heard.count == 1, "\(heard)")
        }

        @Test
        func `Another program's session is ducked meanwhile, and as loud as before afterwards`()
            async throws
        {
            let stage = try await CallStage(.plain)
            try await stage.studio.pause()
            let other = try stage.hum(seconds: 20)
            try stage.studio.server.waitForStream(" 100%", of: "pacat")

            await stage.studio.player.set { $0.mixing = .duck }
            try await stage.studio.play()
            try stage.studio.server.waitForStream(" 58%", of: "pacat")
            try await stage.studio.pause()
            try stage.studio.server.waitForStream(" 100%", of: "pacat")
            other.signal(SIGTERM)
            await stage.studio.session.stop()

            #expect(stage.studio.interruptions == [])
        }

        @Test func `Another session that mixes plays at the same time`() async throws {
            let stage = try await CallStage(.plain)
            let other = try stage.files.encode(Music.noise(seconds: 1, seed: 9), to: "other.mp3")

            let program = try Program(
                Program.undersong, ["play", "--session", "other", "--mixing", "mix", other],
                environment: stage.studio.server.environment)
            try program.wait()
            let isPlaying = await stage.studio.session.report.status == .playing
            await stage.studio.session.stop()

            #expect(isPlaying)
            #expect(stage.studio.interruptions == [])
        }

        @Test
        func `Another session does not interrupt one that was set to mix before it began`()
            async throws
        {
            var settings = PlayerSettings()
            settings.mixing = .mix
            let stage = try await CallStage(.plain, settings: settings)
            let other = try stage.files.encode(Music.noise(seconds: 1, seed: 9), to: "other.mp3")

            let program = try Program(
                Program.undersong, ["play", "--session", "other", other],
                environment: stage.studio.server.environment)
            try program.wait()
            let isPlaying = await stage.studio.session.report.status == .playing
            await stage.studio.session.stop()

            #expect(isPlaying)
            #expect(stage.studio.interruptions == [])
        }

        @Test(.comparesSamples)
        func `Another session that ducks others lowers the volume meanwhile`() async throws {
            let stage = try await CallStage(.plain)
            let other = try stage.files.encode(Music.noise(seconds: 1, seed: 9), to: "other.mp3")

            let program = try Program(
                Program.undersong,
                ["play", "--session", "other", "--mixing", "duck", "--volume", "0", other],
                environment: stage.studio.server.environment)
            try program.wait()
            try stage.studio.recording.wait(0.5)
            let recording = try await stage.studio.stop()

            #expect(stage.studio.interruptions == [])
            let heard = Heard(recording, of: [stage.sources.music[0].map { scaled($0, 0.2) }])
            let longest = heard.pieces.max { $0.count < $1.count }
            let soft = try #require(longest)
            #expect(soft.count > 22050)
            let loud = Heard(recording, of: stage.sources.music).pieces
            #expect(loud.count >= 2)
            #expect(try #require(loud.first).end <= soft.start)
            #expect(try #require(loud.last).start >= soft.end)
        }
    }
}

/// A song that plays, and a call on the same server.
final class CallStage {
    enum Kind: CaseIterable {
        /// A PulseAudio server that leaves calls to the programs.
        case plain
        /// A PulseAudio server that mutes music during calls.
        case cork
        /// A PulseAudio server that ducks music during calls.
        case ducking
        case pipeWire

        /// The servers installed on this machine.
        static let installed = allCases.filter { kind in
            kind != .pipeWire || SoundServer.Kind.installed.contains(.pipeWire)
        }
    }

    let files: Music
    let sources: Sources
    let studio: Studio

    init(_ kind: Kind, settings: PlayerSettings = PlayerSettings()) async throws {
        files = try Music()
        sources = try Sources(files, seconds: [30])
        studio =
            switch kind {
            case .plain: try Studio(settings: settings)
            case .cork: try Studio(modules: ["module-role-cork"])
            case .ducking: try Studio(modules: ["module-role-ducking"])
            case .pipeWire: try Studio(on: .pipeWire)
            }
        await studio.player.append(sources.media)
        try await studio.play()
        // The session listens to the server from the first sound on.
        _ = await studio.session.outputs(waitingUpTo: 30)
        try studio.recording.wait(0.3)
    }

    /// Another program's stream, without a role.
    func hum(seconds: Double) throws -> Program {
        let silence = files.path("hum.raw")
        try Data(count: Int(seconds * 44100) * 4).write(to: URL(filePath: silence))
        return try Program(
            "/usr/bin/pacat",
            [
                "--raw", "--rate=44100", "--channels=2", "--format=s16le", "--latency-msec=100",
                silence,
            ], environment: studio.server.environment)
    }

    func call(seconds: Double) throws -> Program {
        try studio.server.call(seconds: seconds, from: files.path("call.raw"))
    }
}

extension SoundServer {
    /// A call, which is silent; `file` is the path for its silence.
    func call(seconds: Double, from file: String) throws -> Program {
        try Data(count: Int(seconds * 44100) * 4).write(to: URL(filePath: file))
        return try Program(
            "/usr/bin/pacat",
            [
                "--property=media.role=phone", "--raw", "--rate=44100", "--channels=2",
                "--format=s16le", "--latency-msec=100", file,
            ], environment: environment)
    }
}

extension Studio {
    fileprivate var interruptions: [InterruptionEvent] {
        events.compactMap { if case .interruption(let event) = $0.kind { event } else { nil } }
    }
}

extension TimeControlStatus {
    fileprivate var isInterrupted: Bool { reason == "interrupted" }
}

extension PlayerEvent {
    fileprivate func isInterruption(begun: Bool) -> Bool {
        if case .interruption(let event) = kind { event.hasBegun == begun } else { false }
    }
}

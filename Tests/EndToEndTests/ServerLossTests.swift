import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A lost sound server` {
        @Test(.comparesSamples, arguments: SoundServer.Kind.installed)
        func `A lost sound server is used again when it returns, and nothing is skipped`(
            kind: SoundServer.Kind
        )
            async throws
        {
            let stage = try await LossStage(kind, rounds: Dice.rounds(3))

            for _ in 0..<stage.rounds { try await stage.loseServer() }
            let heard = try await stage.finish()

            #expect(heard.count == stage.rounds + 1)
            for (before, after) in zip(heard, heard.dropFirst()) {
                let (last, first) = (try #require(before.last), try #require(after.first))
                #expect(first.start <= last.end)
                #expect(last.end - first.start < 3 * 44100)
            }
            #expect(stage.studio.wrongs == [])
        }

        @Test(.comparesSamples) func `A lost sound server does no harm while nothing is playing`()
            async throws
        {
            let stage = try await LossStage(.pulseAudio, rounds: 1)
            try await stage.studio.pause()
            let count = stage.studio.count

            let before = try stage.studio.killServer()
            try stage.studio.wait(after: count) { $0.isServerLoss }
            try stage.studio.startServer()
            try stage.studio.wait(after: count) { $0.isServerReset }
            try await stage.studio.play()
            let after = try await stage.finish().last ?? []

            let last = try #require(Heard(before, of: stage.sources.music).joined.last)
            #expect(after.first?.start == last.end)
            #expect(
                !stage.studio.events[count...].contains {
                    $0.head.reason == .known(.noOutput)
                })
        }

        @Test(.comparesSamples)
        func `A lost sound server allows pause, seek and skip, applied when it returns`()
            async throws
        {
            let stage = try await LossStage(.pulseAudio, rounds: 2)
            let player = stage.studio.player
            var count = stage.studio.count
            _ = try stage.studio.killServer()
            try stage.studio.wait(after: count) { $0.head.reason == .known(.noOutput) }

            let isSought = await player.seek(to: CMTime(value: 20, timescale: 1))
            await player.pause()
            count = stage.studio.count
            try stage.studio.startServer()
            try stage.studio.wait(after: count) { $0.isServerReset }
            let isPaused = await stage.studio.session.report.status == .paused(.userPaused)
            try await stage.studio.play()
            let heard = try await stage.finish().last ?? []

            #expect(isSought && isPaused)
            #expect(heard.first?.start == 20 * 44100)
        }

        @Test(.comparesSamples) func `A sound server is waited for if it is not running yet`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [2])
            let studio = try Studio()
            _ = try studio.killServer()

            await studio.player.append(sources.media)
            await studio.player.play()
            try studio.wait { $0.head.reason == .known(.noOutput) }
            let isReported = studio.events.contains { $0.isServerLoss }
            try studio.startServer()
            try studio.wait { $0.isState && $0.head.status == .playing }
            try studio.wait { if case .runEnded = $0.kind { true } else { false } }
            let heard = try await studio.finish(sources)

            #expect(isReported)
            #expect(heard.joined.map(\.start) == [0])
            let isWhole = heard.joined.first?.count == trimmed(sources.music[0]).count
            #expect(isWhole)
        }

        @Test(.comparesSamples) func `A sound server that hangs does not block commands`()
            async throws
        {
            let stage = try await LossStage(.pulseAudio, rounds: 1)
            let (studio, player) = (stage.studio, stage.studio.player)
            let count = studio.count

            studio.server.freeze()
            try studio.wait(after: count) {
                $0.isState && $0.head.reason == .known(.noOutput)
            }
            try studio.wait(after: count) { $0.isServerLoss }
            await player.pause()
            await player.play()
            studio.server.thaw()
            try studio.wait(after: count) { $0.isServerReset }
            let now = studio.count
            try studio.wait(after: now) { $0.isTime && $0.head.status == .playing }
            let heard = try await stage.finish()

            #expect(heard.map(\.count) == [1])
        }

        @Test(.comparesSamples, arguments: SoundServer.Kind.installed)
        func `A sound server is used again after a hang, and nothing is skipped`(
            kind: SoundServer.Kind
        ) async throws {
            let stage = try await LossStage(kind, rounds: 1)
            let count = stage.studio.count
            try stage.studio.wait(after: count + 100) {
                $0.isTime && $0.head.status == .playing
            }

            stage.studio.server.freeze()
            try stage.studio.wait(after: count) { $0.isServerLoss }
            // Long enough for the server to have something to catch up with.
            try await Task.sleep(for: .seconds(2))
            stage.studio.server.thaw()
            let reset = try stage.studio.wait(after: count) { $0.isServerReset }
            try stage.studio.wait(after: count) { event in
                event.isTime && event.head.status == .playing
                    && event.head.sequence > reset.head.sequence
            }
            try stage.studio.recording.wait(0.3)
            let heard = try await stage.finish()

            // PipeWire then processes everything queued at once, which is recorded in fragments. It
            // also drops cycles on a busy machine, and its latency is wrong for a while.
            let isPipeWire = kind == .pipeWire
            let pieces = try #require(heard.first).filter { $0.count > 2048 }
            // What a seek has passed over counts as skipped only if it is not played later.
            var reach = 0
            for piece in pieces.sorted(by: { $0.start < $1.start }) {
                #expect(piece.start <= reach + (isPipeWire ? 44100 / 2 : 0), "\(pieces)")
                reach = max(reach, piece.end)
            }
            let wrongs = stage.studio.wrongs.filter { !isPipeWire || !$0.hasPrefix("back") }
            #expect(wrongs == [])
        }

        @Test func `A sound server that hangs forever does not keep the session from ending`()
            async throws
        {
            let stage = try await LossStage(.pulseAudio, rounds: 1)
            let count = stage.studio.count

            stage.studio.server.freeze()
            try stage.studio.wait(after: count) { $0.head.reason == .known(.noOutput) }
            await stage.studio.session.stop()

            #expect(stage.studio.events.contains { if case .end = $0.kind { true } else { false } })
        }
    }
}

/// A song that plays on a server that a test can stop.
private final class LossStage {
    let rounds: Int
    let files: Music
    let sources: Sources
    let studio: Studio
    private var dice = Dice()
    private var recordings: [[Frame]] = []

    /// Starts playing a song of `rounds` half minutes.
    init(_ kind: SoundServer.Kind, rounds: Int) async throws {
        self.rounds = rounds
        files = try Music()
        sources = try Sources(files, seconds: [Double(30 * rounds)])
        studio = try Studio(on: kind)
        await studio.player.append(sources.media)
        try await studio.play()
        try studio.recording.wait(0.3)
    }

    /// Kills the server after a random time, and restarts it after another.
    func loseServer() async throws {
        let count = studio.count
        let ticks = Int.random(in: 50...300, using: &dice)
        try studio.wait(after: count + ticks) { $0.isTime && $0.head.status == .playing }
        recordings.append(try studio.killServer())
        let lost = try studio.wait(after: count) { $0.isServerLoss }
        try studio.wait(after: count) { $0.isState && $0.head.reason == .known(.noOutput) }
        try studio.startServer()
        try studio.wait(after: count) { $0.isServerReset && $0.head.sequence > lost.head.sequence }
        try studio.wait(after: count) { event in
            event.isState && event.head.status == .playing
                && event.head.sequence > lost.head.sequence
        }
        try studio.recording.wait(0.3)
    }

    /// Ends the session and returns what was heard in each recording.
    func finish() async throws -> [[Heard.Piece]] {
        recordings.append(try await studio.stop())
        return recordings.map { Heard($0, of: sources.music).joined }
    }
}

extension Studio {
    /// Events that should never occur: an item left, a failed run, a position that goes back.
    fileprivate var wrongs: [String] {
        var wrongs: [String] = []
        var last = CMTime.zero
        for event in events {
            switch event.kind {
            case .item(.left), .runEnded, .error, .jump: wrongs.append("\(event.kind)")
            default: break
            }
            if event.head.position < last {
                wrongs.append("back from \(last) to \(event.head.position), \(event.kind)")
            }
            last = event.head.position
        }
        return wrongs
    }
}

extension PlayerEvent {
    var isTime: Bool { if case .time = kind { true } else { false } }
    var isServerLoss: Bool { if case .mediaServicesWereLost = kind { true } else { false } }
    var isServerReset: Bool { if case .mediaServicesWereReset = kind { true } else { false } }
}

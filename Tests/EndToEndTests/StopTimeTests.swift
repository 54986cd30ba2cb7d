import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A pause at a time` {
        @Test(.comparesSamples)
        func `A pause at a time comes before that exact sample, and playback resumes with it`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [3, 1])
            let studio = try Studio()
            await studio.player.append(sources.media)
            let place = 57_777

            try await studio.play()
            let isComing = await studio.player.pause(at: CMTime(frame: place))
            // It stays set when other settings change.
            await studio.player.set { $0.replayGain = .track }
            try studio.wait {
                $0.isState && $0.head.reason == .known(.userPaused) && $0.hasPlayed
            }
            try studio.recording.wait(0.3)
            let position = await studio.player.currentTime
            let isLate = await studio.player.pause(at: CMTime(frame: 100))
            let count = studio.count
            await studio.player.play()
            try studio.wait(after: count) { $0.isBeginning && $0.head.place == 1 }
            let heard = try await studio.finish(sources)

            #expect(isComing && !isLate && position == CMTime(frame: place))
            #expect(heard.unmatchedFrames == 0)
            #expect(heard.joined.map(\.source) == [0, 1])
            #expect(heard.joined.first?.end == sources.music[0].count)
            let second = heard.pieces.first { $0.start == place }
            #expect(second.map { $0.silence > 8_820 } == true)
            let reported = studio.events.filter {
                if case .item(.ended) = $0.kind { true } else { false }
            }
            #expect(reported.count == 1)
        }

        @Test(.comparesSamples) func `A pause at a time is cancelled by nil and by a jump`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [2.5, 1])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()

            _ = await studio.player.pause(at: CMTime(frame: 88_200))
            _ = await studio.player.pause(at: nil)
            _ = await studio.player.pause(at: CMTime(frame: 99_000))
            await studio.player.seek(to: CMTime(frame: 44_100))
            try studio.wait { $0.isBeginning && $0.head.place == 1 }
            let heard = try await studio.finish(sources)

            #expect(heard.joined.map(\.source).suffix(2) == [0, 1])
            #expect(heard.joined.dropLast().last?.end == sources.music[0].count)
        }
    }
}

extension PlayerEvent {
    fileprivate var hasPlayed: Bool { head.position > .zero }
}

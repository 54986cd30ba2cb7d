import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A player's volume` {
        @Test(.comparesSamples)
        func `A player's volume scales each frame alone, and changes within 20 ms`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [4])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.3)

            for volume in [0.5, 0.3, 1] as [Float] {
                await studio.player.set { $0.volume = volume }
                try studio.recording.wait(0.3)
            }
            let recording = try await studio.stop()

            // An underrun, on a busy machine, leaves a silence and nothing else.
            let heard = sounds(in: recording).flatMap { $0 }
            let walk = Walk(along: heard, of: trimmed(sources.music[0]), factors: [1, 0.5, 0.3, 1])
            #expect(walk.failure == "")
            #expect(walk.lengths.allSatisfy { $0 > 4410 })
            let reported = studio.events.compactMap { event in
                if case .settings(let settings) = event.kind { settings.volume } else { nil }
            }
            // Events have the volumes as mixers show them.
            #expect(reported == [0.793701, 0.669433, 1])
        }

        @Test(.comparesSamples) func `A muted player is silent while the time continues`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [4])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.3)

            for isMuted in [true, false] {
                await studio.player.set { $0.isMuted = isMuted }
                try studio.recording.wait(0.3)
            }
            let recording = try await studio.stop()

            let heard = Heard(recording, of: sources.music).joined
            #expect(heard.count == 2)
            let (first, second) = (try #require(heard.first), try #require(heard.last))
            #expect(second.source == 0 && second.start - first.end > 8820)
            // An underrun delays the sound by whole blocks.
            let late = second.position - first.position - (second.start - first.start)
            #expect(late >= 0 && late.isMultiple(of: 882))
            let (quiet, loud) = (first.position + first.count + 882, second.position - 882)
            try #require(quiet <= loud)
            let silence = recording[quiet..<loud]
            let isSilent = silence.allSatisfy { $0 == 0 }
            #expect(isSilent && silence.count > 4410)
        }

        @Test(arguments: [([], 0.3 * 0.3 * 0.3), (["--linear"], 0.3)] as [([String], Double)])
        func `A volume on the command line applies to all items, from the first frame on`(
            options: [String], factor: Double
        ) throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [0.7, 0.6])

            let program = try Program(
                Program.undersong,
                ["render", "-o", files.path("out.wav"), "--volume", "30"] + options + sources.paths)
            let status = try program.wait()

            #expect(status == 0)
            let written = frames(try Music.samples(ofWAV: files.path("out.wav")))
            let isScaled =
                written == sources.music.flatMap { $0 }.map { scaled($0, Float(factor)) }
            #expect(isScaled)
        }
    }
}

import Foundation
import Testing
import UndersongAudioIO
import UndersongPlayback

extension EndToEnd {
    /// Replaces what is in the stream before it is heard.
    @Suite struct `A stream changed ahead of time` {
        @Test func `A stream changed ahead of time continues with another item without a gap`()
            throws
        {
            let music = try Music()
            let paths = try (1...3).map { number in
                try music.encode(Music.noise(seconds: 1, seed: UInt64(number)), to: "\(number).mp3")
            }
            let probe = ProbedPipeline(.wav(path: music.path("out.wav")))
            probe.decode.append(passage(1, paths[0]))
            probe.decode.append(passage(2, paths[1]))
            try probe.waitForDecoder()

            probe.decode.splice(passage(3, paths[2]), at: .after(PassageID(1)))
            probe.decode.append(nil)
            try probe.waitForDecoder()
            try probe.playOut()

            #expect(try written(music) == Music.decoded([paths[0], paths[2]]))
        }

        @Test
        func `A changed stream plays an item to its end if nothing follows, crossfaded or not`()
            throws
        {
            for crossfade in [0, 0.5] {
                let music = try Music()
                let first = try music.encode(Music.noise(seconds: 1, seed: 1), to: "1.mp3")
                let second = try music.encode(Music.noise(seconds: 1, seed: 2), to: "2.mp3")
                let probe = ProbedPipeline(.wav(path: music.path("out.wav")))
                probe.decode.append(passage(1, first) { $0.crossfade = crossfade })
                probe.decode.append(passage(2, second) { $0.crossfade = crossfade })
                try probe.waitForDecoder()

                probe.decode.splice(nil, at: .after(PassageID(1)))
                try probe.waitForDecoder()
                probe.output.run()
                let end = try probe.reports.wait { report in
                    if case .clock(.observed(.ended(_, let time))) = report { time } else { nil }
                }
                try probe.reports.wait { if case .clock(.finished) = $0 { true } else { nil } }
                try probe.stop()

                #expect(try written(music) == Music.decoded([first]))
                #expect(end == CMTime(value: 1, timescale: 1))
            }
        }

        @Test func `A changed stream continues where a passage was heard when another replaces it`()
            throws
        {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 20), to: "1.mp3")
            let expected = try Music.decoded([path])

            // All 20 seconds are written to a file in some hundredths of one, so a try may come too
            // late.
            let tries = 20
            let exact = try (1...tries).first { _ in
                try replaceWhatIsHeard(path, music)
                return try written(music) == expected
            }

            #expect(exact != nil)
        }

        /// Replaces the passage that is heard by another passage of the item, and that by a third.
        private func replaceWhatIsHeard(_ path: String, _ music: Music) throws {
            let half = TimeWatch(id: .boundaries, times: .at([CMTime(value: 1, timescale: 2)]))
            let probe = ProbedPipeline(.wav(path: music.path("out.wav")), watches: [half])
            let first = passage(1, path)
            probe.decode.append(first)
            probe.output.run()
            try probe.reports.wait { report in
                if case .clock(.observed(.crossed)) = report { true } else { nil }
            }

            // The caller does not know yet that the second replacement came, so the one between is
            // never used.
            var (second, third) = (first, first)
            (second.id, second.replaced) = (PassageID(2), PassageID(1))
            (third.id, third.replaced) = (PassageID(3), PassageID(1))
            probe.decode.splice(second, at: .now)
            probe.decode.splice(third, at: .now)
            probe.decode.append(nil)
            try probe.reports.wait { if case .clock(.finished) = $0 { true } else { nil } }
            try probe.stop()
        }

        @Test func `A changed stream crossfades into another item as if that had always followed`()
            throws
        {
            let music = try Music()
            let paths = try (1...3).map { number in
                try music.encode(Music.noise(seconds: 1, seed: UInt64(number)), to: "\(number).mp3")
            }
            let changed = ProbedPipeline(.wav(path: music.path("out.wav")))
            let straight = ProbedPipeline(.wav(path: music.path("straight.wav")))
            let passages = paths.enumerated().map { index, path in
                passage(index + 1, path) { $0.crossfade = 0.25 }
            }
            changed.decode.append(passages[0])
            changed.decode.append(passages[1])
            changed.decode.append(nil)
            try changed.waitForDecoder()

            changed.decode.splice(passages[2], at: .after(PassageID(1)))
            changed.decode.append(nil)
            try changed.waitForDecoder()
            try changed.playOut()
            straight.decode.append(passages[0])
            straight.decode.append(passages[2])
            straight.decode.append(nil)
            try straight.waitForDecoder()
            try straight.playOut()

            let samples = try written(music)
            #expect(samples.count == 88_200 - 11_025)
            #expect(try samples == frames(Music.samples(ofWAV: music.path("straight.wav"))))
        }

        @Test func `A changed stream starts elsewhere when it is changed before a sound`() throws {
            let music = try Music()
            let first = try music.encode(Music.noise(seconds: 1, seed: 1), to: "1.mp3")
            let second = try music.encode(Music.noise(seconds: 2, seed: 2), to: "2.mp3")
            let probe = ProbedPipeline(.wav(path: music.path("out.wav")))
            probe.decode.append(passage(1, first))
            try probe.waitForDecoder()

            let start = CMTime(value: 3, timescale: 2)
            probe.decode.splice(passage(2, second, from: start), at: .now)
            probe.decode.append(nil)
            try probe.waitForDecoder()
            try probe.playOut()

            #expect(try written(music) == Array(Music.decoded([second])[66_150...]))
        }

        @Test func `A changed stream replaces an unplayable item by the next, at the same place`()
            throws
        {
            let music = try Music()
            let first = try music.encode(Music.noise(seconds: 1, seed: 1), to: "1.mp3")
            let second = try music.encode(Music.noise(seconds: 1, seed: 2), to: "2.mp3")
            let probe = ProbedPipeline(.wav(path: music.path("out.wav")))
            probe.decode.append(passage(1, first))
            probe.decode.append(passage(2, second))
            try probe.waitForDecoder()

            probe.decode.splice(
                passage(3, music.path("missing.mp3")), at: .after(PassageID(1)))
            probe.decode.append(passage(4, first))
            probe.decode.append(nil)
            try probe.waitForDecoder()
            try probe.playOut()

            #expect(try written(music) == Music.decoded([first, first]))
        }

        private func written(_ music: Music) throws -> [Frame] {
            frames(try Music.samples(ofWAV: music.path("out.wav")))
        }
    }
}

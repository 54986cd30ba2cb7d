import Foundation
import TestSupport
import Testing
import UndersongAudioIO
import UndersongAudioSession
import UndersongPlayback

extension EndToEnd {
    @Suite struct `The end of an item` {
        @Test(arguments: [["-b", "128"], ["-b", "128", "-t"], ["-V", "2"], ["-V", "2", "-t"]])
        func `An item's end is reached by a seek to it or beyond, whatever the file states`(
            options: [String]
        ) throws {
            let music = try Music()
            let path = try music.encode(Music.noise(seconds: 2), to: "a.mp3", options: options)
            let count = try Music.decoded([path]).count
            let coded = try Data(contentsOf: URL(filePath: path))
            let half = try music.write(coded.prefix(coded.count / 2), to: "half.mp3")
            let halfCount = try frameCount(half)

            for (path, count) in [(path, count), (half, halfCount)] {
                let ends = try [-1, 0, 1, 100_000, 1 << 50].map { distance in
                    let decoder = try DecoderRegistry.standard.decoder(for: .file(path: path))
                    try decoder.seek(to: count + distance)
                    let hasFrames = try decoder.prime()
                    return "\(decoder.position - count) \(hasFrames)"
                }

                #expect(ends == ["-1 true", "0 false", "0 false", "0 false", "0 false"])
            }
        }

        @Test(.comparesSamples)
        func `An item's end is reported with its true time when a seek goes beyond it`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [1.5, 1.6], options: [["-V", "2", "-t"]])
            let studio = try Studio()
            let cut = CMTime(frame: 30_000)
            await studio.player.append([
                QueueEntry(sources.media[0]), QueueEntry(sources.media[1], end: cut),
            ])
            try await studio.play()

            for number in 0..<2 {
                try studio.recording.wait(0.1)
                let count = studio.count
                await studio.player.seek(to: CMTime(value: 100, timescale: 1))
                try studio.wait(after: count) {
                    number == 0 ? $0.isBeginning : $0.head.reason == .known(.noItemToPlay)
                }
            }
            let heard = try await studio.finish(sources)

            let ends = studio.events.compactMap { event in
                if case .item(.ended(_, let time)) = event.kind { time.frame } else { nil }
            }
            #expect(ends == [sources.music[0].count, 30_000])
            let jumps = studio.events.filter(\.isJump).map(\.head.position.frame)
            #expect(jumps == ends)
            #expect(heard.pieces.map(\.source) == [0, 1])
            #expect(heard.unmatchedFrames == 0)
        }

        @Test(arguments: [["--repeat", "one"], ["--repeat", "all"], []])
        func `An end before the item's start is an error, and a queue of such items ends`(
            modes: [String]
        ) throws {
            let files = try Music()
            let paths = try (0..<2).map {
                try files.encode(Music.noise(seconds: 0.3), to: "\($0).mp3")
            }

            let player = try Program(
                Program.undersong, ["play", "--output", "null", "--start", "2"] + modes + paths)
            let status = try player.wait()

            #expect(status == 1)
            let events = try Events(player.text)
            #expect(events["error"].map { $0["code"] as? String } == ["no-frames", "no-frames"])
            // Neither becomes an item.
            #expect(events["error"].allSatisfy { $0["item"] == nil } && events["item"].isEmpty)
            #expect(events["end"].first?["failed"] as? Int == 2)
            #expect(try Schema.violations(of: player.data, in: "events.schema.json") == "")
        }

        @Test(.comparesSamples)
        func `An end before the start is an error on each repetition, without a gap`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [0.7])
            let studio = try Studio()
            await studio.player.set { $0.modes.repeatMode = .all }
            await studio.player.append([
                QueueEntry(
                    sources.media[0], start: CMTime(value: 1, timescale: 2),
                    end: CMTime(value: 1, timescale: 2)),
                QueueEntry(sources.media[0]),
            ])
            try await studio.play()

            var begun = 0
            try studio.wait { event in
                if event.isBeginning { begun += 1 }
                return begun == 3
            }
            try studio.recording.wait(0.1)
            let heard = try await studio.finish(sources)

            #expect(heard.difference(fromWhole: [0, 0, 0], of: sources) == "")
            #expect(heard.pieces.dropFirst().allSatisfy { $0.silence == 0 })
            let items = studio.events.compactMap { event in
                if case .error(let failure) = event.kind { failure.item } else { nil }
            }
            // It is retried ahead of the sound, so it may be one repetition further.
            #expect((3...17).contains(items.count))
            #expect(Set(items) == [ItemID(1)])
        }

        private func frameCount(_ path: String) throws -> Int {
            let decoder = try DecoderRegistry.standard.decoder(for: .file(path: path))
            var count = 0
            var block = SampleBuffer()
            repeat {
                try decoder.read(into: &block)
                count += block.count / 2
            } while !block.isEmpty
            return count
        }
    }
}

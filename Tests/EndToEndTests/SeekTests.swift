import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A seek` {
        @Test(.comparesSamples)
        func `A seek starts at the exact frame, repeatedly, playing and paused`() async throws {
            let files = try Music()
            let sources = try Sources(
                files, seconds: [12, 11, 13],
                options: [["-b", "128"], ["-V", "2", "-t"], ["-V", "5"]])
            let studio = try Studio()
            await studio.player.set { $0.modes.repeatMode = .all }
            await studio.player.append(sources.media)
            try await studio.play()

            var dice = Dice()
            var sought: [Int] = []
            for _ in 0..<Dice.rounds(24) {
                try studio.recording.wait(dice.seconds(0.02...0.4))
                let isPaused = dice.once(in: 4)
                if isPaused { try await studio.pause() }
                // A seek into the last 200 ms of the item, or one or two somewhere before.
                let isLate = dice.once(in: 4)
                let end = try await studio.currentEnd(in: sources)
                let frames =
                    isLate
                    ? [end - dice.number(in: 220..<8820)]
                    : (0...dice.number(in: 0..<2)).map { _ in dice.number(in: 0..<400_000) }
                var count = 0
                for frame in frames { count = try await studio.seek(to: frame) }
                sought += frames
                if isPaused { try await studio.play() }
                if isLate { try studio.wait(after: count, for: \.isBeginning) }
            }
            let heard = try await studio.finish(sources)

            #expect(heard.unmatchedFrames == 0)
            let reported = ReportedSound(studio.events, of: sources)
            #expect(heard.difference(from: reported) == "")
            #expect(reported.misplaced.isEmpty)
            let jumps = studio.events.filter(\.isJump).map(\.head)
            #expect(jumps.map(\.position.frame) == sought)
            #expect(jumps.map(\.generation) == Array(1...sought.count))
            // If an item ends, the next one follows without a gap.
            let seams = heard.seams(of: sources)
            #expect(seams.count > 1)
            #expect(seams.map(\.next.silence).max() == 0)
        }

        @Test(.comparesSamples, arguments: [false, true])
        func `A seek that follows another at once is the one that takes effect`(isPaused: Bool)
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [6])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.2)
            if isPaused { try await studio.pause() }

            let count = studio.count
            let results = try await studio.seek(toAll: [30_000, 200_000, 100_001])
            try studio.wait(after: count, for: \.isJump)
            if isPaused { try await studio.play() }
            try studio.recording.wait(0.3)
            let heard = try await studio.finish(sources)

            #expect(results.last == true)
            // A seek whose file is already open finishes even when the player is paused.
            #expect(isPaused || results == [false, false, true])
            #expect(heard.unmatchedFrames == 0)
            #expect(heard.pieces.count == 2)
            #expect(heard.pieces.last?.start == 100_001)
            #expect(heard.difference(from: ReportedSound(studio.events, of: sources)) == "")
        }

        @Test(.comparesSamples)
        func `A seek by seconds counts from the position heard, or from a pending seek`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [8])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.3)
            try await studio.pause()

            let start = await studio.player.currentTime.seconds
            await studio.player.seek(by: 2.5)
            await studio.player.seek(by: 2.5)
            let there = await studio.player.currentTime.seconds
            await studio.player.seek(by: -100)
            try await studio.play()
            try studio.recording.wait(0.2)
            let heard = try await studio.finish(sources)

            #expect(abs(there - start - 5) < 1.0 / 44100)
            #expect(heard.pieces.map(\.start) == [0, 0])
        }

        @Test(.comparesSamples) func `A seek before playback sets where it starts`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [3, 1])
            let studio = try Studio()

            await studio.player.append(sources.media)
            let isFinished = await studio.player.seek(to: CMTime(frame: 44_444))
            let time = await studio.player.currentTime
            try await studio.play()
            try studio.recording.wait(0.3)
            let heard = try await studio.finish(sources)

            #expect(isFinished)
            #expect(time.frame == 44_444)
            #expect(heard.pieces.map(\.start) == [44_444])
            #expect(heard.unmatchedFrames == 0)
        }

        @Test(.comparesSamples)
        func `A seek beyond an item's end ends it, and the next one starts`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [3, 2])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.3)

            let count = studio.count
            let isFinished = await studio.player.seek(to: CMTime(value: 100, timescale: 1))
            try studio.wait(after: count, for: \.isBeginning)
            try studio.recording.wait(0.3)
            let last = studio.count
            await studio.player.seek(to: CMTime(value: 100, timescale: 1))
            try studio.wait(after: last) { $0.head.reason == .known(.noItemToPlay) }
            let heard = try await studio.finish(sources)

            #expect(isFinished)
            #expect(heard.pieces.map(\.source) == [0, 1])
            #expect(heard.pieces.map(\.start) == [0, 0])
            #expect(heard.unmatchedFrames == 0)
            #expect(await studio.player.currentItem == nil)
        }

        @Test func `A seek without an item has no effect`() async throws {
            let studio = try Studio()

            let isFinished = await studio.player.seek(to: .zero)

            #expect(!isFinished)
            _ = await studio.session.stop()
        }
    }
}

extension Studio {
    /// The end of the current item's music: a file without a header may end with silence.
    fileprivate func currentEnd(in sources: Sources) async throws -> Int {
        let item = try #require(await player.currentItem)
        let music = sources.music[try #require(sources.number(of: item))]
        return try #require(music.lastIndex { $0 != 0 }) + 1
    }

    /// Seeks, waits for the event of the new position, and returns how many events came before it.
    fileprivate func seek(to frame: Int) async throws -> Int {
        let count = count
        #expect(await player.seek(to: CMTime(frame: frame)))
        try wait(after: count) { $0.isJump && $0.head.position.frame == frame }
        return count
    }

    /// Gives several seeks in this order before the player can start the first.
    fileprivate func seek(toAll frames: [Int]) async throws -> [Bool] {
        await Task(executorPreference: session.executor) { [player, session] in
            let seeks = frames.map { frame in
                Task(executorPreference: session.executor) {
                    await player.seek(to: CMTime(frame: frame))
                }
            }
            var results: [Bool] = []
            for seek in seeks { results.append(await seek.value) }
            return results
        }.value
    }
}

import Foundation
import TestSupport
import Testing
import UndersongAudioSession

extension EndToEnd {
    @Suite struct `The sleep timer` {
        @Test(.comparesSamples)
        func `The sleep timer fades the sound out, and playback resumes at full volume`() throws {
            let server = try SoundServer()
            let music = try Music()
            let sources = try Sources(music, seconds: [20])
            let file = EventFile(music.path("events.jsonl"))
            let recording = try Recording(server)

            let player = try Program(
                "/bin/sh",
                [
                    "-c", "exec \"$0\" \"$@\" > \(file.path)", Program.undersong, "play", "--json",
                    "--sleep", "5s", "--fade", "2", sources.paths[0],
                ], environment: server.environment)
            try file.wait { $0["state"].last?["status"] as? String == "paused" }
            let place = try #require(try file.events["state"].last?["position"] as? [String: Any])
            try recording.wait(0.3)
            let status = try undersong(["status", "--json"], server)
            _ = try undersong(["resume"], server)
            try file.wait { $0["state"].last?["status"] as? String == "playing" }
            try recording.wait(0.5)
            player.signal(SIGTERM)
            try player.wait()
            let end = try file.events["end"].last

            let heard = parts(of: try recording.finish())
            #expect(heard.count == 2 && end?["played"] as? Int == 1)
            let (first, second) = (try #require(heard.first), try #require(heard.last))
            let frame = try #require(place["value"] as? Int)
            // The fade has reached silence, and changed nothing before it started.
            let original = trimmed(sources.music[0])
            let full = zip(first, original).prefix { $0 == $1 }.count
            #expect(full >= 22_050 && full < first.count)
            let tail = loudness(first.suffix(2_205))
            #expect(loudness(first.prefix(22_050)) > 20 * tail)
            #expect(first.count - full <= 2 * 44_100)
            // It was a fade of the music itself, and the position is the fade's end.
            let isSecond = second == Array(sources.music[0][frame...].prefix(second.count))
            #expect(isSecond && second.count > 8_820)
            #expect(status.contains("\"volume\":100") && !status.contains("\"sleep\""))
        }

        @Test(.comparesSamples)
        func `The sleep timer stops after an item and before the next, which then plays whole`()
            throws
        {
            let server = try SoundServer()
            let music = try Music()
            let sources = try Sources(music, seconds: [1.5, 1.2])
            let file = EventFile(music.path("events.jsonl"))
            let recording = try Recording(server)

            let player = try Program(
                "/bin/sh",
                [
                    "-c", "exec \"$0\" \"$@\" > \(file.path)", Program.undersong, "play", "--json",
                ] + sources.paths, environment: server.environment)
            // The next item is already in the stream.
            try file.wait { !$0["time"].isEmpty }
            let answer = try undersong(["sleep", "--after", "item"], server)
            try file.wait { $0["state"].last?["status"] as? String == "paused" }
            try recording.wait(0.3)
            _ = try undersong(["resume"], server)
            let status = try player.wait()

            #expect(status == 0 && answer == "will stop after this item\n")
            let heard = Heard(try recording.finish(), of: sources.music)
            #expect(heard.unmatchedFrames == 0)
            #expect(heard.joined.map(\.source) == [0, 1])
            let wanted = sources.music.map(\.count)
            #expect(heard.joined.map(\.count).elementsEqual(wanted))
            #expect(heard.joined.last.map { $0.silence > 8_820 } == true)
        }

        @Test func `The sleep timer cancels its fade when the user pauses`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [12])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.3)

            await studio.player.fadeOut(over: 8)
            try studio.recording.wait(0.5)
            let isFading = await studio.session.report.isFadingOut
            try await studio.pause()
            try studio.recording.wait(0.3)
            try await studio.play()
            try studio.recording.wait(0.5)
            await studio.player.fadeOut(over: 0.2)
            try studio.wait(after: studio.count) { $0.isState && $0.head.status != .playing }
            let heard = parts(of: try await studio.stop())

            #expect(isFading && heard.count == 2)
            let (first, second) = (try #require(heard.first), try #require(heard.last))
            let original = trimmed(sources.music[0])
            let full = zip(original.dropFirst(first.count), second).prefix { $0 == $1 }.count
            #expect(full > 8_820)
            let reported = studio.events.compactMap { event in
                if case .item(.ended) = event.kind { true } else { nil }
            }
            #expect(reported.isEmpty)
        }

        @Test func `The sleep timer ends a fade with the item, whose end is silent too`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: [2, 1])
            let studio = try Studio()
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.recording.wait(0.3)

            let count = studio.count
            await studio.player.fadeOut(over: 30)
            try studio.wait(after: count) { $0.isState && $0.head.status != .playing }
            try studio.recording.wait(0.3)
            await studio.player.play()
            try studio.wait(after: count) { $0.isBeginning && $0.head.place == 1 }
            try studio.recording.wait(0.3)
            let heard = parts(of: try await studio.stop())

            #expect(heard.count == 2)
            let (first, second) = (try #require(heard.first), try #require(heard.last))
            #expect(loudness(first.prefix(8_820)) > 10 * loudness(first.suffix(2_205)))
            let isNext = zip(second, trimmed(sources.music[1])).allSatisfy { $0 == $1 }
            #expect(isNext && second.count > 8_820)
        }

        private func undersong(_ arguments: [String], _ server: SoundServer) throws -> String {
            let program = try Program(
                Program.undersong, arguments, environment: server.environment)
            try program.wait()
            return program.text
        }

        /// The parts before and after the pauses. An underrun leaves a silence too, but a shorter
        /// one, and no other trace.
        private func parts(of recording: [Frame]) -> [[Frame]] {
            sounds(in: recording, silence: 8820).map { Array(sounds(in: Array($0)).joined()) }
        }

        private func loudness(_ frames: ArraySlice<Frame>) -> Double {
            let sum = frames.reduce(0.0) { sum, frame in
                let sample = Double(Int16(truncatingIfNeeded: frame))
                return sum + sample * sample
            }
            return (sum / Double(max(1, frames.count))).squareRoot()
        }
    }
}

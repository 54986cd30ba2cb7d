import Foundation
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

extension EndToEnd {
    @Suite struct `An arbitrary sink` {
        @Test(.comparesSamples, arguments: Sink.all)
        func `A sink keeps the pace of the music through twenty pauses, seeks and skips`(sink: Sink)
            async throws
        {
            let files = try Music()
            let sources = try Sources(files, seconds: Studio.lengths)
            let stage = try SinkStage(sink)
            let studio = try Studio(on: stage.server, device: sink.device)
            await studio.player.append(sources.media)

            let underruns = try await studio.playThrough()
            let recording = try await stage.finish(studio)

            let runs = studio.longRuns
            #expect(runs.count == 3)
            let paces = runs.map { (pace: $0.pace(), doubt: studio.doubt(of: $0)) }
            #expect(
                paces.allSatisfy { pace, doubt in
                    sink.pace.lowerBound - doubt...sink.pace.upperBound + doubt ~= pace
                }, "\(paces)")
            let areInOrder = runs.allSatisfy(\.isInOrder)
            #expect(areInOrder)
            #expect(underruns == 0)
            if let recording {
                let heard = Heard(recording, of: sources.music)
                #expect(heard.unmatchedFrames == 0)
                let reported = ReportedSound(studio.events, of: sources)
                #expect(heard.difference(from: reported) == "")
                #expect(reported.misplaced.isEmpty)
            }
        }

        @Test(.comparesSamples, .enabled(if: SoundServer.Kind.installed.contains(.pipeWire)))
        func `A sink of PipeWire plays a queue to its last frame without a gap`() throws {
            let server = try SoundServer(.pipeWire, quantum: 2048)
            let files = try Music()
            let sources = try Sources(files, seconds: [1.3, 0.05, 1.7])
            let recording = try Recording(server)

            let player = try Program(
                Program.undersong, ["play", "--json"] + sources.paths,
                environment: server.environment)
            let status = try player.wait()

            #expect(status == 0)
            let heard = sounds(in: try recording.finish())
            #expect(heard.count == 1)
            #expect(heard.first?.count == sources.music.map(\.count).reduce(0, +))
        }

        /// Without a pause: libpulse-simple causes an underrun by pausing, and a null sink with
        /// rewinds takes most of a second at once when it continues. An underrun of a busy machine is a
        /// stop, not another pace.
        @Test(arguments: Sink.all.filter { ["plain", "mono", "fast", "six"].contains($0.name) })
        func `A sink keeps the pace of the music with libpulse-simple`(sink: Sink) async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [3])
            let stage = try SinkStage(sink)
            let studio = try Studio(on: stage.server, device: sink.device, by: .pulseSimple)
            await studio.player.append(sources.media)

            try await studio.play()
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            _ = try await stage.finish(studio)

            let paces = studio.longRuns.map { $0.medianPace(over: 0.5) }
            #expect(paces.count == 1)
            #expect(paces.allSatisfy { sink.pace ~= $0 }, "\(paces)")
        }

        @Test(.comparesSamples, arguments: ["test", "plain"])
        func `A sink that was suspended and resumed continues from there`(name: String) async throws
        {
            let sink = try #require(Sink.all.first { $0.name == name })
            let files = try Music()
            let sources = try Sources(files, seconds: [3])
            let stage = try SinkStage(sink)
            let studio = try Studio(on: stage.server, device: sink.device)
            await studio.player.append(sources.media)

            try await studio.play()
            try studio.waitForTick(at: 0.7)
            try stage.server.pactl("suspend-sink", sink.device, "1")
            try await Task.sleep(for: .milliseconds(400))
            try stage.server.pactl("suspend-sink", sink.device, "0")
            try studio.wait { $0.head.reason == .known(.noItemToPlay) }
            let recording = try await stage.finish(studio)

            let ticks = studio.events.filter(\.isTick)
            #expect(ticks.isInOrder)
            // The position waits for the device, and continues at its pace.
            let last = ticks.filter { $0.head.position.seconds > 1.5 }
            #expect(0.98...1.02 ~= last.pace(), "\(last.pace())")
            let waits = zip(ticks, ticks.dropFirst()).map { $1.head.hostTime - $0.head.hostTime }
            #expect(waits.max() ?? 0 > 200_000_000)
            if let recording {
                // The monitor loses recorded frames that it has not delivered.
                let heard = Heard(recording, of: sources.music)
                #expect(heard.unmatchedFrames == 0)
                #expect(heard.pieces.count == 2)
                #expect(heard.pieces.last?.end == sources.music[0].count)
                #expect(0...2205 ~= heard.leftOutAtLongestSilence)
            }
        }

        /// One of the streams is silent, so that every frame of the other can be recognized.
        @Test(.comparesSamples)
        func `A sink plays two streams at once, each at its pace and with every frame`()
            async throws
        {
            var settings = PlayerSettings()
            settings.mixing = .mix
            let files = try Music()
            let sources = try Sources(files, seconds: Studio.lengths)
            let silence = try files.encode(Data(count: 30 * 44100 * 4), to: "silence.mp3")
            let server = try SoundServer(isVerbose: true)
            let studio = try Studio(settings: settings, on: server)
            let other = try Studio(settings: settings, on: server)
            await other.player.append([.file(path: silence)])
            await studio.player.append(sources.media)

            try await other.play()
            let underruns = try await studio.playThrough()
            _ = try await other.stop()
            let heard = try await studio.finish(sources)

            let runs = studio.longRuns + other.longRuns
            #expect(runs.count == 4)
            let paces = runs.map { $0.pace() }
            #expect(paces.allSatisfy { 0.98...1.02 ~= $0 }, "\(paces)")
            let areInOrder = runs.allSatisfy(\.isInOrder)
            #expect(areInOrder)
            #expect(underruns == 0)
            #expect(heard.unmatchedFrames == 0)
            #expect(heard.difference(from: ReportedSound(studio.events, of: sources)) == "")
        }
    }
}

extension Studio {
    private static let repeats = 20
    /// The lengths, in seconds, of the items of `playThrough`. A pause takes 0.26 s with a pipe,
    /// which returns nothing.
    fileprivate static let lengths = [12] + [Double](repeating: 0.4, count: repeats - 1) + [1]

    /// Plays all items, with pauses and seeks in the first one, and skips from each to the next.
    /// Returns the number of underruns.
    fileprivate func playThrough() async throws -> Int {
        try await play()
        try waitForTick(at: 1)
        var underruns = server.underruns
        for _ in 0..<Self.repeats {
            try waitForTick(at: position + 0.037, after: count)
            try await pause()
            try await play()
        }
        for number in 1..<Self.repeats {
            try await seek(toFrame: 8000 + number * 37_913 % 90_000)
            try waitForTick(at: position + 0.05, after: count)
        }
        try await seek(toFrame: 13_579)
        let before = server.underruns
        try waitForTick(at: 1.2, after: count)
        underruns += server.underruns - before
        for _ in 0..<Self.repeats {
            let start = count
            await player.advanceToNextItem()
            try wait(after: start, for: \.isBeginning)
            try waitForTick(at: 0.05, after: start)
        }
        try wait { $0.head.reason == .known(.noItemToPlay) }
        return underruns
    }

    private func seek(toFrame frame: Int) async throws {
        let start = count
        #expect(await player.seek(to: CMTime(frame: frame)))
        try wait(after: start, for: \.isJump)
    }

    /// Waits until `seconds` of the current item have been heard.
    fileprivate func waitForTick(at seconds: Double, after count: Int = 0) throws {
        try wait(after: count) { $0.isTick && $0.head.position.seconds >= seconds }
    }

    /// The last position reported.
    private var position: Double { events.last?.head.position.seconds ?? 0 }

    /// The ticks, split where the player stops or jumps, of runs of at least half a second.
    fileprivate var longRuns: [[PlayerEvent]] {
        events.split { $0.isState || $0.isJump || $0.isBeginning }.map { $0.filter(\.isTick) }
            .filter { ticks in
                guard let first = ticks.first, let last = ticks.last else { return false }
                return last.head.hostTime - first.head.hostTime >= 500_000_000
            }
    }
}

extension Studio {
    /// The tolerance of a run's pace, given the uncertainty of positions that the clock
    /// reported: PipeWire moves by blocks, and by late ones when the machine is busy.
    fileprivate func doubt(of run: [PlayerEvent]) -> Double {
        guard let first = run.first?.head.hostTime, let last = run.last?.head.hostTime else {
            return 0
        }
        var (current, most) = (0.0, 0.0)
        for event in events.prefix(while: { $0.head.hostTime <= last }) {
            if case .clock(let uncertainty) = event.kind { current = uncertainty }
            if event.head.hostTime >= first { most = max(most, current) }
        }
        return 2 * most / (Double(last - first) / 1e9)
    }
}

extension [PlayerEvent] {
    /// Seconds of music per second, from the first to the last tick that arrived on its own: at a
    /// pause, what the device cannot return is reported all at once.
    fileprivate func pace() -> Double {
        guard let first, let end = last,
            let last = last(where: { $0.head.hostTime < end.head.hostTime - 1_000_000 })
        else { return 0 }
        let music = last.head.position.seconds - first.head.position.seconds
        return music / (Double(last.head.hostTime - first.head.hostTime) / 1e9)
    }

    /// The median of the seconds of music per second, of all pairs of ticks that are as many seconds
    /// or a little more apart.
    fileprivate func medianPace(over seconds: Double) -> Double {
        var (paces, end) = ([Double](), startIndex)
        for start in self {
            let time = start.head.hostTime + Int64(seconds * 1e9)
            guard let next = self[end...].firstIndex(where: { $0.head.hostTime >= time }) else {
                break
            }
            end = next
            let music = self[end].head.position.seconds - start.head.position.seconds
            paces.append(music / (Double(self[end].head.hostTime - start.head.hostTime) / 1e9))
        }
        return paces.isEmpty ? 0 : paces.sorted()[paces.count / 2]
    }

    /// True if the position never goes back.
    fileprivate var isInOrder: Bool {
        zip(self, dropFirst()).allSatisfy { $0.head.position <= $1.head.position }
    }
}

extension PlayerEvent {
    fileprivate var isTick: Bool { if case .time(isExact: false) = kind { true } else { false } }
}

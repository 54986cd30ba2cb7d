import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

extension EndToEnd {
    @Suite struct `An edit of the queue` {
        @Test func `An edit in response to an item's start applies to that item`() async throws {
            let files = try Music()
            let sources = try Sources(files, seconds: [0.3, 0.4, 0.5, 0.6])
            let session = AudioSession(SessionConfiguration(output: .null))
            let begun = Mutex<[MediaSource]>([])
            session.subscribe { event in
                guard case .item(.began(let item, _)) = event.kind else { return }
                begun.withLock { $0.append(item.source) }
                guard item.source == sources.media[1] else { return }
                // Runs on the engine's queue before pending reports of the sound path.
                Task(executorPreference: session.executor) {
                    await session.player.insertNext([QueueEntry(sources.media[3])])
                }
            }
            async let running: Void = session.run()

            await session.player.append(Array(sources.media[..<3]))
            await session.player.play()
            _ = await session.waitForEnd()
            await running

            let order = begun.withLock { $0.map { sources.media.firstIndex(of: $0) } }
            #expect(order == [0, 1, 3, 2])
        }

        @Test(.comparesSamples)
        func `An edit less than 1 s before a boundary decides what follows, to the frame`()
            async throws
        {
            let files = try Music()
            let sources = try Sources(
                files, seconds: [1.5, 1.61, 1.43, 1.7, 1.37, 1.55, 1.66, 1.48],
                options: [["-b", "128"], ["-V", "2"], ["-b", "320"]])
            let studio = try Studio()
            let editor = Editor(studio, sources)
            await studio.player.append(sources.media)
            await studio.player.append(sources.media)
            try await studio.play()
            try studio.wait(for: \.isBeginning)

            var dice = Dice()
            for _ in 0..<Dice.rounds(16) {
                try studio.waitForEnd(in: dice.seconds(0.15...1), of: sources)
                try await editor.edit(&dice)
            }
            try studio.recording.wait(0.3)
            let heard = try await studio.finish(sources)

            #expect(heard.unmatchedFrames == 0)
            #expect(studio.begun.map(\.id) == editor.expected.map(\.id))
            #expect(heard.difference(from: ReportedSound(studio.events, of: sources)) == "")
            let numbers = editor.expected.compactMap(sources.number)
            #expect(heard.difference(fromWhole: numbers, of: sources) == "")
            let gaps = heard.pieces.indices.dropFirst().filter { heard.pieces[$0].silence > 0 }
            // A busy machine that delays the sound server causes an underrun now and then.
            #expect(gaps.count <= editor.holds.count + Dice.rounds(16) / 2)
        }
    }
}

/// Edits a queue at random and records what has to be heard.
private final class Editor {
    let studio: Studio
    let sources: Sources
    private var modes = PlaybackModes()
    /// The items in the order in which they should start.
    private(set) var expected: [QueueItem] = []
    /// The items that start after a stop.
    private(set) var holds: [Int] = []

    init(_ studio: Studio, _ sources: Sources) {
        self.studio = studio
        self.sources = sources
    }

    /// Makes an edit, and returns when the item that follows it has started.
    func edit(_ dice: inout Dice) async throws {
        let player = studio.player
        let items = await player.items
        let current = try #require(items.first)
        if expected.isEmpty { expected = [current] }
        let count = studio.count
        modes = PlaybackModes()
        switch dice.number(in: 0..<10) {
        case 0: await player.insertNext([anything(&dice)])
        case 1: await player.append([anything(&dice)])
        case 2: try await player.insert([anything(&dice), anything(&dice)], after: current.id)
        case 3, 4: #expect(await player.remove(items[1].id))
        case 5: try await player.move(items[dice.number(in: 2..<items.count)].id, after: current.id)
        case 6:
            for item in items.dropFirst() { await player.remove(item.id) }
            await player.append([anything(&dice)])
        case 7: modes.repeatMode = .one
        case 8: modes.isShuffled = true
        default: modes.isSingle = true
        }
        await player.set { [modes] in $0.modes = modes }
        let next = try await next()
        expected.append(next)
        if modes.isSingle {
            try studio.waitInRun(after: count) {
                $0.isState && $0.head.reason == .known(.userPaused)
            }
            holds.append(expected.count - 1)
            try await studio.play()
        }
        try studio.waitInRun(after: count, for: \.isBeginning)
        if await player.items.count < 5 { await player.append(sources.media) }
    }

    private func anything(_ dice: inout Dice) -> QueueEntry {
        QueueEntry(sources.media[dice.number(in: 0..<sources.media.count)])
    }

    private func next() async throws -> QueueItem {
        let items = await studio.player.items
        return try #require(modes.repeatMode == .one ? items.first : items.dropFirst().first)
    }
}

extension Studio {
    /// The items that have started, in order.
    fileprivate var begun: [QueueItem] {
        events.compactMap { if case .item(.began(let item, _)) = $0.kind { item } else { nil } }
    }

    /// Waits until at most `seconds` of the latest item are left.
    fileprivate func waitForEnd(in seconds: Double, of sources: Sources) throws {
        let events = events
        guard let last = events.lastIndex(where: \.isBeginning),
            case .item(.began(let item, _)) = events[last].kind,
            let number = sources.number(of: item)
        else { return }
        let time = Double(sources.music[number].count) / 44100 - seconds
        try waitInRun(after: last) {
            $0.head.item == item.id && $0.head.position.seconds >= time
        }
    }

    /// Waits like `wait`. On a busy machine an edit may come after the end of the run.
    fileprivate func waitInRun(after count: Int, for isWanted: (PlayerEvent) -> Bool) throws {
        let event = try wait(after: count) { isWanted($0) || $0.isRunEnd }
        if !isWanted(event) {
            throw EndOfRun(events: Array(events.suffix(20).map { "\($0.kind)" }))
        }
    }
}

/// The run ended before the test did.
private struct EndOfRun: Error { let events: [String] }

extension PlayerEvent {
    fileprivate var isRunEnd: Bool { if case .runEnded = kind { true } else { false } }
}

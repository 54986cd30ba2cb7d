import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A killed service` {
        @Test func `A killed service keeps every acknowledged edit, the modes and its position`()
            throws
        {
            let stage = try KillStage()

            for round in 0..<Dice.rounds(25) { try stage.round(round) }

            // The service keeps the position once a second, and later on a busy machine.
            #expect(stage.worstPlace < 2)
            #expect(stage.places > 0)
        }
    }
}

/// Edits a queue at random, kills its service during an edit, and checks what is left.
private final class KillStage {
    private let music: Music
    private let server: SoundServer
    private let recording: Recording
    private let files: [String]
    private let daemon: Daemon
    private var client: ControlClient
    private var dice = Dice()
    /// The ids in the last acknowledged queue.
    private var ids: [Int] = []
    private var modes: Modes
    /// The largest difference, in seconds, between the position at a kill and after the restart.
    private(set) var worstPlace = 0.0
    /// The number of compared positions.
    private(set) var places = 0

    struct Modes: Equatable {
        var `repeat`: RepeatMode?
        var shuffle: Bool
        var consume: Bool

        init(_ settings: Settings) {
            `repeat` = settings.repeat
            shuffle = settings.shuffle == true
            consume = settings.consume == true
        }
    }

    /// The possible queues after an unacknowledged edit.
    private enum Trace {
        /// The old queue, or this one; it has `new` more items whose ids are unknown.
        case exactly([Int])
        case inserted(at: Int, count: Int)
        /// The same items in any order.
        case anyOrder
        /// Part of the previous queue, or of what was removed last.
        case earlier

        var isUndo: Bool { if case .earlier = self { true } else { false } }
    }

    init() throws {
        let music = try Music()
        self.music = music
        files = try (0..<3).map { number in
            try music.encode(
                Music.noise(seconds: [0.3, 0.6, 6][number]), to: "\(number).mp3")
        }
        server = try SoundServer()
        recording = try Recording(server)
        daemon = try Daemon(in: server.folder.path, environment: server.environment)
        client = try daemon.client()
        _ = try client.call(Attach(state: .active, source: "option"))
        modes = Modes(try client.call(GetStatus()).settings)
    }

    func round(_ number: Int) throws {
        if ids.count < 4 {
            let play = Play(files: Files(files + files))
            _ = try client.call(play)
            ids = try client.call(ListQueue()).items.map(\.id)
        } else {
            _ = try client.call(Command(.resume))
        }
        for _ in 0..<dice.number(in: 1..<5) { try edit() }
        if number.isMultiple(of: 4) { try listen(seconds: dice.seconds(0...1.5)) }
        let before = try client.call(GetStatus())
        let time = Daemon.now
        let trace = try sendLast()
        usleep(UInt32(dice.number(in: 0..<12_000)))
        daemon.end(by: SIGKILL)
        let seconds = before.position.seconds + (Daemon.now - time)
        if dice.once(in: 3) { try killAtStart() }
        try daemon.start()
        client = try daemon.client()
        _ = try client.call(Attach(state: .active, source: "option"))
        try compare(trace, before, seconds, round: number)
    }

    /// Lets the queue play for some seconds.
    private func listen(seconds: Double) throws {
        try recording.wait(seconds)
    }

    /// Starts another service and kills it while it opens the state of the last one.
    private func killAtStart() throws {
        try daemon.start()
        usleep(UInt32(dice.number(in: 0..<60_000)))
        daemon.end(by: SIGKILL)
    }

    /// Makes an edit and waits for its acknowledgement.
    private func edit() throws {
        switch dice.number(in: 0..<9) {
        case 0: _ = try client.call(AddToQueue(Files([anyFile, anyFile])))
        case 1: _ = try client.call(InsertIntoQueue(Files([anyFile]), after: anyItem))
        case 2: _ = try client.call(InsertIntoQueue(Files([anyFile]), after: nil))
        case 3: _ = try client.call(MoveInQueue(anyItem, after: anyItem))
        case 4 where ids.count > 4: _ = try client.call(RemoveFromQueue([anyItem]))
        case 5: _ = try client.call(Jump(to: anyItem))
        case 6:
            _ = try client.call(ClearQueue())
            _ = try client.call(UndoQueueChange())
            _ = try client.call(Command(.resume))
        case 7:
            // A short item does not have this position.
            _ = try? client.call(
                Seek(to: WireTime(value: Int64(dice.number(in: 0..<3)), timescale: 1)))
        default:
            var change = SettingsChange()
            change.shuffle = dice.once(in: 2)
            change.repeat = [.off, .one, .all][dice.number(in: 0..<3)]
            _ = try client.call(SetSettings(change))
        }
        ids = try client.call(ListQueue()).items.map(\.id)
        modes = Modes(try client.call(GetStatus()).settings)
    }

    /// Sends an edit and does not wait for it.
    private func sendLast() throws -> Trace {
        switch dice.number(in: 0..<6) {
        case 0:
            client.send(AddToQueue(Files([anyFile, anyFile])))
            return modes.shuffle ? .anyOrder : .inserted(at: ids.count, count: 2)
        case 1:
            let place = dice.number(in: 0..<ids.count)
            client.send(InsertIntoQueue(Files([anyFile]), after: ids[place]))
            return .inserted(at: place + 1, count: 1)
        case 2:
            let place = dice.number(in: 0..<ids.count)
            client.send(RemoveFromQueue([ids[place]]))
            var rest = ids
            rest.remove(at: place)
            return .exactly(rest)
        case 3:
            let place = dice.number(in: 0..<ids.count)
            client.send(MoveInQueue(ids[place], after: nil))
            var moved = ids
            moved.insert(moved.remove(at: place), at: 0)
            return .exactly(moved)
        case 4:
            client.send(ClearQueue())
            return .exactly([])
        default:
            client.send(UndoQueueChange())
            return .earlier
        }
    }

    private func compare(_ trace: Trace, _ before: PlayerStatus, _ seconds: Double, round: Int)
        throws
    {
        let list = try client.call(ListQueue())
        let status = try client.call(GetStatus())
        let left = list.items.map(\.id)
        let isRight =
            left == ids
            || {
                switch trace {
                case .exactly(let other): return left == other
                case .inserted(let place, let count):
                    let new = left.dropFirst(place).prefix(count)
                    let rest = left.prefix(place) + left.dropFirst(place + count)
                    return Array(rest) == ids && new.allSatisfy { !ids.contains($0) }
                case .anyOrder: return Set(ids).isSubset(of: left) && left.count == ids.count + 2
                case .earlier: return Set(left).count == left.count
                }
            }()
        #expect(isRight, "round \(round): \(trace) made \(left) of \(ids)")
        #expect(Modes(status.settings) == modes, "round \(round)")
        #expect(list.items.allSatisfy { files.contains($0.path) }, "round \(round)")
        #expect(status.status == .paused && !status.wantsPlayback)
        // If the item has changed meanwhile, the position is the new one's.
        if status.item?.id == before.item?.id, before.status == .playing,
            !trace.isUndo
        {
            places += 1
            worstPlace = max(worstPlace, abs(status.position.seconds - seconds))
        }
        ids = left
    }

    private var anyFile: String { files[dice.number(in: 0..<files.count)] }
    private var anyItem: Int { ids[dice.number(in: 0..<ids.count)] }
}

extension Daemon {
    /// CLOCK_MONOTONIC in seconds.
    fileprivate static var now: Double {
        Double(DispatchTime.now().uptimeNanoseconds) / 1e9
    }
}

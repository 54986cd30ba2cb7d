import Foundation
import Synchronization
import TestSupport
import UndersongAudioIO
import UndersongAudioSession
import UndersongBackground
import UndersongPlayback

/// A player of the library on its own sound server: its sound is recorded, and its events are kept.
final class Studio: Sendable {
    let server: SoundServer
    private let recordings: Mutex<Recording>
    let session: AudioSession
    private let log = Mutex<[PlayerEvent]>([])
    private let hasEvent = DispatchSemaphore(value: 0)
    private let running: Task<Void, Never>

    /// Starts recording and begins the session, which plays on `device` (nil for the recorded one)
    /// by `port`. The queue may reach its end and continue.
    convenience init(
        interval: CMTime? = CMTime(value: 1, timescale: 100),
        settings: PlayerSettings = PlayerSettings(), on kind: SoundServer.Kind = .pulseAudio,
        modules: [String] = [], device: String? = nil, by port: SoundPort = .pulse
    ) throws {
        let server = try SoundServer(kind, modules: modules)
        try self.init(interval: interval, settings: settings, on: server, device: device, by: port)
    }

    /// Does the same on an existing server, and plays from the network by `network`.
    init(
        interval: CMTime? = CMTime(value: 1, timescale: 100),
        settings: PlayerSettings = PlayerSettings(), on server: SoundServer, device: String? = nil,
        by port: SoundPort = .pulse,
        network: (any NetworkStreams)? = nil
    ) throws {
        self.server = server
        recordings = Mutex(try Recording(server))
        var configuration = SessionConfiguration(
            output: port.destination(server: server.address, device: device), interval: interval,
            settings: settings, endsWithQueue: false)
        configuration.network = network
        let session = AudioSession(configuration)
        self.session = session
        running = Task { await session.run() }
        session.subscribe { [weak self] event in
            self?.log.withLock { $0.append(event) }
            self?.hasEvent.signal()
        }
    }

    /// The recording since the server was started last.
    var recording: Recording { recordings.withLock { $0 } }

    /// Kills the server and returns the recording.
    func killServer() throws -> [Frame] {
        server.stop()
        return try recording.finishWithServer()
    }

    /// Starts the server again with a new recording.
    func startServer() throws {
        let recording = try server.start { try Recording($0) }
        recordings.withLock { $0 = recording }
    }

    var player: QueuePlayer { session.player }
    var events: [PlayerEvent] { log.withLock { $0 } }
    /// The number of events so far, for waiting for later ones.
    var count: Int { log.withLock(\.count) }

    /// Waits for the first event after `count` events that satisfies the condition.
    @discardableResult
    func wait(
        after count: Int = 0, for isWanted: (PlayerEvent) -> Bool
    ) throws(Overdue) -> PlayerEvent {
        var next = count
        while true {
            let new = log.withLock { $0[min(next, $0.count)...] }
            if let event = new.first(where: isWanted) { return event }
            next += new.count
            try hasEvent.waitPatiently(
                orSay: "what is awaited does not come after event \(count): \(lastEvents)")
        }
    }

    /// The last events, each with its number and its time in seconds.
    private var lastEvents: [String] {
        events.suffix(20).map { event in
            "\(event.head.sequence) at \(Double(event.head.hostTime) / 1e9): \(event.kind) "
                + "\(event.head.status)"
        }
    }

    /// Pauses and waits for silence.
    func pause() async throws {
        let count = count
        await player.pause()
        try wait(after: count) { $0.isState && $0.head.reason == .known(.userPaused) }
    }

    /// Plays and waits for sound.
    func play() async throws {
        let count = count
        await player.play()
        try wait(after: count) { $0.isState && $0.head.status == .playing }
    }

    /// Ends the session and returns the recording.
    func stop() async throws -> [Frame] {
        await session.stop()
        await running.value
        return try recording.finish()
    }

    /// Ends the session and returns what was heard of `sources`.
    func finish(_ sources: Sources) async throws -> Heard {
        Heard(try await stop(), of: sources.music)
    }
}

/// Noise in files, of which every frame is known.
struct Sources {
    let paths: [String]
    /// The files as decoded by mpg123.
    let music: [[Frame]]

    /// Encodes noise of the given lengths in seconds, each with the next of `options`.
    init(
        _ files: Music, seconds lengths: [Double], options: [[String]] = [["-b", "128"]]
    ) throws {
        paths = try lengths.enumerated().map { index, seconds in
            try files.encode(
                Music.noise(seconds: seconds, seed: UInt64(index + 1)), to: "\(index).mp3",
                options: options[index % options.count])
        }
        music = try paths.map { try Music.decoded([$0]) }
    }

    var media: [MediaSource] { paths.map { .file(path: $0) } }

    /// The index of the source that `item` plays.
    func number(of item: QueueItem) -> Int? { paths.firstIndex(of: item.source.path.description) }
}

/// The sound according to the events: pieces of the sources, by the items' own times.
struct ReportedSound {
    struct Piece: Equatable, CustomStringConvertible {
        var source: Int
        var start: Int
        var end: Int

        var description: String { "\(source): \(start)..<\(end)" }
    }

    /// The pieces, joined where one continues the one before.
    private(set) var pieces: [Piece] = []
    /// Time events outside their piece, or out of order.
    private(set) var misplaced: [CMTime] = []
    private var open: Piece?

    init(_ events: [PlayerEvent], of sources: Sources) {
        for event in events {
            let frame = event.head.position.frame
            switch event.kind {
            case .item(.began(let item, _)):
                close()
                open = sources.number(of: item).map { Piece(source: $0, start: frame, end: frame) }
            case .jump:
                let source = open?.source
                close()
                open = source.map { Piece(source: $0, start: frame, end: frame) }
            case .time(let isExact):
                if let open, frame < open.end { misplaced.append(event.head.position) }
                // A tick is heard at its frame; only an exact time is the end of what was heard.
                if isExact { open?.end = frame }
            default: break
            }
        }
        close()
    }

    private mutating func close() {
        guard let piece = open.take(), piece.end > piece.start else { return }
        if let last = pieces.last, last.source == piece.source, last.end == piece.start {
            pieces[pieces.count - 1].end = piece.end
        } else {
            pieces.append(piece)
        }
    }
}

extension Heard {
    /// The places where a source is heard to its last frame, and then another, or the same, from
    /// its first.
    func seams(of sources: Sources) -> [(last: Piece, next: Piece)] {
        zip(pieces, pieces.dropFirst()).filter { last, next in
            last.end == sources.music[last.source].count && next.start == 0
        }.map { (last: $0, next: $1) }
    }

    /// The first difference from what the events reported; empty if there is none.
    func difference(from reported: ReportedSound) -> String {
        difference(joined, from: reported.pieces)
    }

    /// The first difference from whole sources, one after the other, the last up to where it was
    /// heard; empty if there is none. Silence within a piece is ignored.
    func difference(fromWhole numbers: [Int], of sources: Sources) -> String {
        var whole = numbers.map {
            ReportedSound.Piece(source: $0, start: 0, end: sources.music[$0].count)
        }
        if let last = whole.indices.last { whole[last].end = pieces.last?.end ?? 0 }
        return difference(joined, from: whole)
    }

    private func difference(_ pieces: [Piece], from wanted: [ReportedSound.Piece]) -> String {
        let heard = pieces.map {
            ReportedSound.Piece(source: $0.source, start: $0.start, end: $0.end)
        }
        guard heard != wanted else { return "" }
        let place = zip(heard, wanted).enumerated().first { $1.0 != $1.1 }?.offset
        let index = place ?? min(heard.count, wanted.count)
        let around = max(0, index - 1)..<index + 2
        return "piece \(index): \(pieces[clamped: around]), not \(wanted[clamped: around])"
    }
}

extension PlayerEvent {
    var isState: Bool { if case .state = kind { true } else { false } }
    var isJump: Bool { if case .jump = kind { true } else { false } }
    /// True if an item begins.
    var isBeginning: Bool { if case .item(.began) = kind { true } else { false } }
}

extension CMTime {
    /// The frame, at 44100 Hz, at or before this time.
    var frame: Int { Int(value) * 44100 / Int(timescale) }

    init(frame: Int) { self.init(value: Int64(frame), timescale: 44100) }
}

extension Array {
    fileprivate subscript(clamped range: Range<Int>) -> ArraySlice<Element> {
        self[range.clamped(to: 0..<count)]
    }
}

/// Reproducible random numbers: UNDERSONG_SEED in the environment sets another seed.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    /// The number of rounds of a random test: UNDERSONG_ROUNDS in the environment, or `standard`.
    static func rounds(_ standard: Int) -> Int { number("UNDERSONG_ROUNDS") ?? standard }

    init() { state = UInt64(Self.number("UNDERSONG_SEED") ?? 1) }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func seconds(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &self)
    }
    /// True once in `times`.
    mutating func once(in times: Int) -> Bool { number(in: 0..<times) == 0 }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}

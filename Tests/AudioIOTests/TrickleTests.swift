import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback
import UndersongTransferClient

@testable import UndersongAudioIO

@Suite(.blockingThreads, .timeLimit(.minutes(2)))
struct `The threads of the sound path while bytes trickle in` {
    /// The number of pieces that arrive, and the number in a second.
    private static let pieces = 60
    private static let piecesPerSecond = 20

    @Test(arguments: Sound.allCases, [0.5, 0.75, 0.9, 1, 1.1, 1.5])
    private func `The sound path's threads wake for bytes that trickle in, not for each other`(
        sound: Sound, share: Double
    ) throws {
        let streams = try Trickle(sound.bytes)
        let (threads, ended) = (WatchedThreads(), Semaphore())
        let pipeline = PlaybackPipeline(
            destination: .null, watches: [], indexer: MediaIndexer(folder: nil),
            hostClock: WatchingClock(threads: threads), network: streams, chooseFormat: { $0 },
            handlers: PlaybackPipeline.Handlers(
                decode: { _ in threads.addCurrent() }, ready: { _ in }, output: { _ in },
                clock: { event, _ in if case .stopped = event { ended.post() } }))
        // Enough to begin with, and less than the device takes at once.
        streams.add(sound.bytesPerSecond * 22 / 10)
        let item = QueueItem(id: ItemID(1), source: .network(url: "http://example.org/a"))
        pipeline.decode.append(Passage(id: PassageID(1), item: item, start: .zero))
        pipeline.output.run()
        try waitUntil { threads.has("decode", "output") }

        let clock = SystemClock()
        let before = threads.switches
        for _ in 0..<Self.pieces {
            clock.sleep(until: clock.now + 1_000_000_000 / Int64(Self.piecesPerSecond))
            let count = Double(sound.bytesPerSecond / Self.piecesPerSecond) * share
            streams.add(Int(count))
        }
        let switches = threads.switches - before
        pipeline.stop()
        try ended.waitPatiently(orSay: "the threads do not end")

        // Each piece wakes the decoder, and what it makes of that the output; the output reads its
        // device about twenty times besides.
        #expect(switches < Self.pieces * 12, "\(switches) switches for \(Self.pieces) pieces")
    }

    /// A minute of silence.
    enum Sound: CaseIterable {
        case mp3
        case wav

        var bytesPerSecond: Int { self == .mp3 ? 16_000 : 176_400 }

        var bytes: [UInt8] {
            switch self {
            case .mp3:
                // 48 kHz, 128 kbit/s, 24 ms.
                let frame: [UInt8] = [0xFF, 0xFB, 0x94, 0x64] + Array(repeating: 0, count: 380)
                return Array([[UInt8]](repeating: frame, count: 2500).joined())
            case .wav:
                let size = bytesPerSecond * 60
                func number(_ value: Int, _ count: Int) -> [UInt8] {
                    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
                }
                var head = Array("RIFF".utf8) + number(36 + size, 4) + Array("WAVEfmt ".utf8)
                head += number(16, 4) + number(1, 2) + number(2, 2) + number(44_100, 4)
                head += number(bytesPerSecond, 4) + number(4, 2) + number(16, 2)
                return head + Array("data".utf8) + number(size, 4)
                    + Array(repeating: 0, count: size)
            }
        }
    }
}

/// A stream of known length whose bytes arrive when a test says so.
private final class Trickle: NetworkStreams {
    private let stream: TransferStream
    private let count: Int

    init(_ bytes: [UInt8]) throws {
        var path = Array("/tmp/undersong-stream.XXXXXX".utf8CString)
        let file = unsafe mkstemp(&path)
        unsafe unlink(path)
        try #require(unsafe write(file, bytes, bytes.count) == bytes.count)
        count = bytes.count
        stream = TransferStream(
            url: "http://example.org/a", descriptor: file, request: { _, _ in }, whenClosed: {})
        let total = Int64(count)
        stream.update {
            $0.hasAnswered = true
            $0.total = total
        }
    }

    /// The next `count` bytes arrive.
    func add(_ count: Int) {
        let total = Int64(self.count)
        stream.update { status in
            let end = status.available.end(from: 0) + Int64(count)
            status.available = ByteRanges([0..<min(end, total)])
        }
    }

    func stream(at url: String, isForText: Bool) throws(MediaError) -> any NetworkStream { stream }

    func openStream(at url: String) -> (any NetworkStream)? { stream }

    func observe(_ observer: @escaping @Sendable (any NetworkStream) -> Bool) {}
}

/// The threads of a pipeline, and how often they have waited.
private final class WatchedThreads: Sendable {
    /// The names of the threads, and the folders with what the system knows about them.
    private let threads = Mutex<[pthread_t: (name: String, folder: String)]>([:])

    func addCurrent() {
        let thread = pthread_self()
        guard threads.withLock({ $0[thread] == nil }) else { return }
        var link = [CChar](repeating: 0, count: 64)
        let length = max(0, readlink("/proc/thread-self", &link, link.count))
        let folder =
            "/proc/" + String(decoding: link[..<length].map { UInt8($0) }, as: UTF8.self)
        let name = Self.text(of: folder + "/comm").filter { $0 != "\n" }
        threads.withLock { $0[thread] = (name, folder) }
    }

    func has(_ names: String...) -> Bool {
        threads.withLock { threads in
            names.allSatisfy { name in threads.values.contains { $0.name == name } }
        }
    }

    /// The number of times that the decode and output threads have waited since they began.
    var switches: Int {
        threads.withLock { Array($0.values) }.filter { ["decode", "output"].contains($0.name) }
            .reduce(0) { $0 + Self.switches(in: Self.text(of: $1.folder + "/status")) }
    }

    private static func switches(in status: String) -> Int {
        let name = "voluntary_ctxt_switches:"
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return Int((line ?? "").dropFirst(name.count).filter(\.isNumber)) ?? 0
    }

    private static func text(of path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 8192) { bytes, count in
            count = unsafe max(0, read(file, bytes.baseAddress, bytes.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The machine's clock, which notes the threads that ask it.
private struct WatchingClock: HostClock {
    let threads: WatchedThreads
    private let clock = SystemClock()

    init(threads: WatchedThreads) { self.threads = threads }

    var now: Int64 {
        threads.addCurrent()
        return clock.now
    }
    var sinceBoot: Int64 { clock.sinceBoot }
    var sinceEpoch: Int64 { clock.sinceEpoch }

    func sleep(until time: Int64) { clock.sleep(until: time) }

    func wake(
        at time: Int64, leeway: Int64, _ body: @escaping @Sendable () -> Void
    ) -> HostTimer { clock.wake(at: time, leeway: leeway, body) }
}

import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback
import UndersongTransfers

@testable import UndersongTransferIO

/// Takes what an engine hands on.
private final class Taker: Sendable {
    private let messages = Mutex<[(id: String, payload: [UInt8]?)]>([])
    private let lines = Mutex<[String]>([])
    private let hasNews = DispatchSemaphore(value: 0)

    var payloads: [[UInt8]?] { messages.withLock { $0.map(\.payload) } }
    /// The identifiers of messages; `missing` where some may be.
    var ids: [String] { messages.withLock { $0.map { $0.payload == nil ? "missing" : $0.id } } }
    var log: [String] { lines.withLock(\.self) }

    func take(_ id: String, _ payload: [UInt8]?) {
        messages.withLock { $0.append((id, payload)) }
        hasNews.signal()
    }

    func write(_ line: String) {
        lines.withLock { $0.append(line) }
        hasNews.signal()
    }

    func wait(until isReached: (Taker) -> Bool) throws {
        while !isReached(self) { try hasNews.waitPatiently(orSay: "only \(ids) have come") }
    }
}

@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `An engine that listens for pushes` {
    private let folder = URL(filePath: "/tmp/undersong-pushes-\(UUID().uuidString.prefix(8))")
    private let taker = Taker()
    private var file: RecordFile<PushRecord> { RecordFile(folder.path + "/pushes") }

    /// An engine that listens at a topic, and continues in it at `place`: by default with everything
    /// that the server has.
    private func engine(
        _ url: String, at place: NtfyPosition = NtfyPosition(time: 1000),
        clock: any HostClock = SystemClock()
    ) throws -> PushEngine {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        _ = file.save(PushRecord(url: url, place: place))
        return start(clock)
    }

    private func start(_ clock: any HostClock = SystemClock()) -> PushEngine {
        let engine = PushEngine(
            file: file.path, settings: PushEngine.Settings(), clock: clock,
            deliver: { [taker] id, payload, answer in
                taker.take(id, payload)
                answer(true)
            }, log: { [taker] in taker.write($0) })
        engine.start()
        return engine
    }

    private func stop(_ engine: PushEngine) throws {
        let done = DispatchSemaphore(value: 0)
        engine.listen(to: nil) { _ in done.signal() }
        try done.waitPatiently()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Messages

    @Test(arguments: NtfyServer.Kind.all)
    func `PushEngine hands on messages byte for byte, and attachments`(kind: NtfyServer.Kind) throws
    {
        let server = try NtfyServer(kind)
        let texts: [[UInt8]] = [
            Array("{\"aps\":{}, \"é\": 1e400}".utf8), [0xff, 0, 1],
            [UInt8](repeating: UInt8(ascii: "x"), count: 4096),
            [UInt8](repeating: UInt8(ascii: "y"), count: 4097),
        ]
        let ids = try texts.map { try server.publish($0) }

        let engine = try engine(server.url())
        try taker.wait { $0.ids.count == 4 }

        #expect(taker.ids == ids)
        #expect(taker.payloads == texts)
        try stop(engine)
        #expect(!engine.isListening)
    }

    @Test(.rule("PU10"), arguments: NtfyServer.Kind.all)
    func `PushEngine accepts each message once and in order while the server is killed`(
        kind: NtfyServer.Kind
    ) throws {
        let server = try NtfyServer(kind)
        let kills = ProcessInfo.processInfo.environment["PUSH_SERVER_KILLS"].flatMap { Int($0) }
        let engine = try engine(server.url())
        var ids: [String] = []

        for round in 0..<(kills ?? 5) {
            for _ in 0...round % 3 { ids.append(try server.push()) }
            if round % 2 == 0 { try taker.wait { $0.ids.count == ids.count } }
            server.stop()
            try server.start()
            engine.awake()
        }
        try taker.wait { $0.ids.count >= ids.count }

        #expect(taker.ids.count == ids.count)
        #expect(Set(taker.ids) == Set(ids))
        // The real one sends what is published within some milliseconds in any order.
        if case .mock = kind { #expect(taker.ids == ids) }
        try stop(engine)
    }

    @Test(.rule("PU10"))
    func `PushEngine accepts each message once and in order although connections are cut`() throws {
        let server = try NtfyServer()
        let ids = try (1...7).map { _ in
            try server.send("clock 1")
            return try server.push()
        }
        try server.send("clock 60")
        // Two that were sent before, the last one once more, and one that is new.
        try server.send("limit 4")
        try server.send("repeat 2")

        let engine = try engine(server.url())
        for count in 1...ids.count {
            try taker.wait { $0.ids.count >= count }
            engine.awake()
        }

        #expect(taker.ids == ids)
        try stop(engine)
    }

    @Test func `PushEngine accepts all of a flood, and skips lines too long or without an event`()
        throws
    {
        let server = try NtfyServer()
        let engine = try engine(server.url())
        let first = try server.push()
        try taker.wait { $0.ids.count == 1 }

        try server.send("raw " + String(repeating: "x", count: 100_000))
        try server.send("raw {\"event\":\"message\"")
        try server.send("flood 500")
        let last = try server.push()
        try taker.wait { $0.ids.last == last }

        #expect(taker.ids.count == 502)
        #expect(Set(taker.ids).count == 502)
        #expect(taker.ids.first == first)
        let numbers = taker.payloads.compactMap { payload in
            payload.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\"n\":").last }
        }
        #expect(numbers[1...500].map { $0.dropLast() } == (0..<500).map { "\($0)" })
        try stop(engine)
    }

    // MARK: Connections

    @Test func `PushEngine connects again by itself`() throws {
        let server = try NtfyServer()
        let ids = try (1...3).map { _ in
            try server.send("clock 1")
            return try server.push()
        }
        try server.send("clock 60")
        // The last one comes once more.
        try server.send("limit 2")

        let engine = try engine(server.url())
        try taker.wait { $0.ids.count == 3 }

        #expect(taker.ids == ids)
        try stop(engine)
    }

    @Test(arguments: NtfyServer.Kind.all)
    func `PushEngine continues after a restart with what was not accepted`(kind: NtfyServer.Kind)
        throws
    {
        let server = try NtfyServer(kind)
        let ids = [try server.push()]
        let first = try engine(server.url())
        try taker.wait { $0.ids == ids }
        try waitUntil { file.record?.place.last == ids[0] }

        let place = try #require(file.record).place
        try stop(first)
        let later = try server.push()
        let second = try engine(server.url(), at: place)
        try taker.wait { $0.ids.count >= 2 }

        #expect(taker.ids == ids + [later])
        try stop(second)
    }

    @Test(arguments: NtfyServer.Kind.all)
    func `PushEngine misses nothing that comes after the first connection`(kind: NtfyServer.Kind)
        throws
    {
        let server = try NtfyServer(kind)
        let engine = try engine(server.url(), at: NtfyPosition())
        try waitUntil { file.record?.place.time != nil }

        server.stop()
        try server.start()
        let id = try server.push()
        engine.awake()
        try taker.wait { $0.ids == [id] }

        try stop(engine)
    }

    /// The connection stays open, but nothing comes of it: the server has been stopped, or the
    /// packets are lost on the way.
    @Test(.rule("PU11")) func `PushEngine notices a half-open connection after 115 s`() throws {
        let clock = ManualClock()
        let server = try NtfyServer()
        let engine = try engine(server.url(), at: NtfyPosition(), clock: clock)
        try waitUntil { file.record?.place.time != nil }
        let first = try server.push()
        try taker.wait { $0.ids == [first] }

        try server.send("silence")
        let second = try server.push()
        clock.advance(by: 114)
        // It has looked at the clock when it takes the second one.
        for _ in 1...2 { try poke(engine, server) }
        let before = taker.log
        clock.advance(by: 1)
        try waitUntil {
            try poke(engine, server)
            if !taker.log.isEmpty { clock.advance(by: 1) }
            return taker.ids.count == 2
        }

        #expect(before == [])
        #expect(
            taker.log == ["cannot listen for pushes at \(server.url()): The server is silent"])
        #expect(taker.ids == [first, second])
        try stop(engine)
    }

    @Test(.rule("PU11"))
    func `PushEngine connects at once after sleep although the server was stopped`() throws {
        let server = try NtfyServer()
        let engine = try engine(server.url())
        let first = try server.push()
        try taker.wait { $0.ids == [first] }

        server.freeze()
        engine.awake()
        server.freeze(false)
        try server.send("silence")
        let second = try server.push()
        engine.awake()
        try taker.wait { $0.ids.count == 2 }

        #expect(taker.ids == [first, second])
        try stop(engine)
    }

    /// Has the engine look at its clock.
    private func poke(_ engine: PushEngine, _ server: NtfyServer) throws {
        let done = DispatchSemaphore(value: 0)
        engine.listen(to: server.url()) { _ in done.signal() }
        try done.waitPatiently()
    }

    @Test(arguments: [429, 503, 401])
    func `PushEngine keeps trying while the server refuses, and logs that once`(status: Int) throws
    {
        let server = try NtfyServer()
        try server.send("refuse \(status)")
        let engine = try engine(server.url())
        try taker.wait { !$0.log.isEmpty }

        for _ in 1...3 { engine.awake() }
        try server.send("refuse 0")
        let id = try server.push()
        engine.awake()
        try taker.wait { $0.ids == [id] }

        #expect(
            taker.log == [
                "cannot listen for pushes at \(server.url()): The requested URL returned error: "
                    + "\(status)"
            ])
        try stop(engine)
    }

    @Test func `PushEngine shows user and password to the server, and not in the log`() throws {
        let server = try NtfyServer(.mock, ["--user", "me:secret"])
        let wrong = try engine(server.url(user: "me:wrong"))
        try taker.wait { !$0.log.isEmpty }
        try stop(wrong)
        let right = try engine(server.url(user: "me:secret"))
        try waitUntil { file.record?.place.contact != nil }
        try stop(right)

        #expect(taker.log.count == 1)
        #expect(taker.log[0].hasSuffix("error: 401"))
        #expect(!taker.log[0].contains("wrong"))
    }

    // MARK: What may be missing

    @Test(.rule("PU12"), arguments: NtfyServer.Kind.all)
    func `PushEngine says that messages may be missing if it was away for too long`(
        kind: NtfyServer.Kind
    ) throws {
        let server = try NtfyServer(kind)
        let id = try server.push()
        let past = Int(Date().timeIntervalSince1970) - 50_000

        let engine = try engine(
            server.url(), at: NtfyPosition(last: "abcdefghijkl", time: past - 10, contact: past))
        try taker.wait { $0.ids.count == 2 }

        #expect(taker.ids == ["missing", id])
        #expect(
            taker.log
                == ["pushes of \(server.url()) may be missing: the server has forgotten some"])
        try stop(engine)
    }

    @Test(.rule("PU12"))
    func `PushEngine reports a gap after four hours if the server has lost its cache`() throws {
        let server = try NtfyServer()
        let first = try server.push()
        var engine = try engine(server.url())
        try taker.wait { $0.ids == [first] }
        try waitUntil { file.record?.place.last == first }
        let record = file.record
        try stop(engine)

        try server.send("clock 14400")
        engine = try self.engine(server.url(), at: try #require(record).place)
        let second = try server.push()
        try taker.wait { $0.ids.count == 2 }
        try stop(engine)
        try server.send("clock 14400")
        try server.send("forget")
        engine = try self.engine(server.url(), at: try #require(record).place)
        let third = try server.push()
        try taker.wait { $0.ids.count == 4 }

        #expect(taker.ids == [first, second, "missing", third])
        try stop(engine)
    }
}

import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBase
import UndersongTransferIO
import UndersongTransfers

/// Streams from a scripted server into a file in memory.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A stream engine` {
    /// A stream of an engine's own, whose last report is kept.
    private final class Stage: Sendable {
        let file: Int32
        let id: Int
        private let engine: StreamEngine
        private let report: SharedReport

        init(
            _ url: String, isOnline: Bool = true,
            _ change: (inout OpenStream) -> Void = { _ in }
        ) {
            let report = SharedReport()
            self.report = report
            var settings = StreamEngine.Settings()
            settings.isOnline = { isOnline }
            engine = StreamEngine(settings, clock: SystemClock()) { report.set($1) }
            var path = Array("/tmp/undersong-stream.XXXXXX".utf8CString)
            file = unsafe mkstemp(&path)
            unsafe unlink(path)
            var call = OpenStream(url: url)
            change(&call)
            id = engine.open(call, file: dup(file))
        }

        deinit {
            engine.close(id)
            close(file)
        }

        func want(until: Int64, from: Int64 = 0) {
            engine.want(id, from: from, until: until)
        }

        /// Waits for a report.
        @discardableResult
        func wait(_ isWanted: @escaping (StreamReport) -> Bool) throws -> StreamReport {
            try waitUntil { report.last.map(isWanted) ?? false }
            return try #require(report.last)
        }

        /// Waits until the stream has failed, and returns why.
        func failure() throws -> StreamFailure? {
            let report = try wait { $0.state == .failed }
            return report.code?.known.map { StreamFailure($0, report.reason ?? "") }
        }

        /// The first bytes of the file.
        func bytes(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            _ = unsafe pread(file, &bytes, count, 0)
            return bytes
        }
    }

    private final class SharedReport: Sendable {
        private let report = Mutex<StreamReport?>(nil)

        var last: StreamReport? { report.withLock { $0 } }

        func set(_ new: StreamReport) { report.withLock { $0 = new } }
    }

    private static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }

    @Test func `A stream engine reads what a server of SHOUTcast answers`() throws {
        let server = try ScriptedHTTPServer { _ in
            var response = ScriptedHTTPServer.Response()
            response.statusLine = "ICY 200 OK"
            response.fields = [("icy-name", "Radio Test"), ("Content-Type", "audio/mpeg")]
            response.announcesLength = false
            response.body = Self.noise(50_000)
            response.stall = 50_000
            return response
        }
        let stage = Stage(server.url("/"))

        stage.want(until: 1 << 20)
        let report = try stage.wait { $0.available.count == 50_000 }

        #expect(report.isLive && report.name == "Radio Test" && report.type == "audio/mpeg")
        #expect(stage.bytes(50_000) == Self.noise(50_000))
    }

    @Test func `A stream engine reads little more than is wanted, whatever the server sends`()
        throws
    {
        let body = Self.noise(32 << 20)
        let server = try ScriptedHTTPServer(sendBuffer: 64 << 10) { request in
            ScriptedHTTPServer.Response(file: body, to: request)
        }
        let stage = Stage(server.url("/"))

        stage.want(until: 8 << 20)
        try stage.wait { $0.state == .idle && !$0.available.isEmpty }
        // The server has come to rest when nothing more has been sent for a while.
        var sent = 0
        while server.bytesSent != sent {
            sent = server.bytesSent
            usleep(200_000)
        }

        #expect(sent >= 8 << 20 && sent < 10 << 20, "\(sent)")
    }

    @Test func `A stream engine continues if the same bytes come under another name`() throws {
        let body = Self.noise(400_000)
        let server = try ScriptedHTTPServer { request in
            var response = ScriptedHTTPServer.Response(
                file: body, tag: request.number < 4 ? "\"\(request.number)\"" : nil, to: request)
            response.cut = 100_000
            return response
        }
        let stage = Stage(server.url("/"))

        stage.want(until: 1 << 20)
        try stage.wait { $0.available.count == 400_000 }

        #expect(stage.bytes(400_000) == body)
    }

    @Test func `A stream engine refuses other bytes under another name`() throws {
        let (body, other) = (Self.noise(400_000), [UInt8](repeating: 7, count: 400_000))
        let server = try ScriptedHTTPServer { request in
            var response = ScriptedHTTPServer.Response(
                file: request.number == 1 ? body : other, tag: "\"\(request.number)\"", to: request)
            response.cut = 100_000
            return response
        }
        let stage = Stage(server.url("/"))

        stage.want(until: 1 << 20)
        let failure = try stage.failure()

        #expect(failure?.code == .changed)
        #expect(stage.bytes(100_000) == Array(body[..<100_000]))
    }

    @Test func `A stream cut short of a length beyond counting does not count as whole`() throws {
        let server = try ScriptedHTTPServer { _ in
            var response = ScriptedHTTPServer.Response()
            response.fields = [("Content-Length", String(repeating: "9", count: 23))]
            response.announcesLength = false
            response.body = Self.noise(5000)
            return response
        }
        let stage = Stage(server.url("/"))

        stage.want(until: 1 << 20)
        let report = try stage.wait { $0.state == .waiting }

        #expect(report.total == nil && report.available.count == 5000)
        #expect(report.reason == "The server sends less than it announces")
    }

    @Test func `A stream engine gives up a host that refuses connections`() throws {
        // It has the port, and does not listen.
        let reserved = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(reserved) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(reserved, $0, length) == 0 ? getsockname(reserved, $0, &length) : -1
            }
        }
        try #require(code == 0)
        let host = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        let stage = Stage("http://\(host)/a.mp3")

        stage.want(until: 1 << 20)
        let failure = try stage.failure()

        #expect(failure == StreamFailure(.cannotConnect, "The server refuses the connection"))
    }

    @Test func `A stream engine gives up a host that does not exist, unless there is no network`()
        throws
    {
        // Too long for a name, so that nobody is asked.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let lost = Stage("http://\(host)/a.mp3")
        let offline = Stage("http://\(host)/a.mp3", isOnline: false)

        for stage in [lost, offline] { stage.want(until: 1 << 20) }
        let failure = try lost.failure()
        let report = try offline.wait { ($0.retry ?? 0) > 2 }

        #expect(failure?.code == .unknownHost)
        #expect(failure?.text == "There is no host \(host)")
        #expect(report.state == .waiting)
    }
}

import Glibc
import TestSupport
import Testing
import UndersongBase
import UndersongLocation
import UndersongPlayback
import UndersongTransfers

@testable import UndersongTransferIO

@Suite(.blockingThreads, .timeLimit(.minutes(3))) struct `An engine that watches gpsd` {
    private let reports = Inbox<GpsdWatcher.Report>()

    private func engine() -> GPSEngine {
        GPSEngine(clock: SystemClock()) { [reports] in reports.put($1) }
    }

    private static func position(_ number: Int) -> String {
        let time = CalendarDate(secondsSince1970: Double(number)).iso8601
        return "{\"class\":\"TPV\",\"mode\":3,\"time\":\"\(time)\",\"lat\":1.5,\"lon\":-2.5}\r\n"
    }

    private func nextTime() throws -> Double {
        while true { if case .fix(let fix) = try reports.next() { return fix.time } }
    }

    @Test func `GPSEngine asks gpsd for reports, and gives the positions`() throws {
        let gpsd = try FakeGpsd()
        let engine = engine()

        let id = engine.open(host: "localhost", port: gpsd.port)
        let request = try gpsd.news.next()
        gpsd.send(Self.position(1) + String(Self.position(2).prefix(20)))
        let first = try nextTime()
        gpsd.send(String(Self.position(2).dropFirst(20)))
        let second = try nextTime()
        engine.close(id)

        #expect(request == GpsdWatcher.request)
        #expect([first, second] == [1, 2])
        #expect(try gpsd.news.next() == "end")
    }

    @Test(.rule("LO7")) func `GPSEngine asks gpsd again after each of twenty ends`() throws {
        let gpsd = try FakeGpsd()
        let engine = engine()
        let id = engine.open(host: "127.0.0.1", port: gpsd.port)

        for round in 1...20 {
            let request = try gpsd.news.next()
            gpsd.send(Self.position(round))
            let time = try nextTime()
            gpsd.close()
            let end = try gpsd.news.next()
            #expect(request == GpsdWatcher.request && time == Double(round) && end == "end")
            try gpsd.open()
        }
        engine.close(id)
    }

    @Test func `GPSEngine reports why there is no gpsd`() throws {
        let gpsd = try FakeGpsd()
        gpsd.close()
        let engine = engine()

        let id = engine.open(host: "127.0.0.1", port: gpsd.port)
        let refused = try reports.next()
        let other = engine.open(host: "no.such.host.invalid", port: 2947)
        var unknown = try reports.next()
        while case .unavailable("Connection refused", _) = unknown { unknown = try reports.next() }
        engine.close(id)
        engine.close(other)

        #expect(refused == .unavailable("Connection refused", retry: 1))
        guard case .unavailable(let reason, 1) = unknown else {
            Issue.record("\(unknown)")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test(.rule("LO15")) func `GPSEngine closes the connection when nobody watches`() throws {
        let gpsd = try FakeGpsd()
        let engine = engine()
        let ids = (0..<3).map { _ in engine.open(host: "127.0.0.1", port: gpsd.port) }
        for _ in ids { #expect(try gpsd.news.next() == GpsdWatcher.request) }

        for id in ids { engine.close(id) }

        for _ in ids { #expect(try gpsd.news.next() == "end") }
    }

    @Test func `A fake gpsd writes nothing to files that got the numbers of its connections`()
        throws
    {
        let gpsd = try FakeGpsd()
        let engine = engine()
        let id = engine.open(host: "127.0.0.1", port: gpsd.port)
        #expect(try gpsd.news.next() == GpsdWatcher.request)
        engine.close(id)
        #expect(try gpsd.news.next() == "end")

        // Files get the lowest numbers that are free.
        var files: [Int32] = []
        defer { for file in files { close(file) } }
        for _ in 0..<50 {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            files += ends
        }
        gpsd.send(Self.position(1))

        var entries = files.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        #expect(poll(&entries, nfds_t(entries.count), 0) == 0)
    }
}

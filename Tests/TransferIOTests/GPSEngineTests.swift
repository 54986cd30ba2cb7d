import TestSupport
import Testing
import Threads
import Transfers

@testable import TransferIO

@Suite(.blockingThreads, .timeLimit(.minutes(3))) struct `An engine that watches gpsd` {
    private let reports = Inbox<GpsdWatcher.Report>()

    private func engine() -> GPSEngine {
        GPSEngine(clock: SystemClock()) { [reports] in reports.put($1) }
    }

    private static func position(_ number: Int) -> String {
        "{\"class\":\"TPV\",\"mode\":3,\"time\":\"\(number)\",\"lat\":1.5,\"lon\":-2.5}\r\n"
    }

    private func nextTime() throws -> String? {
        while true { if case .fix(let fix) = try reports.next() { return fix.time } }
    }

    @Test func `asks for reports, and gives the positions`() throws {
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
        #expect([first, second] == ["1", "2"])
        #expect(try gpsd.news.next() == "end")
    }

    @Test func `LO7 asks again after each of twenty ends`() throws {
        let gpsd = try FakeGpsd()
        let engine = engine()
        let id = engine.open(host: "127.0.0.1", port: gpsd.port)

        for round in 1...20 {
            #expect(try gpsd.news.next() == GpsdWatcher.request)
            gpsd.send(Self.position(round))
            #expect(try nextTime() == "\(round)")
            gpsd.close()
            #expect(try gpsd.news.next() == "end")
            try gpsd.open()
        }
        engine.close(id)
    }

    @Test func `reports why there is no gpsd`() throws {
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

    @Test func `LO15 closes the connection when nobody watches`() throws {
        let gpsd = try FakeGpsd()
        let engine = engine()
        let ids = (0..<3).map { _ in engine.open(host: "127.0.0.1", port: gpsd.port) }
        for _ in ids { #expect(try gpsd.news.next() == GpsdWatcher.request) }

        for id in ids { engine.close(id) }

        for _ in ids { #expect(try gpsd.news.next() == "end") }
    }
}

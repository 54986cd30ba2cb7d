import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBase
import UndersongControl
import UndersongLocation

/// LO12 by real programs: the example, and `undersong-transferd`, which watches gpsd.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `An application with a region` {
    private static let start = ["Launched in background 0", "Away from home"]
    private static let arrival = ["Launched in background 1", "At home", "Arrived at home"]
    private static let leaving = ["Launched in background 1", "Away from home", "Left home"]

    private static func region(_ state: RegionState) -> WatchedRegion {
        let center = Coordinate(latitude: 52.5, longitude: 13.4)
        return WatchedRegion(
            region: CircularRegion(identifier: "home", center: center, radius: 150), state: state)
    }

    @Test(.rule("LO12"))
    func `A region launches its application when entered and left, although it was killed`() throws
    {
        let bench = try RegionBench()
        try bench.start()
        bench.meters = 2000
        try bench.waitForLog(Self.start)

        bench.killApplication()
        bench.drive(north: 2000, 0)
        try bench.waitForLog(Self.start + Self.arrival)
        bench.drive(north: 0, 2000)

        try bench.waitForLog(Self.start + Self.arrival + Self.leaving)
    }

    @Test(.rule("LO12"))
    func `A region launches its application although the process that watches was killed`() throws {
        let bench = try RegionBench()
        try bench.start()
        bench.meters = 2000
        try bench.waitForLog(Self.start)

        bench.killApplication()
        try bench.killWatcher()
        try bench.startWatcher()
        bench.drive(north: 2000, 0)

        try bench.waitForLog(Self.start + Self.arrival)
    }

    @Test(.rule("B5")) func `gpsd is left alone once an application has no regions`()
        throws
    {
        let bench = try RegionBench()
        try bench.startWatcher()
        let client = try bench.client()
        let region = Self.region(.outside)
        func call(_ regions: [WatchedRegion]) -> WatchRegions {
            WatchRegions(
                program: "player", launch: ["/bin/true"],
                source: .gpsd(host: "127.0.0.1", port: Int(bench.gpsd.port)), regions: regions)
        }
        _ = try client.call(call([region]))

        client.close()
        let watched = try bench.gpsd.news.next()
        let other = try bench.client()
        let inUse = try bench.client()
        let reply = try other.call(call([region]))
        let unwatched = try bench.gpsd.news.next()
        let refusal = #expect(throws: ControlError.self) { try inUse.call(call([region])) }
        _ = try other.call(call([]))

        #expect(watched.contains("WATCH"))
        #expect(unwatched == "end")
        #expect(reply.changed == [])
        #expect(refusal?.code == .inUse)
        #expect(bench.records == [])
    }

    @Test func `An application's region is refused if it cannot be watched or launched for`() throws
    {
        let bench = try RegionBench()
        try bench.startWatcher()
        let client = try bench.client()
        func reason(_ change: (inout WatchRegions) -> Void) -> String? {
            var call = WatchRegions(
                program: "player", launch: ["/bin/true"], source: .geoClue,
                regions: [Self.region(.unknown)])
            change(&call)
            let error = #expect(throws: ControlError.self) { try client.call(call) }
            return error?.message
        }
        let purpose = "cannot watch the regions of player: "

        #expect(
            reason { $0.launch = ["true"] }
                == purpose + "A program to launch is an absolute path and 99 arguments at most")
        #expect(
            reason { $0.regions[0].region.latitude = 91 }
                == purpose + "home: its center is not on Earth")
        #expect(
            reason { $0.program = "../player" }
                == "cannot watch the regions of ../player: "
                + "A name has 1 to 100 bytes and is that of a file")
        #expect(
            reason { $0.source = .gpsd(host: "a b", port: 1) }
                == "cannot watch gpsd a b:1: It is not a host's name")
        #expect(bench.records == [])
    }
}

/// The example, its folders, and a gpsd.
private final class RegionBench {
    let gpsd: FakeGpsd
    private let folder: URL
    private var application: Child?
    /// Seconds since 1970 of the last position.
    private var second = Date().timeIntervalSince1970.rounded()

    init() throws {
        gpsd = try FakeGpsd()
        folder = URL(filePath: "/tmp/regions-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        killApplication()
        try? killWatcher()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func path(of program: String) -> String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: program).path
    }

    private func spawnQuietly(_ program: String, _ arguments: [String]) throws -> Child {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        return try Child(Self.path(of: program), arguments, [:], [null, null, null])
    }

    func start() throws {
        application = try spawnQuietly(
            "UndersongExamples",
            [
                "BackgroundLocation", "regions", folder.path, "\(gpsd.port)", folder.path,
                folder.path + "/state",
            ])
    }

    func killApplication() {
        application?.end()
        application = nil
    }

    // MARK: The process that watches

    func startWatcher() throws {
        _ = try spawnQuietly(
            "undersong-transferd",
            ["--runtime-folder", folder.path, "--state-folder", folder.path + "/state"])
    }

    func client() throws -> ControlClient {
        let socket = ControlSocket(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: folder.path
        ).path
        var client: ControlClient?
        try waitUntil {
            client = try? ControlClient(socket: socket, name: "test")
            return client != nil
        }
        return try #require(client)
    }

    func killWatcher() throws {
        let process = try client().call(Hello(client: "test")).process
        kill(process, SIGKILL)
        try waitUntil { kill(process, 0) != 0 }
    }

    /// The files in which regions are kept.
    var records: [String] {
        let path = folder.path + "/state/default/transfers/regions"
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    // MARK: The log

    private var log: [String] {
        let text = try? String(contentsOf: folder.appending(path: "log.txt"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    /// Waits for a log of these lines. The machine stays where it is meanwhile.
    func waitForLog(_ lines: [String]) throws {
        try waitUntil {
            step(north: meters)
            return log.count >= lines.count
        }
        #expect(log == lines)
    }

    // MARK: The machine

    /// Meters north of home at which it is.
    var meters = 0.0

    /// gpsd reports the place so many meters north of home, a second later than the last one.
    private func report(north meters: Double) {
        self.meters = meters
        second += 1
        let time = Date(timeIntervalSince1970: second).formatted(.iso8601)
        gpsd.send(
            "{\"class\":\"TPV\",\"mode\":3,\"time\":\"\(time)\",\"lat\":\(52.5 + meters / 111_260),"
                + "\"lon\":13.4,\"eph\":8}\r\n")
    }

    /// Reports the place twenty times as fast as gpsd's clock says.
    private func step(north meters: Double) {
        let clock = SystemClock()
        report(north: meters)
        clock.sleep(until: clock.now + 50_000_000)
    }

    /// Drives at 20 m/s.
    func drive(north first: Double, _ last: Double) {
        for meters in stride(from: first, through: last, by: first < last ? 20 : -20) {
            step(north: meters)
        }
    }
}

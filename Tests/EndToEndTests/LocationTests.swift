import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLocation

extension EndToEnd {
    @Suite struct `The places of a service` {
        /// A drive: ten seconds at home, a minute away from it at 10 m/s, half a minute there, the
        /// same way back, and a minute at home.
        private static var drive: String {
            var way: [Double] = Array(repeating: 0, count: 10)
            way += (1...60).map { Double($0) * 10 }
            way += Array(repeating: 600, count: 30)
            way += (0..<60).reversed().map { Double($0) * 10 }
            way += Array(repeating: 0, count: 60)
            let points = way.enumerated().map { second, meters in
                "<trkpt lat='\(52.5 + meters / 111_260)' lon='13.4'><time>2026-01-01T12:0"
                    + "\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)Z</time></trkpt>"
            }
            return "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"
        }

        @Test(.rule("LO15"), .comparesSamples)
        func `A rule pauses on leaving home, and resumes at the very sample on coming back`() throws
        {
            let server = try SoundServer()
            let music = try Music()
            let sources = try Sources(music, seconds: [9])
            let file = EventFile(music.path("events.jsonl"))
            let drive = try music.write(Data(Self.drive.utf8), to: "drive.gpx")
            func undersong(_ arguments: String...) throws {
                let program = try Program(
                    Program.undersong, arguments, environment: server.environment)
                #expect(try program.wait() == 0, "\(program.errorText)")
            }
            let recording = try Recording(server)

            try undersong("location", "authorize", "always")
            try undersong("location", "place", "add", "home", "52.5,13.4", "150")
            try undersong("location", "on", "exit", "home", "pause")
            try undersong("location", "on", "enter", "home", "resume")
            let player = try Program(
                "/bin/sh",
                [
                    "-c", "exec \"$0\" \"$@\" > \(file.path)", Program.undersong, "play", "--json",
                    sources.paths[0],
                ], environment: server.environment)
            try file.wait { !$0["time"].isEmpty }
            try undersong("location", "replay", drive, "--speed", "60")
            try file.wait { $0["end"].count == 1 }
            try player.wait()

            let heard = sounds(in: try recording.finish())
            let expected = trimmed(sources.music[0])
            let isWhole = Array(heard.joined()) == expected
            #expect(heard.count == 2)
            #expect(isWhole, "\(heard.map(\.count)) of \(expected.count)")
            let events = try file.events
            #expect(
                events["region"].compactMap { $0["phase"] as? String }
                    == ["determined", "exited", "entered"])
            let crossings = events.lines.compactMap { event -> String? in
                switch event["event"] as? String {
                case "region": event["phase"] as? String
                case "state": (event["status"] as? String).flatMap { $0 == "waiting" ? nil : $0 }
                default: nil
                }
            }
            #expect(crossings.suffix(4) == ["exited", "paused", "entered", "playing"])
        }
    }

    /// The real gpsd, which reads sentences from a server of the test's.
    @Suite struct `Locations of the real gpsd` {
        static var isHere: Bool { access(Gpsd.path, X_OK) == 0 }

        @Test(.rule("D4"), .enabled(if: isHere, "gpsd is not installed"))
        func `A square of 4 km has that length with gpsd, and a filter of 99 m 40 updates`()
            throws
        {
            let receiver = try Receiver()
            let gpsd = try Gpsd(receiver)
            let folder = try RuntimeFolder()
            let daemon = try Daemon(in: folder.path)
            let updates = Inbox<LocationFix>()
            let client = try daemon.client { message in
                guard let event = try? message.decode(EventNotice.self),
                    case .location(.fix(let fix)) = event.data.kind
                else { return }
                updates.put(fix)
            }
            _ = try client.call(AuthorizeLocations(.always))
            _ = try client.call(SetLocationSource(.gpsd(host: "127.0.0.1", port: Int(gpsd.port))))
            // On the ellipsoid ten steps to the north are 99.4 m here.
            _ = try client.call(SetLocationFilter(distance: 99))
            _ = try client.call(Attach(state: .active, source: "terminal"))
            _ = try client.call(Subscribe(interval: nil, kinds: ["location"]))
            _ = try client.call(StartLocations())

            var track = [try updates.next()]
            receiver.drive()
            while track.count < 41 { track.append(try updates.next()) }
            let away = zip(track, track.dropFirst()).map { Self.distance($0, $1) }
            let stopped = try client.call(StopLocations())

            let sum = away.reduce(0, +)
            #expect(3960...4040 ~= sum, "\(sum) m, \(away)")
            #expect(away.allSatisfy { $0 >= 99.9 && $0 < 115 }, "\(away)")
            #expect(stopped.sourceState == .closed)
            #expect(updates.rest.isEmpty)
        }

        /// Meters between places that are close to each other.
        private static func distance(_ first: LocationFix, _ second: LocationFix) -> Double {
            let north = (second.latitude - first.latitude) * Receiver.metersPerDegree
            let east =
                (second.longitude - first.longitude) * Receiver.metersPerDegree
                * cos(first.latitude * .pi / 180)
            return (north * north + east * east).squareRoot()
        }
    }
}

/// A receiver of satellites, as gpsd finds it on the network: it drives around a square of 4 × 1000 m
/// at 10 m/s, twenty times as fast as its clock says.
private final class Receiver: Sendable {
    static let metersPerDegree = 111_195.0
    private static let home = (latitude: 0.5, longitude: 13.0)

    private struct State {
        /// Seconds since the drive began; nil before that.
        var driven: Int?
        var second = 0
        var isOpen = true
    }

    let port: UInt16
    private let listener: Int32
    private let start = Int(time(nil))
    private let state = Mutex(State())

    init() throws {
        (listener, port) = try listenOnLoopback()
        startThread(named: "receiver") { [weak self, listener] in
            // Not where it ends: the number could be another file's by the next `accept`.
            defer { close(listener) }
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                while let lines = self?.nextLines(),
                    send(connection, lines, lines.utf8.count, Int32(MSG_NOSIGNAL)) > 0
                {
                    SystemClock().sleep(until: SystemClock().now + 50_000_000)
                }
                close(connection)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    func drive() { state.withLock { $0.driven = 0 } }

    /// The sentences of the next second.
    private func nextLines() -> String {
        let (second, driven) = state.withLock { state in
            state.second += 1
            state.driven = state.driven.map { $0 + 1 }
            return (state.second, state.driven ?? 0)
        }
        let meters = min(Double(driven) * 10, 4000)
        let side = Double(Int(meters) % 1000)
        let (north, east): (Double, Double) =
            switch Int(meters) / 1000 {
            case 0: (side, 0)
            case 1: (1000, side)
            case 2: (1000 - side, 1000)
            case 3: (0, 1000 - side)
            default: (0, 0)
            }
        let latitude = Self.home.latitude + north / Self.metersPerDegree
        let longitude =
            Self.home.longitude + east / Self.metersPerDegree
            / cos(Self.home.latitude * .pi / 180)
        return Self.sentences(latitude, longitude, at: start + second)
    }

    private static func sentences(_ latitude: Double, _ longitude: Double, at now: Int) -> String {
        var (moment, utc) = (now, tm())
        gmtime_r(&moment, &utc)
        let clock = String(format: "%02d%02d%02d.00", utc.tm_hour, utc.tm_min, utc.tm_sec)
        let date = String(
            format: "%02d%02d%02d", utc.tm_mday, utc.tm_mon + 1, utc.tm_year % 100)
        let place =
            String(format: "%02d%09.6f,N,", Int(latitude), (latitude - floor(latitude)) * 60)
            + String(format: "%03d%09.6f,E", Int(longitude), (longitude - floor(longitude)) * 60)
        return sentence("GPGGA,\(clock),\(place),1,08,1.0,50.0,M,46.9,M,,")
            + sentence("GPRMC,\(clock),A,\(place),19.4,0.0,\(date),,,A")
    }

    private static func sentence(_ text: String) -> String {
        "$\(text)*" + String(format: "%02X", text.utf8.reduce(0, ^)) + "\r\n"
    }
}

/// A gpsd of the test's own, with one receiver.
private final class Gpsd {
    static let path = "/usr/sbin/gpsd"
    let port: UInt16
    private let program: Child

    init(_ receiver: Receiver) throws {
        // gpsd takes its sockets as systemd hands them over, the one for commands first: so nobody
        // else can take the port.
        let (commands, _) = try listenOnLoopback()
        defer { close(commands) }
        let (listener, port) = try listenOnLoopback()
        defer { close(listener) }
        self.port = port
        let silence = FileHandle.nullDevice.fileDescriptor
        program = try Child(
            "/bin/sh",
            [
                "-c", "LISTEN_FDS=2 LISTEN_PID=$$ exec \"$0\" \"$@\"", Self.path, "-N", "-n",
                "tcp://127.0.0.1:\(receiver.port)",
            ], [:], [silence, silence, silence, commands, listener])
    }

    deinit { program.end() }
}

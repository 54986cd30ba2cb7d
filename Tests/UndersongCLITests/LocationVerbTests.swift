import Foundation
import TestSupport
import Testing
import UndersongBase
import UndersongControl
import UndersongLocation
import UndersongPlayback

@testable import UndersongCLI

/// `undersong location`, as a program, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The verb location` {
    private static var status: LocationStatus {
        var settings = LocationSettings()
        settings.isUpdating = true
        settings.backgroundAccuracy = .level(.kilometer)
        settings.distance = 25
        settings.source = .gpsd(host: "localhost", port: 2947)
        var status = LocationStatus(
            settings: settings, authorization: .always, isDeclared: true,
            sourceState: .unavailable, reason: "the receiver has no fix")
        status.places = [
            WatchedRegion(
                region: CircularRegion(
                    identifier: "home", center: Coordinate(latitude: 52.5163, longitude: -13.3777),
                    radius: 150), state: .inside),
            WatchedRegion(
                region: CircularRegion(
                    identifier: "work", center: Coordinate(latitude: 1, longitude: 2), radius: 99.5)
            ),
        ]
        status.rules = [
            LocationRule(.exit, "home", .player(.pause)),
            LocationRule(.enter, "home", .load("evening")),
        ]
        (status.last, status.age, status.fixCount) = (fix, 3.4, 7)
        status.refused = [.known(.stale): 2, .known(.jump): 1]
        return status
    }

    private static var replaying: LocationStatus {
        var status = status
        status.replay = LocationStatus.Replay(
            name: "drive.gpx", speed: 10, done: 12, count: 600, skipped: 3, duration: 60)
        return status
    }

    private static let fix = LocationFix(
        Coordinate(latitude: 37.33482105, longitude: -122.03350886), horizontalAccuracy: 5,
        speed: 15.9, course: 255.94, time: 1_419_221_113, source: .gpsd)

    private func service(
        _ status: LocationStatus = status
    ) throws -> FakeService {
        try FakeService { _, _ in ControlReply(status) }
    }

    /// The program's output in California.
    private func run(
        _ arguments: [String], _ service: FakeService
    ) throws -> (status: Int32, text: String, errors: String) {
        var environment = service.environment
        environment["TZ"] = "America/Los_Angeles"
        let program = try Program(["location"] + arguments, environment: environment)
        let status = try program.wait()
        return (status, program.text, program.errorText)
    }

    @Test func `The verb location shows everything on one screen`() throws {
        let service = try service()
        defer { service.end() }

        let result = try run(["status"], service)

        #expect(
            result.text == """
                updates     on
                allowed     always
                mode        location is declared
                source      gpsd localhost:2947 is not measuring: the receiver has no fix
                            replay a route instead: undersong location replay drive
                accuracy    best, 1km in the background
                filter      25 m
                last        <+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps / course 255.94) @ 12/21/14, 8:05:13 PM PST, 3.4 s ago
                track       7 fixes, in memory only: undersong location keep on
                refused     1 too far away, 2 too old
                places      home: 52.51630, -13.37770, 150 m: inside
                            work: 1.00000, 2.00000, 99.5 m: unknown whether inside
                rules       on exit home: pause
                            on enter home: queue load evening

                """)
        #expect(result.status == 0)
    }

    @Test(arguments: [
        (["start"], StartLocations.method), (["stop"], StopLocations.method),
        ([], GetLocationStatus.method), (["place"], GetLocationStatus.method),
        (["on"], GetLocationStatus.method), (["replay", "--stop"], EndReplay.method),
    ])
    func `The verb location sends what has no value`(words: [String], method: String) throws {
        let service = try service()
        defer { service.end() }

        #expect(try run(words, service).status == 0)
        #expect(service.methods == [method])
    }

    @Test(arguments: [
        (["authorize", "whenInUse"], AuthorizeLocations(.whenInUse) as any ControlCall),
        (["authorize", "never"], AuthorizeLocations(.never)),
        (
            ["accuracy", "100m", "--background", "3km"],
            SetLocationAccuracy(accuracy: .hundredMeters, background: .level(.threeKilometers))
        ),
        (["accuracy", "--background", "same"], SetLocationAccuracy(background: .same)),
        (["filter", "25.5"], SetLocationFilter(distance: 25.5)),
        (["source", "geoclue"], SetLocationSource(.geoClue)),
        (
            ["source", "gpsd", "a.example:2948"],
            SetLocationSource(.gpsd(host: "a.example", port: 2948))
        ),
        (["source", "gpsd", "[::1]"], SetLocationSource(.gpsd(host: "::1", port: 2947))),
        (["source", "gpsd"], SetLocationSource(.gpsd(host: "localhost", port: 2947))),
        (["keep", "on"], KeepLocations(true)),
        (
            ["place", "add", "home", "-33.86,151.2", "99.5"],
            AddPlace("home", center: Coordinate(latitude: -33.86, longitude: 151.2), radius: 99.5)
        ),
        (["place", "add", "cafe", "here"], AddPlace("cafe", center: nil, radius: 150)),
        (["place", "remove", "cafe"], RemovePlace("cafe")),
        (["on", "exit", "home", "pause"], AddRule(LocationRule(.exit, "home", .player(.pause)))),
        (
            ["on", "enter", "home", "resume"],
            AddRule(LocationRule(.enter, "home", .player(.resume)))
        ),
        (
            ["on", "exit", "home", "volume", "40"],
            AddRule(LocationRule(.exit, "home", .volume(40)))
        ),
        (
            ["on", "enter", "home", "queue", "load", "evening"],
            AddRule(LocationRule(.enter, "home", .load("evening")))
        ),
        (["off", "exit", "home"], RemoveRules(.exit, "home")),
    ])
    func `The verb location sends what is to be set`(words: [String], call: any ControlCall) throws
    {
        func sent<Call: ControlCall>(_ call: Call) throws -> [String] {
            try service.calls(Call.self).map { JSONLine.text(of: $0) }
        }
        let service = try service()
        defer { service.end() }

        #expect(try run(words, service).status == 0)
        #expect(try sent(call) == [JSONLine.text(of: call)])
    }

    @Test func `The verb location shows the rules after a change`() throws {
        let service = try service()
        defer { service.end() }

        let result = try run(["on", "exit", "home", "pause"], service)

        #expect(result.text == "on exit home: pause\non enter home: queue load evening\n")
    }

    @Test(arguments: [
        (["place", "add", "home", "nan,1"], "nan is not a latitude from -90 to 90."),
        (["place", "add", "home", "91,1"], "91 is not a latitude from -90 to 90."),
        (["place", "add", "home", "1,181"], "181 is not a longitude from -180 to 180."),
        (
            ["place", "add", "home", "1,x"],
            "'1,x' is not LATITUDE,LONGITUDE in degrees, such as 52.5,13.4, or here."
        ),
        (["place", "add", "home", "1,1", "0"], "'0' is not a radius in meters above 0."),
        (["place", "add", "home", "1,1", "nan"], "'nan' is not a radius in meters above 0."),
        (
            ["place", "add", "home", "1"],
            "'1' is not LATITUDE,LONGITUDE in degrees, such as 52.5,13.4, or here."
        ),
        (["on", "exit"], "name a place; 'undersong location place' lists them"),
        (
            ["on", "exit", "home"],
            "name an action: pause, resume, queue load NAME or volume PERCENT."
        ),
        (
            ["on", "exit", "home", "rm", "-rf"],
            "'rm' is not one of pause, resume, queue load NAME, volume PERCENT."
        ),
        (["on", "exit", "home", "volume", "101"], "'101' is not a volume from 0 to 100."),
        (["source", "gpsd", "host:0"], "'host:0' is not HOST or HOST:PORT."),
        (["source", "gpsd", "a:b:c"], "'a:b:c' is not HOST or HOST:PORT."),
        (["source", "geoclue", "host"], "geoclue takes no HOST:PORT."),
        (["accuracy"], "name an accuracy, such as 100m"),
        (["replay"], "name a route (drive, run and ride) or the file with the track"),
        (["replay", "a.gpx", "--speed", "0"], "--speed must be from 0.01 to 1000"),
        (["filter", "nan"], "the distance must be from 0 to 1000000"),
        (["filter", "-5"], "the distance must be from 0 to 1000000"),
        (["authorize", "allways"], "did you mean 'always'?"),
    ])
    func `The verb location refuses wrong arguments, and says why`(words: [String], reason: String)
        throws
    {
        let service = try service()
        defer { service.end() }

        let result = try run(words, service)

        #expect(result.status == 64)
        let problem = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        #expect(result.errors.contains(problem), "\(result.errors)")
        #expect(service.methods == [])
    }

    @Test func `The verb location has its events among the kinds of undersong events`() throws {
        let verb = try EventsVerb.parse(["--kinds", "location,region,visit"])

        #expect(verb.kinds == ["location", "region", "visit"])
    }

    @Test func `The verb location passes the file of a replay, and reports one that is unreadable`()
        throws
    {
        let service = try service(Self.replaying)
        defer { service.end() }
        let path = service.runtimeFolder + "/drive.gpx"
        try Data("<gpx/>".utf8).write(to: URL(filePath: path))

        let result = try run(["replay", path, "--speed", "10"], service)
        let missing = try run(["replay", "/nowhere/a.gpx"], service)

        #expect(result.text == "drive.gpx at 10 times its speed, 12 of 600 fixes, 3 left out\n")
        #expect(missing.status == 1)
        #expect(
            missing.errors
                == "undersong: cannot replay /nowhere/a.gpx: No such file or directory\n")
        let call = ReplayTrack(name: "drive.gpx", speed: 10)
        #expect(try service.calls(ReplayTrack.self) == [call])
        #expect(service.descriptors(with: ReplayTrack.self) == [1])
    }

    @Test(.rule("D14")) func `The verb location replays a route by its name`() throws {
        let service = try service(Self.replaying)
        defer { service.end() }

        let result = try run(["replay", "drive", "--speed", "10"], service)
        let unknown = try run(["replay", "walk"], service)
        let file = try run(["replay", "./drive"], service)

        #expect(result.status == 0, "\(result.errors)")
        #expect(
            unknown.errors
                == "undersong: cannot replay walk: No such file or directory; "
                + "the routes are drive, run and ride\n")
        #expect(file.errors == "undersong: cannot replay ./drive: No such file or directory\n")
        #expect(unknown.status == 1 && file.status == 1)
        let call = ReplayTrack(name: "drive", speed: 10)
        #expect(try service.calls(ReplayTrack.self) == [call])
        #expect(service.descriptors(with: ReplayTrack.self) == [1])
    }

    @Test(.rule("D14")) func `The verb location lists the routes without a service`() throws {
        let service = try FakeService(session: nil)
        defer { service.end() }

        let list = try run(["routes"], service)
        let json = try run(["routes", "--json"], service)

        #expect(
            list.text.split(separator: "\n").map { $0.prefix(6).filter { $0 != " " } }
                == ["drive", "run", "ride"])
        #expect(list.text.contains("City bicycle ride   5.5 km  17:"), "\(list.text)")
        #expect(list.text.allSatisfy { $0 != "\t" } && list.status == 0)
        struct Line: Decodable { let name: String, length, duration, speed, topSpeed: Double }
        let lines = try json.text.split(separator: "\n")
            .map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        #expect(lines.map(\.name) == ["drive", "run", "ride"])
        #expect(lines.allSatisfy { abs($0.length / $0.duration - $0.speed) < 0.01 })
        #expect(lines.allSatisfy { $0.topSpeed > $0.speed })
        #expect(service.methods == [])
    }

    @Test func `The list of routes has a line for each`() {
        let fixes = (0..<3).map { second in
            LocationFix(
                Coordinate(latitude: 0, longitude: Double(second) * 0.01), horizontalAccuracy: 5,
                speed: Double(second) * 10, time: Double(second) * 60, source: .replay)
        }
        let summaries = [RouteSummary(.drive, Track(fixes)), RouteSummary(.run, Track([]))]

        #expect(
            RouteSummary.lines(summaries) == [
                "drive  Freeway drive  2.2 km  2:00  67 km/h  up to 72",
                "run    City run       0.0 km  0:00   0 km/h  up to 0",
            ])
    }

    @Test func `The verb location shows the track, or writes it to a file for its owner alone`()
        throws
    {
        let service = try FakeService { _, _ in ControlReply(GetTrack.Reply(fixes: [Self.fix])) }
        defer { service.end() }
        let path = service.runtimeFolder + "/track.gpx"
        try Data("old".utf8).write(to: URL(filePath: path))
        chmod(path, 0o644)

        let list = try run(["track"], service)
        let gpx = try run(["track", "--gpx"], service)
        let written = try run(["track", "-o", path], service)

        #expect(
            list.text
                == "<+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps / course 255.94) @ "
                + "12/21/14, 8:05:13 PM PST\n")
        #expect(gpx.text == GPXWriter.text([Self.fix]))
        #expect(written.status == 0 && written.text == "")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == gpx.text)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `The verb doctor says what stands against locations`() {
        var status = Self.status

        let bad = LocationCheck.finding(status, session: "work")
        (status.sourceState, status.reason) = (.available, nil)
        let good = LocationCheck.finding(status, session: "default")
        (status.settings.isUpdating, status.places) = (false, [])
        let unused = LocationCheck.finding(status, session: "default")

        #expect(
            bad
                == .note(
                    "locations of work",
                    "gpsd localhost:2947 is not measuring: the receiver has no fix",
                    "undersong location status --session work"))
        #expect(good == .good("locations of default", "gpsd localhost:2947 is measuring"))
        #expect(unused == nil)
    }
}

import Foundation
import TestSupport
import Testing
import UndersongControl
import UndersongLocation
import UndersongPlayback

@testable import UndersongCLI

/// `undersong location`, as a program, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The verb location` {
    private static var state: LocationState {
        var state = LocationState(
            updating: true, authorization: "always", declared: true, accuracy: "best", filter: 25,
            source: "gpsd localhost:2947", sourceState: "unavailable", keeps: false, fixes: 7,
            places: [
                LocationState.Place(
                    name: "home", latitude: 52.5163, longitude: -13.3777, radius: 150,
                    state: "inside"),
                LocationState.Place(
                    name: "work", latitude: 1, longitude: 2, radius: 99.5, state: "unknown"),
            ],
            rules: [
                LocationState.Rule(event: "exit", place: "home", command: "pause"),
                LocationState.Rule(
                    event: "enter", place: "home", command: "load", value: "evening"),
            ])
        state.backgroundAccuracy = "1km"
        state.because = "the receiver has no fix"
        state.last = fix
        state.age = 3.4
        state.refused = ["stale": 2, "jump": 1]
        state.replay = LocationState.Replay(
            name: "drive.gpx", speed: 10, done: 12, count: 600, skipped: 3, duration: 60)
        return state
    }

    private static let fix = MeasuredLocation(
        latitude: 37.33482105, longitude: -122.03350886, accuracy: 5, speed: 15.9, course: 255.94,
        time: 1_419_221_113)

    private func service(
        _ reply: LocationCall.Reply = LocationCall.Reply(state: state)
    ) throws -> FakeService {
        try FakeService { _, _ in ControlReply(reply) }
    }

    /// What the program prints, in California.
    private func run(
        _ arguments: [String], _ service: FakeService
    ) throws -> (status: Int32, text: String, errors: String) {
        var environment = service.environment
        environment["TZ"] = "America/Los_Angeles"
        let program = try Program(["location"] + arguments, environment: environment)
        let status = try program.wait()
        return (status, program.text, program.errorText)
    }

    @Test func `shows everything on one screen`() throws {
        let service = try service()
        defer { service.end() }

        let result = try run(["status"], service)

        #expect(
            result.text == """
                updates     on
                allowed     always
                mode        location is declared
                source      gpsd localhost:2947 is not measuring: the receiver has no fix
                accuracy    best, 1km in the background
                filter      25 m
                last        <+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps / course 255.94) @ 12/21/14, 8:05:13 PM PST, 3.4 s ago
                replay      drive.gpx at 10 times its speed, 12 of 600 fixes, 3 left out
                track       7 fixes, in memory only: undersong location keep on
                refused     1 too far away, 2 too old
                places      home: 52.51630, -13.37770, 150 m: inside
                            work: 1.00000, 2.00000, 99.5 m: whether it is inside is not known
                rules       on exit home: pause
                            on enter home: queue load evening

                """)
        #expect(result.status == 0)
    }

    @Test(arguments: [
        (["start"], LocationCall.Action.start), (["stop"], .stop), ([], .status),
        (["place"], .status), (["on"], .status), (["track"], .track),
    ])
    func `sends what has no value`(words: [String], action: LocationCall.Action) throws {
        let service = try service()
        defer { service.end() }

        #expect(try run(words, service).status == 0)
        #expect(try service.calls(LocationCall.self) == [LocationCall(action)])
    }

    @Test func `sends decisions, accuracies, filters and sources`() throws {
        let service = try service()
        defer { service.end() }

        for words in [
            ["authorize", "whenInUse"], ["accuracy", "100m", "--background", "3km"],
            ["accuracy", "--background", "same"], ["filter", "25.5"], ["source", "geoclue"],
            ["source", "gpsd", "gps.example:2948"], ["source", "gpsd", "[::1]"], ["keep", "on"],
        ] {
            #expect(try run(words, service).status == 0, "\(words)")
        }

        let calls = try service.calls(LocationCall.self)
        #expect(calls[0].authorization == "whenInUse")
        #expect(calls[1].accuracy == "100m" && calls[1].background == "3km")
        #expect(calls[2].accuracy == nil && calls[2].background == "same")
        #expect(calls[3].distance == 25.5)
        #expect(calls[4].source == "geoclue" && calls[4].host == nil)
        #expect(calls[5].source == "gpsd")
        #expect(calls[5].host == "gps.example" && calls[5].port == 2948)
        #expect(calls[6].host == "::1" && calls[6].port == nil)
        #expect(calls[7].keep == true)
    }

    @Test(arguments: [
        (["home", "52.5,13.4"], 52.5, 13.4, 150.0),
        (["home", "52.5,13.4", "99.5"], 52.5, 13.4, 99.5),
        (["home", "-33.86,151.2", "20"], -33.86, 151.2, 20),
        (["home", "-33.86,-0.5"], -33.86, -0.5, 150),
    ])
    func `adds places, south of the equator, too`(
        words: [String], latitude: Double, longitude: Double, radius: Double
    ) throws {
        let service = try service()
        defer { service.end() }

        #expect(try run(["place", "add"] + words, service).status == 0)
        #expect(
            try service.calls(LocationCall.self).first?.place
                == LocationState.Place(
                    name: "home", latitude: latitude, longitude: longitude, radius: radius))
    }

    @Test func `adds the place where the machine is, and removes one`() throws {
        let service = try service()
        defer { service.end() }

        _ = try run(["place", "add", "cafe", "here", "50"], service)
        _ = try run(["place", "remove", "cafe"], service)

        let calls = try service.calls(LocationCall.self)
        #expect(
            calls[0].place
                == LocationState.Place(name: "cafe", latitude: nil, longitude: nil, radius: 50))
        #expect(calls[1].action == .removePlace && calls[1].placeName == "cafe")
    }

    @Test(arguments: [
        (["pause"], "pause", nil as String?), (["resume"], "resume", nil),
        (["volume", "40"], "volume", "40"), (["queue", "load", "evening"], "load", "evening"),
    ])
    func `adds rules`(words: [String], command: String, value: String?) throws {
        let service = try service()
        defer { service.end() }

        let result = try run(["on", "exit", "home"] + words, service)
        _ = try run(["off", "exit", "home"], service)

        #expect(result.text == "on exit home: pause\non enter home: queue load evening\n")
        let calls = try service.calls(LocationCall.self)
        #expect(calls[0].action == .addRule && calls[0].event == "exit")
        #expect(calls[0].placeName == "home")
        #expect(calls[0].command == command && calls[0].value == value)
        #expect(calls[1].action == .removeRule && calls[1].placeName == "home")
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
        (["replay"], "name the file with the track"),
        (["replay", "a.gpx", "--speed", "0"], "--speed must be from 0.01 to 1000"),
        (["filter", "nan"], "the distance must be from 0 to 1000000"),
        (["filter", "-5"], "the distance must be from 0 to 1000000"),
        (["authorize", "allways"], "did you mean 'always'?"),
    ])
    func `refuses wrong arguments, and says why`(words: [String], reason: String) throws {
        let service = try service()
        defer { service.end() }

        let result = try run(words, service)

        #expect(result.status == 64)
        let problem = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        #expect(result.errors.contains(problem), "\(result.errors)")
        #expect(service.methods == [])
    }

    @Test func `has its events among the kinds of undersong events`() throws {
        let verb = try EventsVerb.parse(["--kinds", "location,region,visit"])

        #expect(verb.kinds == [.location, .region, .visit])
    }

    @Test func `passes the file of a replay, and reports one that cannot be read`() throws {
        let service = try service()
        defer { service.end() }
        let path = service.runtimeFolder + "/drive.gpx"
        try Data("<gpx/>".utf8).write(to: URL(filePath: path))

        let result = try run(["replay", path, "--speed", "10"], service)
        let missing = try run(["replay", "/nowhere/a.gpx"], service)
        let stopped = try run(["replay", "--stop"], service)

        #expect(result.text == "drive.gpx at 10 times its speed, 12 of 600 fixes, 3 left out\n")
        #expect(missing.status == 1)
        #expect(
            missing.errors
                == "undersong: cannot replay /nowhere/a.gpx: No such file or directory\n")
        #expect(stopped.status == 0)
        let calls = try service.calls(LocationCall.self)
        #expect(calls.map(\.name) == ["drive.gpx", nil])
        #expect(calls.map(\.speed) == [10, nil])
        #expect(service.descriptors(with: LocationCall.self) == [1, 0])
    }

    @Test func `shows the track, or writes it to a file for its owner alone`() throws {
        let service = try FakeService { request, _ in
            let isGPX = try request.decode(LocationCall.self).gpx == true
            return ControlReply(
                isGPX
                    ? LocationCall.Reply(gpx: "<gpx/>\n") : LocationCall.Reply(fixes: [Self.fix]))
        }
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
        #expect(gpx.text == "<gpx/>\n")
        #expect(written.status == 0 && written.text == "")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "<gpx/>\n")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `is checked by doctor, which says what stands against it`() {
        var state = Self.state

        let bad = LocationCheck.finding(state, session: "work")
        state.sourceState = "available"
        state.because = nil
        let good = LocationCheck.finding(state, session: "default")
        (state.updating, state.places) = (false, [])
        let unused = LocationCheck.finding(state, session: "default")

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

@Suite struct `The demo of locations` {
    private func fix(_ number: Int) -> MeasuredLocation {
        MeasuredLocation(
            latitude: 37.33482105, longitude: -122.03350886, accuracy: 5, speed: 15.9,
            course: 255.94, time: 1_419_221_113 + Double(number))
    }

    @Test func `D7 shows pins in the foreground, logs them in the background, and D8 shows those`()
    {
        var demo = LocationDemo(state: .active)

        let first = demo.update(fix(0))
        let left = demo.enter(.background)
        let second = demo.update(fix(1))
        _ = demo.update(fix(2))
        let returned = demo.enter(.active)
        let again = demo.enter(.active)

        let text = { LocationText.description(fix($0)) }
        #expect(first == ["Pin at \(text(0))"])
        #expect(left == [] && again == [])
        #expect(second == ["App is backgrounded. New location is \(text(1))"])
        #expect(returned == ["Pin at \(text(1))", "Pin at \(text(2))", "3 pins on the map"])
        #expect(
            text(0).hasPrefix(
                "<+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps / course 255.94) @ "))
    }

    @Test func `D6 keeps the newest hundred pins`() {
        var demo = LocationDemo(state: .inactive)

        for number in 0..<150 { #expect(demo.update(fix(number)) == []) }
        let lines = demo.enter(.active)

        #expect(demo.pins == (50..<150).map(fix))
        #expect(lines.count == 101)
    }
}

import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLocation
import UndersongPlayback
import UndersongPlayerService

@testable import UndersongService

/// A source whose fixes a test sends.
final class ScriptedLocationSource: LocationSource {
    private struct State {
        var handler: (@Sendable (LocationSourceEvent) -> Void)?
        var demands: [LocationDemand] = []
        var openings = 0
    }

    let kind = LocationSourceKind.gpsd
    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.handler != nil } }
    var openings: Int { state.withLock { $0.openings } }
    var demands: [LocationDemand] { state.withLock { $0.demands } }

    func start(
        _ demand: LocationDemand, _ handler: @escaping @Sendable (LocationSourceEvent) -> Void
    ) {
        state.withLock { state in
            state.handler = handler
            state.demands.append(demand)
            state.openings += 1
        }
        handler(.state(.searching))
    }

    func change(_ demand: LocationDemand) { state.withLock { $0.demands.append(demand) } }
    func stop() { state.withLock { $0.handler = nil } }

    func send(_ event: LocationSourceEvent) { state.withLock { $0.handler }?(event) }
}

/// Locations, over the socket.
@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `A service that knows where it is` {
    private let source = ScriptedLocationSource()
    private static let home = Coordinate(latitude: 52.5, longitude: 13.4)

    private func call(
        _ action: LocationCall.Action, _ fill: (inout LocationCall) -> Void = { _ in }
    ) -> LocationCall {
        var call = LocationCall(action)
        fill(&call)
        return call
    }

    private func authorize(_ client: Client, _ word: String = "always") throws {
        _ = try client.call(call(.authorize) { $0.authorization = word })
    }

    private func addHome(_ client: Client, radius: Double = 150) throws {
        _ = try client.call(
            call(.addPlace) {
                $0.place = LocationState.Place(
                    name: "home", latitude: Self.home.latitude, longitude: Self.home.longitude,
                    radius: radius)
            })
    }

    private func rule(_ event: String, _ command: String, _ value: String? = nil) -> LocationCall {
        call(.addRule) {
            ($0.event, $0.placeName, $0.command, $0.value) = (event, "home", command, value)
        }
    }

    private func state(_ client: Client) throws -> LocationState {
        try #require(try client.call(call(.status)).state)
    }

    /// Sends a fix so many meters north of home, and lets a second pass after it was taken.
    private func move(
        _ stage: Stage, _ client: Client, north meters: Double, accuracy: Double = 5
    ) throws {
        let clock = stage.clock
        source.send(
            .fix(
                LocationFix(
                    Coordinate(
                        latitude: Self.home.latitude + meters / 111_260,
                        longitude: Self.home.longitude), horizontalAccuracy: accuracy,
                    time: clock.secondsSinceEpoch, arrival: clock.secondsSinceBoot, source: .gpsd)))
        _ = try state(client)
        clock.advance(by: 1)
    }

    private func locations(_ client: Client) -> [PlayerEvent.Location] {
        client.events.compactMap { if case .location(let event) = $0.kind { event } else { nil } }
    }

    private func phases(_ client: Client) -> [String] {
        client.events.compactMap {
            if case .region(let event) = $0.kind { event.phase } else { nil }
        }
    }

    @Test func `D12 measures nothing until the user has allowed it, and says what to do`() throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()

        let started = try #require(try client.call(call(.start)).state)
        let wasOpen = source.isOpen
        try authorize(client)
        let allowed = try state(client)
        let isOpen = source.isOpen
        try authorize(client, "never")

        #expect(started.updating && started.sourceState == "closed")
        #expect(started.because?.contains("undersong location authorize always") == true)
        #expect(!wasOpen && isOpen && !source.isOpen)
        #expect(allowed.sourceState == "searching" && allowed.because == nil)
        #expect(try state(client).authorization == "denied")
    }

    @Test func `D7 gives updates as events, and keeps the newest hundred in memory`() async throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["location"]))
        try authorize(client)
        _ = try client.call(call(.start))

        for step in 0..<101 { try move(stage, client, north: Double(step)) }
        await client.wait { locations($0).count == 101 }
        let track = try #require(try client.call(call(.track)).fixes)
        let gpx = try client.call(call(.track) { $0.gpx = true }).gpx

        #expect(track.count == 100)
        #expect(track.last?.latitude == Self.home.latitude + 100 / 111_260)
        #expect(track.first?.latitude == Self.home.latitude + 1 / 111_260)
        #expect(locations(client).first?.accuracy == 5)
        #expect(gpx?.components(separatedBy: "<trkpt ").count == 101)
        #expect(try state(client).last == track.last)
    }

    @Test func `D1 stops in the background without the mode, and continues with it`() throws {
        let stage = try Stage(location: source)
        let client = try stage.client()
        try client.attach("active")
        try authorize(client)
        _ = try client.call(call(.start))
        let inFront = source.isOpen

        try client.attach("background")
        let undeclared = source.isOpen
        let because = try state(client).because
        let suspended = try client.call(GetStatus()).suspended
        _ = try client.call(Capability("location", on: true))
        let declared = source.isOpen

        #expect([inFront, undeclared, declared] == [true, false, true])
        #expect(because?.contains("undersong capability location on") == true)
        #expect(suspended)
        #expect(try !client.call(GetStatus()).suspended)
    }

    @Test func `D1 measures less exactly in the background if that is wanted`() throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        try client.attach("active")
        try authorize(client)
        _ = try client.call(
            call(.accuracy) { ($0.accuracy, $0.background) = ("bestForNavigation", "1km") })
        _ = try client.call(call(.filter) { $0.distance = 25 })
        _ = try client.call(call(.start))

        try client.attach("background")
        _ = try client.call(call(.accuracy) { $0.background = "same" })

        #expect(source.openings == 1)
        let accuracies = source.demands.map(\.accuracy.value)
        #expect(accuracies.prefix(2) == [-2, 1000] && accuracies.last == -2)
        let state = try state(client)
        #expect(state.accuracy == "bestForNavigation" && state.backgroundAccuracy == nil)
        #expect(state.filter == 25)
    }

    @Test func `B5 keeps no source open that nobody wants`() throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        try authorize(client)

        let first = source.isOpen
        _ = try client.call(call(.start))
        let updating = source.isOpen
        _ = try client.call(call(.stop))
        let stopped = source.isOpen
        try addHome(client)
        let unruled = source.isOpen
        _ = try client.call(rule("exit", "pause"))
        let watching = source.isOpen
        _ = try client.call(call(.removeRule) { ($0.event, $0.placeName) = ("exit", "home") })
        let ruledNoMore = source.isOpen
        _ = try client.call(rule("exit", "pause"))
        let watchingAgain = source.isOpen
        _ = try client.call(call(.removePlace) { $0.placeName = "home" })

        #expect([first, updating, stopped, unruled] == [false, true, false, false])
        #expect([watching, ruledNoMore, watchingAgain] == [true, false, true])
        #expect(!source.isOpen)
    }

    @Test func `B5 names the rule that a place is without, and notices it beside updates`()
        async throws
    {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["region"]))
        try authorize(client)
        try addHome(client)

        let closed = try state(client)
        let refused = #expect(throws: ControlError.self) { try replay(gpx(3), stage, client) }
        _ = try client.call(call(.start))
        try move(stage, client, north: 0)
        await client.wait { phases($0) == ["determined"] }

        #expect(closed.sourceState == "closed")
        #expect(
            closed.because
                == "no rule is made for a place; make one with: undersong location on exit home pause"
        )
        #expect(
            refused?.message.hasSuffix("make one with: undersong location on exit home pause")
                == true)
        #expect(try state(client).because == nil)
    }

    @Test func `B5 watches places with rules again after the service has ended`() throws {
        let folder = URL(filePath: "/tmp/service-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        func visit(_ change: (Client) throws -> Void) throws -> LocationState {
            let stage = try Stage(modes: ["location"], location: source, keeping: folder)
            let client = try stage.client()
            defer { client.close() }
            try change(client)
            return try state(client)
        }

        let made = try visit { client in
            try authorize(client)
            try addHome(client)
            _ = try client.call(rule("exit", "pause"))
        }
        let later = try visit { _ in }

        #expect(made.sourceState == "searching")
        #expect(later.sourceState == "searching")
    }

    @Test func `LO15 pauses when it leaves, and resumes when it comes back`() async throws {
        let stage = try Stage(modes: ["audio", "location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["region", "state"]))
        try authorize(client)
        try addHome(client)
        _ = try client.call(rule("exit", "pause"))
        _ = try client.call(rule("enter", "volume", "40"))
        _ = try client.call(rule("enter", "resume"))
        try client.play()

        for _ in 0..<5 { try move(stage, client, north: 0) }
        for step in 0..<60 { try move(stage, client, north: Double(step) * 10) }
        await client.wait { phases($0).contains("exited") }
        await client.wait { $0.events.last?.head.status == "paused" }
        let away = try client.call(GetStatus())
        for step in (0..<60).reversed() { try move(stage, client, north: Double(step) * 10) }
        for _ in 0..<25 { try move(stage, client, north: 0) }
        await client.wait { phases($0).contains("entered") }
        await client.wait { $0.events.last?.head.status == "playing" }

        #expect(phases(client) == ["determined", "exited", "entered"])
        #expect(!away.wantsPlayback)
        #expect(try client.call(GetStatus()).settings.volume == 40)
        #expect(try state(client).places.first?.state == "inside")
    }

    @Test func `reports a rule that cannot be performed, and performs the next one`() async throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        let queue = stage.folder.appending(path: "queues/evening.xspf")
        try FileManager.default.createDirectory(
            at: queue.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("<playlist/>".utf8).write(to: queue)
        _ = try client.call(Subscribe(interval: nil, kinds: ["error", "settings"]))
        try authorize(client)
        try addHome(client)
        _ = try client.call(rule("exit", "load", "evening"))
        _ = try client.call(rule("exit", "volume", "30"))
        try FileManager.default.removeItem(at: queue)

        for step in 0..<60 { try move(stage, client, north: Double(step) * 10) }
        await client.wait { $0.events.contains { $0.failure != nil } }
        await client.wait { client in
            client.events.contains { if case .settings = $0.kind { true } else { false } }
        }

        #expect(
            client.events.compactMap(\.failure?.message)
                == ["cannot play evening: No queue is saved by that name"])
        #expect(try client.call(GetStatus()).settings.volume == 30)
    }

    @Test func `keeps places, rules and decisions, and fixes only where that is wanted`()
        async
        throws
    {
        let folder = URL(filePath: "/tmp/service-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        func visit(_ keeps: Bool?) async throws -> (LocationState, [MeasuredLocation]) {
            let stage = try Stage(modes: ["location"], location: source, keeping: folder)
            let client = try stage.client()
            defer { client.close() }
            let found = try state(client)
            let fixes = try client.call(call(.track)).fixes ?? []
            guard let keeps else { return (found, fixes) }
            _ = try client.call(Subscribe(interval: nil, kinds: ["location", "region"]))
            try authorize(client)
            try addHome(client)
            _ = try client.call(rule("exit", "volume", "12.5"))
            _ = try client.call(rule("exit", "pause"))
            _ = try client.call(rule("exit", "volume", "20"))
            _ = try client.call(call(.start))
            _ = try client.call(call(.keep) { $0.keep = keeps })
            try move(stage, client, north: 0)
            await client.wait { client in
                !locations(client).isEmpty && (keeps || !phases(client).isEmpty)
            }
            return (found, fixes)
        }

        _ = try await visit(false)
        let (second, none) = try await visit(true)
        let (third, one) = try await visit(nil)

        #expect(second.authorization == "always" && second.updating && !second.keeps)
        #expect(second.places.map(\.state) == ["inside"])
        #expect(second.rules.map(\.command) == ["pause", "volume"])
        #expect(second.rules.map(\.value) == [nil, "20"])
        #expect(none.isEmpty)
        #expect(third.keeps && one.count == 1)
        let stateFolder = folder.path + "/state/"
        for name in try FileManager.default.contentsOfDirectory(atPath: stateFolder) {
            let mode = try FileManager.default.attributesOfItem(atPath: stateFolder + name)[
                .posixPermissions]
            #expect(mode as? Int == 0o600, "\(name)")
        }
    }

    // MARK: Replays

    /// A track that goes north in steps of 10 m a second, starting at home after some seconds.
    private func gpx(_ count: Int) -> String {
        let points = (0..<count).map { step in
            let latitude = Self.home.latitude + Double(max(0, step - 10)) * 10 / 111_260
            let time =
                "2014-12-22T04:\(step / 60 < 10 ? "0" : "")\(step / 60):"
                + "\(step % 60 < 10 ? "0" : "")\(step % 60)Z"
            return
                "<trkpt lat='\(latitude)' lon='\(Self.home.longitude)'><time>\(time)</time></trkpt>"
        }
        return "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"
    }

    private func replay(
        _ text: String, _ stage: Stage, _ client: Client, speed: Double? = nil
    ) throws -> LocationState? {
        let file = stage.folder.appending(path: "drive.gpx")
        try Data(text.utf8).write(to: file)
        let handle = try FileHandle(forReadingFrom: file)
        return try client.call(
            call(.replay) { ($0.name, $0.speed) = ("drive.gpx", speed) },
            descriptors: [handle.fileDescriptor]
        ).state
    }

    @Test(arguments: [1.0, 60])
    func `LO14 replays a track with the same events at any speed`(speed: Double) async throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["location", "region"]))
        try authorize(client)
        try addHome(client)
        _ = try client.call(call(.start))

        let begun = try replay(gpx(100), stage, client, speed: speed)
        stage.clock.advance(by: 99 / speed)
        await client.wait { locations($0).count == 100 && phases($0).count == 2 }
        try waitUntil { try state(client).replay == nil }

        #expect(begun?.source == "replay")
        #expect(begun?.replay?.count == 100 && begun?.replay?.speed == speed)
        let times = locations(client).compactMap(\.time)
        #expect(times == (0..<100).map { 1_419_220_800 + Double($0) })
        let events = client.events.compactMap { event -> String? in
            switch event.kind {
            case .region(let region): "\(region.phase) \(region.side)"
            case .location(let location):
                location.time == 1_419_220_800 + 51 ? "51 s" : nil
            default: nil
            }
        }
        #expect(events.first == "determined inside" || events.first == "51 s")
        #expect(events.filter { $0 != "51 s" } == ["determined inside", "exited outside"])
        #expect(try state(client).source == "geoclue")
        #expect(source.openings == 2)
    }

    @Test func `replays the same track again`() async throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["location"]))
        try authorize(client)
        _ = try client.call(call(.start))

        for round in 1...2 {
            _ = try replay(gpx(3), stage, client)
            stage.clock.advance(by: 2)
            await client.wait { locations($0).count == 3 * round }
            try waitUntil { try state(client).replay == nil }
        }

        #expect(try state(client).refused == nil)
    }

    @Test func `ends a replay before its end`() async throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        try authorize(client)
        _ = try client.call(call(.start))
        _ = try replay(gpx(100), stage, client)
        let during = source.isOpen

        let after = try client.call(call(.replay)).state
        stage.clock.advance(by: 10)

        #expect(!during && source.isOpen)
        #expect(after?.replay == nil)
        #expect(throws: ControlError(.notPossible, "cannot end the replay: Nothing is replayed")) {
            try client.call(call(.replay))
        }
    }

    @Test func `replays as a source has to`() throws {
        let clock = ManualClock()
        let track = try Track.read(Array(gpx(10).utf8))
        let source = ReplaySource(track, name: "drive.gpx", speed: 1, clock: clock) {}

        try expectLocationSourceContract(of: source) { clock.advance(by: 1) }
    }

    // MARK: Bad input

    @Test(arguments: [
        ("<gpx>", "cannot replay drive.gpx: Line 1: no element found"),
        (
            "<gpx><trkpt lat='91' lon='0'/></gpx>",
            "cannot replay drive.gpx: Line 1: '91' is not a latitude"
        ),
        ("", "cannot replay drive.gpx: It is empty"),
    ])
    func `refuses a track that is none`(text: String, reason: String) throws {
        let stage = try Stage(location: source)
        let client = try stage.client()

        #expect(throws: ControlError(.invalidParams, reason)) {
            try replay(text, stage, client)
        }
    }

    @Test func `refuses a replay that nothing wants, and says what is missing`() throws {
        let stage = try Stage(location: source)
        let client = try stage.client()

        let unwanted = #expect(throws: ControlError.self) { try replay(gpx(3), stage, client) }
        _ = try client.call(call(.start))
        let unauthorized = #expect(throws: ControlError.self) { try replay(gpx(3), stage, client) }
        try authorize(client)
        let undeclared = #expect(throws: ControlError.self) { try replay(gpx(3), stage, client) }

        #expect(
            unwanted?.message
                == "cannot replay drive.gpx: Nothing wants locations; 'undersong location start' "
                + "begins updates")
        #expect(unauthorized?.message.contains("undersong location authorize always") == true)
        #expect(undeclared?.message.contains("undersong capability location on") == true)
    }

    @Test func `refuses places and rules that cannot be`() throws {
        let stage = try Stage(location: source)
        let client = try stage.client()
        func place(_ name: String, _ latitude: Double?, _ longitude: Double?, _ radius: Double)
            -> LocationCall
        {
            call(.addPlace) {
                $0.place = LocationState.Place(
                    name: name, latitude: latitude, longitude: longitude, radius: radius)
            }
        }
        let cases: [(LocationCall, String)] = [
            (place("a", 91, 0, 10), "cannot add the place a: Its center is not on Earth"),
            (place("a", 0, -181, 10), "cannot add the place a: Its center is not on Earth"),
            (place("a", 0, 0, 0), "cannot add the place a: Its radius is not above 0"),
            (place("a", 0, 0, -5), "cannot add the place a: Its radius is not above 0"),
            (place("a", 0, 0, 2e6), "cannot add the place a: Its radius is above 1000 km"),
            (
                place("", 0, 0, 10),
                "cannot add a place: A name has 1 to 64 letters, digits, '-', '_' and '.'"
            ),
            (
                place("a b", 0, 0, 10),
                "cannot add a place: A name has 1 to 64 letters, digits, '-', '_' and '.'"
            ),
            (
                place("a", nil, nil, 10),
                "cannot add the place a: Nobody knows where you are: there was no fix yet"
            ),
            (
                rule("exit", "pause"),
                "cannot add the rule: There is no place 'home'; there are none yet"
            ),
            (
                call(.removePlace) { $0.placeName = "work" },
                "cannot remove the place work: There is no place 'work'; there are none yet"
            ),
            (
                call(.filter) { $0.distance = -1 },
                "cannot filter by -1.0 m: It is from 0 to 1000000"
            ),
            (
                call(.accuracy) { $0.accuracy = "exact" },
                "cannot use the accuracy 'exact': It is not one of bestForNavigation, best, 10m, 100m, "
                    + "1km, 3km"
            ),
        ]
        for (call, reason) in cases {
            let error = #expect(throws: ControlError.self) { try client.call(call) }
            #expect(error?.message == reason)
        }

        try addHome(client)
        let beside = #expect(throws: ControlError.self) {
            try client.call(call(.removePlace) { $0.placeName = "work" })
        }
        _ = try client.call(place("office", 1, 1, 10))
        let amongTwo = #expect(throws: ControlError.self) {
            try client.call(call(.removePlace) { $0.placeName = "work" })
        }
        let queue = #expect(throws: ControlError.self) {
            try client.call(rule("exit", "load", "Nothing"))
        }
        let volume = #expect(throws: ControlError.self) {
            try client.call(rule("exit", "volume", "101"))
        }
        let none = #expect(throws: ControlError.self) {
            try client.call(call(.removeRule) { ($0.event, $0.placeName) = ("exit", "home") })
        }

        #expect(
            beside?.message
                == "cannot remove the place work: There is no place 'work'; the only one is home")
        #expect(
            amongTwo?.message
                == "cannot remove the place work: There is no place 'work'; the known ones are home, "
                + "office")
        #expect(
            queue?.message.hasPrefix("cannot load Nothing: No queue is saved by that name") == true)
        #expect(volume?.message.hasPrefix("cannot set the volume to 101") == true)
        #expect(none?.message == "cannot remove the rules on exit home: There are none")
        #expect(try state(client).rules.isEmpty)
    }

    @Test func `LO12 watches twenty places, and replaces one with the same name`() throws {
        let stage = try Stage(location: source)
        let client = try stage.client()
        func add(_ name: String, radius: Double = 10) throws {
            _ = try client.call(
                call(.addPlace) {
                    $0.place = LocationState.Place(
                        name: name, latitude: 1, longitude: 1, radius: radius)
                })
        }

        for number in 1...20 { try add("p\(number)") }
        let error = #expect(throws: ControlError.self) { try add("p21") }
        try add("p20", radius: 99)

        #expect(error?.message == "cannot add the place p21: 20 regions are watched already")
        let places = try state(client).places
        #expect(places.count == 20)
        #expect(places.first { $0.name == "p20" }?.radius == 99)
    }

    @Test func `says in why what is measured, and what is not`() throws {
        let stage = try Stage(location: source)
        let client = try stage.client()

        let before = try client.call(GetWhy()).locations
        try addHome(client)

        #expect(before == nil)
        #expect(try client.call(GetWhy()).locations?.places.map(\.name) == ["home"])
    }
}

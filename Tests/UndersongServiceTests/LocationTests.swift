import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLocation
import UndersongPlayback

@testable import UndersongService
@testable import UndersongStore

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

    private func authorize(_ client: Client) throws {
        _ = try client.call(AuthorizeLocations(.always))
    }

    private func addHome(_ client: Client) throws {
        _ = try client.call(AddPlace("home", center: Self.home, radius: 150))
    }

    private func add(
        _ client: Client, _ event: LocationRule.Event, _ command: LocationRule.Command
    ) throws {
        _ = try client.call(AddRule(LocationRule(event, "home", command)))
    }

    private func status(_ client: Client) throws -> LocationStatus {
        try client.call(GetLocationStatus())
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
        _ = try status(client)
        clock.advance(by: 1)
    }

    private func fixes(_ client: Client) -> [LocationFix] {
        client.events.compactMap {
            if case .location(.fix(let fix)) = $0.kind { fix } else { nil }
        }
    }

    private func phases(_ client: Client) -> [RegionEvent.Phase] {
        client.events.compactMap {
            if case .region(let event) = $0.kind { event.phase } else { nil }
        }
    }

    @Test(.rule("D12"))
    func `The service measures no location until the user allows it, and says what to do`() throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()

        let started = try client.call(StartLocations())
        let wasOpen = source.isOpen
        let allowed = try client.call(AuthorizeLocations(.always))
        let isOpen = source.isOpen
        let never = try client.call(AuthorizeLocations(.never))

        #expect(started.settings.isUpdating && started.sourceState == .closed)
        #expect(started.reason?.contains("undersong location authorize always") == true)
        #expect(!wasOpen && isOpen && !source.isOpen)
        #expect(allowed.sourceState == .searching && allowed.reason == nil)
        #expect(never.authorization == .never)
        #expect(throws: ControlError.self) { try client.call(AuthorizeLocations(.restricted)) }
    }

    @Test(.rule("D7"))
    func `The service gives location updates as events, and keeps them in memory`() async throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["location"]))
        try authorize(client)
        _ = try client.call(StartLocations())

        for step in 0..<3 { try move(stage, client, north: Double(step)) }
        await client.wait { fixes($0).count == 3 }
        let track = try client.call(GetTrack()).fixes

        #expect(track == fixes(client))
        #expect(track.map(\.latitude) == (0..<3).map { Self.home.latitude + Double($0) / 111_260 })
        #expect(try status(client).last == track.last)
    }

    @Test(.rule("D1"))
    func `Location updates stop in the background without the mode, and continue with it`() throws {
        let stage = try Stage(location: source)
        let client = try stage.client()
        try client.attach(.active)
        try authorize(client)
        _ = try client.call(StartLocations())
        let inFront = source.isOpen

        try client.attach(.background)
        let undeclared = source.isOpen
        let reason = try status(client).reason
        let suspended = try client.call(GetStatus()).suspended
        _ = try client.call(DeclareMode(.location, on: true))
        let declared = source.isOpen

        #expect([inFront, undeclared, declared] == [true, false, true])
        #expect(reason?.contains("undersong capability location on") == true)
        #expect(suspended)
        #expect(try !client.call(GetStatus()).suspended)
    }

    @Test(.rule("D1"))
    func `The service measures less exactly in the background if that is wanted`() throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        try client.attach(.active)
        try authorize(client)
        _ = try client.call(
            SetLocationAccuracy(accuracy: .bestForNavigation, background: .level(.kilometer)))
        _ = try client.call(SetLocationFilter(distance: 25))
        _ = try client.call(StartLocations())

        try client.attach(.background)
        _ = try client.call(SetLocationAccuracy(background: .same))

        #expect(source.openings == 1)
        let accuracies = source.demands.map(\.accuracy.value)
        #expect(accuracies.prefix(2) == [-2, 1000] && accuracies.last == -2)
        let settings = try status(client).settings
        #expect(settings.accuracy == .bestForNavigation && settings.backgroundAccuracy == .same)
        #expect(settings.distance == 25)
    }

    @Test(.rule("B5")) func `The service keeps no location source open that nobody wants`() throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        try authorize(client)

        let first = source.isOpen
        _ = try client.call(StartLocations())
        let updating = source.isOpen
        _ = try client.call(StopLocations())
        let stopped = source.isOpen
        try addHome(client)
        let unruled = source.isOpen
        let reason = try status(client).reason
        try add(client, .exit, .player(.pause))
        let watching = source.isOpen
        _ = try client.call(RemoveRules(.exit, "home"))
        let ruledNoMore = source.isOpen
        try add(client, .exit, .player(.pause))
        let watchingAgain = source.isOpen
        _ = try client.call(RemovePlace("home"))

        #expect([first, updating, stopped, unruled] == [false, true, false, false])
        #expect([watching, ruledNoMore, watchingAgain] == [true, false, true])
        #expect(!source.isOpen)
        #expect(
            reason
                == "no rule is made for a place; make one with: undersong location on exit home pause"
        )
    }

    @Test(.rule("LO15"))
    func `The service pauses when it leaves a place, and resumes when it comes back`() async throws
    {
        let stage = try Stage(modes: ["audio", "location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["region", "state"]))
        try authorize(client)
        try addHome(client)
        try add(client, .exit, .player(.pause))
        try add(client, .enter, .volume(40))
        try add(client, .enter, .player(.resume))
        try client.play()

        for _ in 0..<5 { try move(stage, client, north: 0) }
        for step in 0..<60 { try move(stage, client, north: Double(step) * 10) }
        await client.wait { phases($0).contains(.exited) }
        await client.wait { $0.events.last?.head.status == .paused }
        let away = try client.call(GetStatus())
        for step in (0..<60).reversed() { try move(stage, client, north: Double(step) * 10) }
        for _ in 0..<25 { try move(stage, client, north: 0) }
        await client.wait { phases($0).contains(.entered) }
        await client.wait { $0.events.last?.head.status == .playing }

        #expect(phases(client) == [.determined, .exited, .entered])
        #expect(!away.wantsPlayback)
        #expect(try client.call(GetStatus()).settings.volume == 40)
        #expect(try status(client).places.map(\.state) == [.inside])
    }

    @Test func `The service reports a place's rule that fails, and performs the next one`()
        async throws
    {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        let queue = stage.folder.appending(path: "queues/evening.xspf")
        try FileManager.default.createDirectory(
            at: queue.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("<playlist/>".utf8).write(to: queue)
        _ = try client.call(Subscribe(interval: nil, kinds: ["error", "settings"]))
        try authorize(client)
        try addHome(client)
        try add(client, .exit, .load("evening"))
        try add(client, .exit, .volume(30))
        try FileManager.default.removeItem(at: queue)

        for step in 0..<60 { try move(stage, client, north: Double(step) * 10) }
        await client.wait { $0.events.contains { $0.failure != nil } }
        await client.wait { client in
            client.events.contains { if case .settings = $0.kind { true } else { false } }
        }

        #expect(
            client.events.compactMap(\.failure?.description)
                == ["cannot play evening: No queue is saved by that name"])
        #expect(try client.call(GetStatus()).settings.volume == 30)
    }

    @Test
    func `The service keeps places, rules and decisions, and a hundred fixes only on request`()
        async throws
    {
        let folder = URL(filePath: "/tmp/service-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        func visit(
            _ change: (Stage, Client) async throws -> Void
        ) async throws -> (LocationStatus, [LocationFix]) {
            let stage = try Stage(modes: ["location"], location: source, keeping: folder)
            let client = try stage.client()
            defer { client.close() }
            let found = (try status(client), try client.call(GetTrack()).fixes)
            _ = try client.call(Subscribe(interval: nil, kinds: ["location", "region"]))
            try await change(stage, client)
            return found
        }

        _ = try await visit { stage, client in
            try authorize(client)
            try addHome(client)
            try add(client, .exit, .volume(12.5))
            try add(client, .exit, .player(.pause))
            try add(client, .exit, .volume(20))
            _ = try client.call(StartLocations())
            _ = try client.call(
                SetLocationSource(.gpsd(host: "gps.example", port: 2948)))
            try move(stage, client, north: 0)
            await client.wait { !fixes($0).isEmpty && !phases($0).isEmpty }
        }
        let (second, none) = try await visit { stage, client in
            try move(stage, client, north: 0)
            _ = try client.call(KeepLocations(true))
            for step in 1...103 { try move(stage, client, north: Double(step) / 10) }
            await client.wait { fixes($0).count == 104 }
        }
        let (third, hundred) = try await visit { stage, client in
            try move(stage, client, north: 0)
            await client.wait { !fixes($0).isEmpty }
        }
        let (_, later) = try await visit { _, client in
            _ = try client.call(RemovePlace("home"))
            _ = try client.call(KeepLocations(false))
        }
        let (last, nothing) = try await visit { _, _ in }

        #expect(second.authorization == .always && second.sourceState == .searching)
        #expect(second.settings.isUpdating && !second.settings.keepsFixes)
        #expect(second.settings.source == .gpsd(host: "gps.example", port: 2948))
        #expect(second.places.map(\.state) == [.inside])
        #expect(second.rules.map(\.command) == [.player(.pause), .volume(20)])
        #expect(none.isEmpty)
        #expect(third.settings.keepsFixes && hundred.count == 100)
        #expect(hundred.last?.latitude == Self.home.latitude + 10.3 / 111_260)
        #expect(later.map(\.latitude) == hundred.dropFirst().map(\.latitude) + [Self.home.latitude])
        #expect(last.places.isEmpty && last.rules.isEmpty && nothing.isEmpty)
        let stateFolder = folder.path + "/state/"
        for name in try FileManager.default.contentsOfDirectory(atPath: stateFolder) {
            let mode = try FileManager.default.attributesOfItem(atPath: stateFolder + name)[
                .posixPermissions]
            #expect(mode as? Int == 0o600, "\(name)")
        }
    }

    @Test func `The service loses no rule but the one whose record is damaged`() throws {
        let folder = URL(filePath: "/tmp/service-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        func visit(_ body: (Client) throws -> Void) throws {
            let stage = try Stage(modes: ["location"], location: source, keeping: folder)
            let client = try stage.client()
            defer { client.close() }
            try body(client)
        }
        try visit { client in
            try addHome(client)
            try add(client, .exit, .player(.pause))
            try add(client, .exit, .volume(20))
            try add(client, .enter, .player(.resume))
        }
        let database = try Database(folder.path + "/state/state.sqlite", for: .peeking)
        try database.execute(
            "UPDATE records SET value = replace(value, '20', '70') WHERE namespace = 'location.rules'"
        )
        database.close()

        var left: [LocationRule.Command] = []
        try visit { client in
            left = try status(client).rules.map(\.command)
            try add(client, .exit, .volume(30))
        }
        var later: [LocationRule.Command] = []
        try visit { later = try status($0).rules.map(\.command) }

        #expect(left == [.player(.pause), .player(.resume)])
        #expect(later == left + [.volume(30)])
    }

    @Test(.rule("D12")) func `The service reports at once that the source cannot measure`()
        async throws
    {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["location"]))
        try authorize(client)
        _ = try client.call(StartLocations())

        source.send(.state(.unavailable("there is no system bus")))
        await client.wait { !$0.events.isEmpty }

        #expect(
            client.events.map(\.kind) == [.location(.problem("there is no system bus"))])
        #expect(try status(client).reason == "there is no system bus")
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
        _ text: String, _ stage: Stage, _ client: Client, speed: Double = 1
    ) throws -> LocationStatus {
        let file = stage.folder.appending(path: "drive.gpx")
        try Data(text.utf8).write(to: file)
        let handle = try FileHandle(forReadingFrom: file)
        return try client.call(
            ReplayTrack(name: "drive.gpx", speed: speed), descriptors: [handle.fileDescriptor])
    }

    @Test(.rule("LO14", "LO16"))
    func `The service replays a track with the events that a source would give`() async throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["location", "region"]))
        try authorize(client)
        try addHome(client)
        _ = try client.call(StartLocations())

        let begun = try replay(gpx(100), stage, client, speed: 60)
        stage.clock.advance(by: 99.0 / 60)
        await client.wait { fixes($0).count == 100 && phases($0).count == 2 }
        try waitUntil { try status(client).replay == nil }

        #expect(begun.replay?.count == 100 && begun.replay?.speed == 60)
        // North at 10 m/s after ten seconds, though the file says nothing of it.
        let moving = fixes(client)[15...]
        #expect(moving.allSatisfy { abs(($0.speed ?? 0) - 10) < 0.1 })
        #expect(moving.allSatisfy { $0.course.map { min($0, 360 - $0) < 0.1 } ?? false })
        #expect(fixes(client)[5].speed == 0 && fixes(client)[5].course == nil)
        #expect(fixes(client).map(\.time) == (0..<100).map { 1_419_220_800 + Double($0) })
        let sides = client.events.compactMap { event -> RegionEvent? in
            if case .region(let region) = event.kind { region } else { nil }
        }
        #expect(sides == [.determined("home", .inside), .exited("home")])
        #expect(source.openings == 2)
    }

    @Test func `The service replays the same track again`() async throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["location"]))
        try authorize(client)
        _ = try client.call(StartLocations())

        for round in 1...2 {
            _ = try replay(gpx(3), stage, client)
            stage.clock.advance(by: 2)
            await client.wait { fixes($0).count == 3 * round }
            try waitUntil { try status(client).replay == nil }
        }

        #expect(try status(client).refused == nil)
    }

    @Test func `The service ends a replay before its end`() async throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        try authorize(client)
        _ = try client.call(StartLocations())
        _ = try replay(gpx(100), stage, client)
        let during = source.isOpen

        let after = try client.call(EndReplay())
        stage.clock.advance(by: 10)

        #expect(!during && source.isOpen)
        #expect(after.replay == nil)
        #expect(
            throws: ControlError(.notPossible, "cannot end the replay: No track is being replayed")
        ) {
            try client.call(EndReplay())
        }
    }

    @Test func `A replayed track measures at once, and after each interruption`() async throws {
        let stage = try Stage(modes: ["location"], location: source)
        let client = try stage.client()
        _ = try client.call(Subscribe(interval: nil, kinds: ["location"]))
        try authorize(client)
        let searching = try client.call(StartLocations())
        let begun = try replay(gpx(100), stage, client)
        await client.wait { fixes($0).count == 1 }

        let stopped = try client.call(StopLocations())
        let started = try client.call(StartLocations())
        stage.clock.advance(by: 1)
        await client.wait { fixes($0).count == 2 }

        #expect(searching.sourceState == .searching)
        #expect(begun.sourceState == .available)
        #expect(stopped.sourceState == .closed && started.sourceState == .available)
        #expect(try status(client).sourceState == .available)
        #expect(started.replay?.done == 1)
    }

    @Test func `A replay keeps the contract of a location source`() throws {
        let clock = ManualClock()
        let track = try Track.read(Array(gpx(10).utf8))
        let source = ReplaySource(track, name: "drive.gpx", speed: 1, clock: clock) {}

        try expectLocationSourceContract(of: source) { clock.advance(by: 1) }
    }

    // MARK: Bad input

    @Test func `The service refuses to replay what is not a track`() throws {
        let stage = try Stage(location: source)
        let client = try stage.client()

        #expect(
            throws: ControlError(
                .invalidParams, "cannot replay drive.gpx: Line 1: '91' is not a latitude")
        ) { try replay("<gpx><trkpt lat='91' lon='0'/></gpx>", stage, client) }
        #expect(
            throws: ControlError(.invalidParams, "cannot replay a: Its descriptor is missing")
        ) { try client.call(ReplayTrack(name: "a", speed: 1)) }
    }

    @Test func `The service refuses a replay that nothing wants, and says what is missing`() throws
    {
        let stage = try Stage(location: source)
        let client = try stage.client()

        let unwanted = #expect(throws: ControlError.self) { try replay(gpx(3), stage, client) }
        _ = try client.call(StartLocations())
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

    @Test func `The service refuses places and rules that are impossible`() throws {
        let stage = try Stage(location: source)
        let client = try stage.client()
        func problem(_ call: some ControlCall) -> String? {
            #expect(throws: ControlError.self) { try client.call(call) }?.message
        }
        func place(_ name: String, _ center: Coordinate?, radius: Double = 10) -> AddPlace {
            AddPlace(name, center: center, radius: radius)
        }
        func rule(_ command: LocationRule.Command) -> AddRule {
            AddRule(LocationRule(.exit, "home", command))
        }

        #expect(
            problem(place("a", Coordinate(latitude: 91, longitude: 0)))
                == "cannot add the place a: Its center is not on Earth")
        #expect(
            problem(place("a b", Self.home))
                == "cannot add a place: A name has 1 to 64 letters, digits, '-', '_' and '.'")
        #expect(
            problem(place("a", nil))
                == "cannot add the place a: The location is not known yet")
        #expect(
            problem(rule(.player(.pause)))
                == "cannot add the rule: There is no place 'home'; there are none yet")
        #expect(
            problem(SetLocationFilter(distance: -1))
                == "cannot filter by -1.0 m: It must be from 0 to 1000000")
        #expect(
            problem(SetLocationSource(.gpsd(host: "a", port: 0)))
                == "cannot use gpsd a:0: A port is from 1 to 65535")

        try addHome(client)
        #expect(
            problem(RemovePlace("work"))
                == "cannot remove the place work: There is no place 'work'; the only one is home")
        _ = try client.call(place("office", Self.home))
        #expect(
            problem(RemovePlace("work"))
                == "cannot remove the place work: There is no place 'work'; the known ones are home, "
                + "office")
        #expect(
            problem(rule(.load("Nothing")))?
                .hasPrefix("cannot load Nothing: No queue is saved by that name") == true)
        #expect(
            problem(rule(.volume(101)))?.hasPrefix("cannot set the volume to 101") == true)
        #expect(
            problem(RemoveRules(.exit, "home"))
                == "cannot remove the rules on exit home: There are no such rules")
        #expect(try status(client).rules.isEmpty)
    }

    @Test func `The answer to why says which locations are measured, and which are not`() throws {
        let stage = try Stage(location: source)
        let client = try stage.client()

        let before = try client.call(GetWhy()).locations
        try addHome(client)

        #expect(before == nil)
        #expect(try client.call(GetWhy()).locations?.places.map(\.region.identifier) == ["home"])
    }
}

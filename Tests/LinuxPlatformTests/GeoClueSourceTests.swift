import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBase
import UndersongLinuxPlatform
import UndersongLocation

/// Locations of GeoClue, from a mock of it on a private bus.
@Suite(.blockingThreads, .serialized) struct `The GeoClue source` {
    private let events = Inbox<LocationSourceEvent>()

    private func started(
        _ mock: MockProgram, agentPatience: Double = 60,
        _ demand: LocationDemand = LocationDemand(accuracy: .best)
    ) -> GeoClueSource {
        var configuration = GeoClueSource.Configuration(address: mock.address)
        configuration.agentPatience = agentPatience
        configuration.delays = Backoff(seconds: 0.01...0.1)
        let source = GeoClueSource(configuration, clock: SystemClock())
        source.start(demand) { [events] in events.put($0) }
        return source
    }

    private func mock() throws -> MockProgram {
        let mock = try MockProgram("mock-geoclue")
        try mock.send("start")
        return mock
    }

    /// Waits until the mock was asked to start, and returns what it was asked for.
    private func lines(_ mock: MockProgram, until last: String = "start") throws -> [String] {
        var lines: [String] = []
        repeat { lines.append(try mock.lines.next()) } while lines.last != last
        return lines
    }

    /// The next state that is not `searching`.
    private func nextState() throws -> LocationSourceState? {
        while true {
            switch try events.next() {
            case .state(.searching): continue
            case .state(let state): return state
            case .fix: return nil
            }
        }
    }

    private func nextFix() throws -> LocationFix {
        while true { if case .fix(let fix) = try events.next() { return fix } }
    }

    @Test func `GeoClue's source asks for what is wanted, and gives the places`() throws {
        let mock = try mock()
        let source = started(mock, LocationDemand(accuracy: .hundredMeters, distance: 25.9))
        let asked = try lines(mock)

        try mock.send("place 52.5 -13.25 30 1700000000")
        let state = try nextState()
        let fix = try nextFix()
        try mock.send("place 52.6 13.25 0 1700000001")
        let second = try nextFix()
        source.stop()

        #expect(
            asked == [
                "client", "set DesktopId undersong", "set TimeThreshold 0",
                "set RequestedAccuracyLevel 6", "set DistanceThreshold 25", "start",
            ])
        #expect(state == .available(isSteady: false))
        #expect(fix.coordinate == Coordinate(latitude: 52.5, longitude: -13.25))
        #expect(fix.horizontalAccuracy == 30 && fix.time == 1_700_000_000.5)
        #expect(fix.speed == nil && fix.course == nil && fix.verticalAccuracy == nil)
        #expect(fix.source == .geoClue && fix.arrival > 0)
        #expect(second.horizontalAccuracy == 3)
    }

    @Test func `GeoClue's source keeps the contract of sources`() throws {
        let mock = try mock()
        var configuration = GeoClueSource.Configuration(address: mock.address)
        configuration.delays = Backoff(seconds: 0.01...0.1)
        var seconds = 1_700_000_000

        try expectLocationSourceContract(
            of: GeoClueSource(configuration, clock: SystemClock())
        ) {
            // Another accuracy makes it start again; the third measurement comes after the stop.
            if seconds % 3 != 1 { _ = try lines(mock) }
            seconds += 1
            try mock.send("place 52.5 13.4 30 \(seconds)")
        }
    }

    @Test(.rule("LO9")) func `GeoClue's source changes what is wanted while it measures`() throws {
        let mock = try mock()
        let source = started(mock, LocationDemand(accuracy: .best, distance: 10))
        _ = try lines(mock)

        source.change(LocationDemand(accuracy: .best, distance: 50))
        let distance = try lines(mock, until: "set DistanceThreshold 50")
        source.change(LocationDemand(accuracy: .threeKilometers, distance: 50))
        let accuracy = try lines(mock)
        source.stop()

        #expect(distance == ["set RequestedAccuracyLevel 8", "set DistanceThreshold 50"])
        #expect(
            accuracy == [
                "stop", "set RequestedAccuracyLevel 4", "set DistanceThreshold 50", "start",
            ])
    }

    @Test(.rule("LO14"))
    func `GeoClue's source gives the newest place that has come while it was busy`() throws {
        let mock = try mock()
        try mock.send("keep")
        let (isBusy, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var configuration = GeoClueSource.Configuration(address: mock.address)
        configuration.delays = Backoff(seconds: 0.01...60)
        let source = GeoClueSource(configuration, clock: SystemClock())
        source.start(LocationDemand(accuracy: .best)) { [events] event in
            events.put(event)
            guard case .fix(let fix) = event, fix.coordinate.latitude == 0 else { return }
            isBusy.signal()
            isDone.wait()
        }
        _ = try lines(mock)

        try mock.send("place 0 0 1 1")
        try isBusy.waitPatiently()
        for latitude in 1...50 { try mock.send("place \(latitude) 0 1 \(latitude + 1)") }
        isDone.signal()
        var fixes: [LocationFix] = []
        repeat { fixes.append(try nextFix()) } while fixes.last?.coordinate.latitude != 50
        source.stop()

        // The bus may hand over the last ones one by one.
        #expect(fixes.count < 10)
    }

    @Test(.rule("LO10"))
    func `GeoClue's source says that there is no agent, and finds one that comes later`() throws {
        let mock = try mock()
        try mock.send("agent false")
        let source = started(mock, agentPatience: 0.2)

        let state = try nextState()
        try mock.send("agent true")
        _ = try lines(mock)
        try mock.send("place 1 2 3 4")
        let fix = try nextFix()
        source.stop()

        guard case .unavailable(let reason) = state else {
            Issue.record("\(String(describing: state))")
            return
        }
        #expect(reason.contains("has no agent"))
        #expect(fix.coordinate == Coordinate(latitude: 1, longitude: 2))
    }

    @Test(.rule("LO10")) func `GeoClue's source says that it is refused`() throws {
        let mock = try mock()
        try mock.send("deny true")
        let source = started(mock)

        let state = try nextState()
        source.stop()

        #expect(state == .denied("GeoClue refuses: 'undersong' disallowed, no permissions"))
    }

    @Test func `GeoClue's source says that there is no GeoClue, or no bus`() throws {
        let mock = try MockProgram("mock-geoclue")
        let source = started(mock)
        let missing = try nextState()
        source.stop()
        let other = GeoClueSource(
            GeoClueSource.Configuration(address: "unix:path=/nowhere"), clock: SystemClock())
        let states = Inbox<LocationSourceEvent>()
        other.start(LocationDemand(accuracy: .best)) { states.put($0) }

        #expect(missing == .unavailable("GeoClue is not installed"))
        #expect(try states.next() == .state(.searching))
        #expect(try states.next() == .state(.unavailable("there is no system bus")))
        other.stop()
    }

    @Test(.rule("LO9"))
    func `GeoClue's source finds GeoClue again after its end, and after that of the bus`()
        throws
    {
        let mock = try mock()
        let source = started(mock)
        _ = try lines(mock)
        try mock.send("place 1 1 1 1")
        _ = try nextFix()

        try mock.send("crash")
        let gone = try nextState()
        let stillGone = try nextState()
        try mock.send("start")
        _ = try lines(mock)
        try mock.send("place 2 2 2 2")
        let second = try nextFix()
        try mock.send("kill_bus")
        let lost = try nextState()
        try mock.send("start_bus")
        try mock.send("start")
        _ = try lines(mock)
        try mock.send("place 3 3 3 3")
        let third = try nextFix()
        source.stop()

        #expect(gone == .unavailable("GeoClue has gone away; trying again"))
        #expect(stillGone == gone)
        #expect(second.coordinate.latitude == 2)
        #expect(lost == .unavailable("the system bus is lost"))
        #expect(third.coordinate.latitude == 3)
    }

    @Test(.rule("LO9"))
    func `GeoClue's source says that GeoClue has gone when it ends without an answer`() throws {
        let mock = try mock()
        try mock.send("agent false")
        let source = started(mock)
        #expect(try mock.lines.next() == "client")

        try mock.send("crash")
        let gone = try nextState()
        let stillGone = try nextState()
        source.stop()

        #expect(gone == .unavailable("GeoClue has gone away; trying again"))
        #expect(stillGone == gone)
    }

    @Test func `GeoClue's source believes nobody but GeoClue`() throws {
        let mock = try mock()
        let source = started(mock)
        _ = try lines(mock)
        try mock.send("place 1 1 1 1")
        _ = try nextFix()

        try mock.send("forge")
        try mock.send("place 2 2 2 2")
        let next = try nextFix()
        source.stop()

        #expect(next.coordinate.latitude == 2)
    }

    @Test func `GeoClue's source stops at once, whatever it waits for`() throws {
        let mock = try mock()
        try mock.send("agent false")
        let source = started(mock, agentPatience: 1000)
        #expect(try mock.lines.next() == "client")

        source.stop()
        source.start(LocationDemand(accuracy: .best)) { [events] in events.put($0) }
        #expect(try mock.lines.next() == "client")
        source.stop()

        // Its thread has ended when it is not there any more.
        try waitUntil { try Self.threads(named: "geoclue") == 0 }
    }

    private static var isHere: Bool { access("/usr/libexec/geoclue", X_OK) == 0 }

    @Test(.rule("LO10", "LO9"), .enabled(if: isHere, "GeoClue is not installed"))
    func `GeoClue's source copes with the real GeoClue, without an agent and with one`() throws {
        let real = try MockProgram("real-geoclue")
        try real.send("start")
        try real.send("place 52.5 13.4")
        let source = started(
            real, agentPatience: 0.5, LocationDemand(accuracy: .best, distance: 25))

        let alone = try nextState()
        try real.send("agent")
        let first = try nextFix()
        // 15 m are not enough, 30 m are.
        try real.send("place 52.500135 13.4")
        try real.send("place 52.50027 13.4")
        let second = try nextFix()
        source.change(LocationDemand(accuracy: .best, distance: 1000))
        try real.send("place 52.6 13.4")
        let third = try nextFix()
        try real.send("crash")
        let gone = try nextState()
        try real.send("place 52.7 13.4")
        try real.send("start")
        try real.send("agent")
        let fourth = try nextFix()
        source.stop()

        guard case .unavailable(let reason) = alone else {
            Issue.record("\(String(describing: alone))")
            return
        }
        #expect(reason.contains("has no agent"))
        #expect(first.coordinate.distance(to: Coordinate(latitude: 52.5, longitude: 13.4)) < 1)
        #expect(first.altitude == 50 && first.source == .geoClue)
        #expect(second.distance(from: first) >= 25)
        #expect(third.distance(from: second) > 1000)
        #expect(gone == .unavailable("GeoClue has gone away; trying again"))
        #expect(fourth.coordinate.latitude > 52.6)
    }

    private static func threads(named name: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
            let text = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return text == name + "\n"
        }
    }
}

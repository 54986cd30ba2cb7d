import CoreLocation
import Synchronization
import TestSupport
import Testing
import UndersongLocation
import UndersongTransferClient

@MainActor @Suite struct `The location host` {
    private static let home = CLCircularRegion(
        center: Stage.home, radius: 150, identifier: "home")

    @Test(.rule("D13")) func `CLLocationManager's host simulates places instead of the source`()
        async throws
    {
        let stage = Stage()
        let (manager, listener) = stage.manager()
        manager.startUpdatingLocation()

        let old = CLLocation(
            coordinate: Stage.place(0), altitude: 0, horizontalAccuracy: 5, verticalAccuracy: -1,
            timestamp: Date(timeIntervalSince1970: 1_419_221_113))
        stage.host.simulate(old)
        try await eventually { listener.locations.count == 1 }
        stage.host.simulate(
            CLLocation(
                coordinate: Stage.place(1_000_000), altitude: 0, horizontalAccuracy: 5,
                verticalAccuracy: -1, timestamp: old.timestamp + 1))
        try await eventually { listener.locations.count == 2 }
        await stage.measure(0)

        #expect(stage.source.calls == ["start -1 0", "stop"])
        #expect(
            listener.locations.map(\.coordinate.longitude)
                == [0, 1_000_000].map { Stage.place($0).longitude })
        #expect(listener.locations.first?.timestamp == old.timestamp)
        #expect(listener.locations.first?.sourceInformation?.isSimulatedBySoftware == true)
    }

    @Test(.rule("D14")) func `CLLocationManager's host replays a route by its name`()
        async throws
    {
        let stage = Stage()
        let (manager, listener) = stage.manager()

        try stage.host.setSource(.route("run", speed: 100))
        manager.startUpdatingLocation()
        try await eventually { listener.locations.count >= 20 }

        let speeds = listener.locations.map(\.speed)
        #expect(speeds.dropFirst(5).allSatisfy { 2...3.5 ~= $0 }, "\(speeds)")
        let error = #expect(throws: CocoaError.self) { try stage.host.setSource(.route("walk")) }
        #expect(
            error?.localizedDescription
                == "there is no route 'walk'; the routes are drive, run and ride")
    }

    @Test(.rule("D12")) func `CLLocationManager's host says why nothing measures`() async {
        let stage = Stage()
        let log = stage.log
        stage.host.onMessage { log.add($0) }
        let (manager, _) = stage.manager()
        let other = UnavailableSource()
        stage.center.setSource(other)

        manager.startUpdatingLocation()
        await stage.settle()

        #expect(stage.log.lines.contains("no source measures places: there is no system bus"))
    }

    /// A source that cannot measure.
    private struct UnavailableSource: LocationSource {
        let kind = LocationSourceKind.geoClue

        func start(
            _ demand: LocationDemand, _ handler: @escaping @Sendable (LocationSourceEvent) -> Void
        ) {
            handler(.state(.searching))
            handler(.state(.unavailable("there is no system bus")))
        }

        func change(_ demand: LocationDemand) {}
        func stop() {}
    }

    @Test func `CLLocationManager's host simulates by a source that keeps the port's contract`()
        throws
    {
        let alarm = ManualAlarm()
        let source = SimulatedSource(now: { alarm.now })
        var number = 0.0

        try expectLocationSourceContract(of: source) {
            number += 1
            source.report(
                LocationFix(
                    Coordinate(latitude: number, longitude: 0), horizontalAccuracy: 5,
                    time: number, arrival: 0, source: .simulation))
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `A simulated place reaches managers that start later`() async {
        let stage = Stage()
        stage.host.simulate(CLLocation(latitude: 1, longitude: 2))
        let (manager, listener) = stage.manager()
        manager.startUpdatingLocation()
        // The simulated source has a queue of its own.
        repeat { await stage.settle() } while listener.locations.isEmpty

        #expect(listener.locations.map(\.coordinate.latitude) == [1])
        #expect(stage.source.calls == [])
    }

    @Test(.rule("D13", "LO14", "LO16"))
    func `CLLocationManager's host replays a track at any speed`()
        async throws
    {
        let stage = Stage()
        let (manager, listener) = stage.manager()
        let points = (0..<20).map { second in
            let place = Stage.place(Double(second) * 10)
            return "<trkpt lat=\"\(place.latitude)\" lon=\"\(place.longitude)\">"
                + "<time>2014-12-22T04:05:\(second + 10)Z</time></trkpt>"
        }
        let file = try Self.file("<gpx>\(points.joined())</gpx>")
        defer { try? FileManager.default.removeItem(at: file) }

        try stage.host.setSource(.replay(file, speed: 100))
        manager.distanceFilter = 25
        manager.startUpdatingLocation()
        try await eventually { listener.locations.count == 7 }

        #expect(
            listener.locations.map(\.timestamp.timeIntervalSince1970)
                == (0..<7).map { 1_419_221_110 + 3 * Double($0) })
        #expect(listener.locations.first?.sourceInformation?.isSimulatedBySoftware == true)
        #expect(listener.locations.allSatisfy { abs($0.speed - 10) < 0.05 })
        #expect(listener.locations.allSatisfy { abs($0.course - 90) < 0.1 })
        #expect(listener.locations.allSatisfy { $0.speedAccuracy == 0.1 })
        #expect(listener.locations.allSatisfy { 0.5...0.6 ~= $0.courseAccuracy })
    }

    @Test func `CLLocationManager's host says why a file is not a track`() throws {
        let stage = Stage()
        let file = try Self.file("<gpx><trkpt lat=\"91\" lon=\"0\"/></gpx>")
        defer { try? FileManager.default.removeItem(at: file) }

        let error = #expect(throws: CocoaError.self) {
            try stage.host.setSource(.replay(file))
        }
        #expect(error?.localizedDescription == "Line 1: '91' is not a latitude")
        #expect(throws: CocoaError.self) {
            try stage.host.setSource(.replay(file.appending(path: "nothing")))
        }
    }

    private static func file(_ text: String) throws -> URL {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "track-\(UInt64.random(in: 0...UInt64.max)).gpx")
        try Data(text.utf8).write(to: file)
        return file
    }

    @Test func `CLLocationManager's host changes the source while it measures`() async {
        let stage = Stage()
        let (manager, listener) = stage.manager()
        manager.startUpdatingLocation()
        let other = ScriptedSource(stage.alarm)
        await stage.measure(0)

        stage.center.setSource(other)
        await stage.measure(5)
        // Its clock need not be that of the first.
        other.measure(Stage.place(10), age: 20)
        await stage.settle()

        #expect(stage.source.calls == ["start -1 0", "stop"])
        #expect(other.calls == ["start -1 0"])
        #expect(
            listener.locations.map(\.coordinate.longitude)
                == [0, 10].map { Stage.place($0).longitude })
    }

    @Test(.rule("LO12")) func `Regions and authorization survive the end of the process`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "locations-\(UInt64.random(in: 0...UInt64.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "locations")
        let first = Stage()
        try first.host.keepLocations(in: file)
        let (manager, _) = first.manager()
        manager.startMonitoring(for: Self.home)
        await first.measure(0)

        let second = Stage(status: .notDetermined)
        try second.host.keepLocations(in: file)
        let (later, _) = second.manager()
        #expect(later.monitoredRegions == [Self.home])
        #expect(later.authorizationStatus == .authorizedAlways)
        #expect(second.source.calls == ["start 10 0"])
        for _ in 0..<40 {
            await second.measure(1000)
            await second.advance(by: 1)
        }

        #expect(second.log.lines == ["authorization 3", "home is outside", "left home"])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test(.rule("LO12", "AP5"))
    func `A program hands its regions over before it may be suspended, unless that fails`()
        async throws
    {
        let stage = Stage()
        let handovers = Mutex<[Bool]>([])
        stage.board.readHandover { isPending in handovers.withLock { $0.append(isPending) } }
        let (manager, _) = stage.manager()
        manager.startMonitoring(for: Self.home)
        let location = TransferLocation(
            session: "default", runtimeFolder: "/nonexistent", program: "/nonexistent",
            searchPath: nil)

        stage.center.handOver(to: ["/bin/true"], as: "player", location)

        try await eventually { handovers.withLock(\.self) == [true, false] }
    }

    @Test func `A damaged file of regions is put aside, and reported`() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "locations-\(UInt64.random(in: 0...UInt64.max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "locations")
        try Data("half".utf8).write(to: file)
        let stage = Stage()
        let log = stage.log
        stage.host.onMessage { log.add($0) }

        try stage.host.keepLocations(in: file)
        await stage.settle()

        #expect(stage.log.lines.count == 1)
        #expect(
            stage.log.lines.first?.hasPrefix("\(file.path) is damaged and begins empty") == true)
        #expect(
            try Data(contentsOf: folder.appending(path: "locations.damaged")) == Data("half".utf8))
        let nowhere = folder.appending(path: "no/locations")
        #expect(throws: CocoaError.self) { try stage.host.keepLocations(in: nowhere) }
    }

    @Test func `CLLocationManager's host says which fixes are ignored, and why`() async {
        let stage = Stage()
        let log = stage.log
        stage.host.onMessage { log.add($0) }
        let (manager, _) = stage.manager()
        manager.startUpdatingLocation()
        await stage.settle()
        _ = log.popLines()

        await stage.measure(0)
        await stage.measure(0)

        #expect(log.popLines() == ["updated 1", "a fix from gpsd was ignored: it is repeated"])
    }
}

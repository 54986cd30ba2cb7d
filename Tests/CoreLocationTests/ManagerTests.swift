import CoreLocation
import TestSupport
import Testing
import UIKit
import UndersongBackground
import UndersongLocation

@MainActor @Suite struct `A location manager` {
    @Test(.rule("D5"))
    func `CLLocationManager reports places from the start to the stop, on the main queue`() async {
        let stage = Stage()
        let (manager, listener) = stage.manager()
        await stage.measure(0)
        manager.startUpdatingLocation()
        #expect(stage.source.calls == ["start -1 0"])
        await stage.advance(by: 1)
        await stage.measure(10)
        await stage.advance(by: 1)
        await stage.measure(20)

        manager.stopUpdatingLocation()
        #expect(stage.source.calls == ["start -1 0", "stop"])
        await stage.advance(by: 1)
        await stage.measure(30)

        #expect(stage.log.lines == ["authorization 3", "updated 1", "updated 1"])
        #expect(
            listener.locations.map(\.coordinate.longitude)
                == [Stage.place(10), Stage.place(20)].map(\.longitude))
        #expect(manager.location?.coordinate.longitude == Stage.place(20).longitude)
        #expect(listener.locations.first?.sourceInformation?.isSimulatedBySoftware == false)
    }

    @Test(.rule("D1", "D4"))
    func `CLLocationManager changes accuracy and filter while it runs, also in the background`()
        async
    {
        let stage = Stage()
        let (manager, _) = stage.manager()
        manager.allowsBackgroundLocationUpdates = true
        manager.distanceFilter = 25
        manager.startUpdatingLocation()
        stage.application.host.enter(.background)

        manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
        manager.distanceFilter = kCLDistanceFilterNone

        #expect(stage.source.calls == ["start -1 25", "change 100 25", "change 100 0"])
        await stage.measure(0)
        #expect(stage.log.popLines().contains("updated 1"))
    }

    @Test(.rule("D4")) func `CLLocationManager reports places that are far enough, or more exact`()
        async
    {
        let stage = Stage()
        let (manager, listener) = stage.manager()
        manager.distanceFilter = 18
        manager.startUpdatingLocation()

        for (east, accuracy) in [(0.0, 10.0), (17, 10), (18.5, 10), (20, 5), (30, 5)] {
            await stage.measure(east, accuracy: accuracy)
            await stage.advance(by: 1)
        }

        #expect(
            listener.locations.map(\.coordinate.longitude)
                == [0, 18.5, 20].map { Stage.place($0).longitude })
    }

    @Test(.rule("N6"))
    func `CLLocationManager calls the old method where the new one is not implemented`() async {
        final class Old: NSObject, CLLocationManagerDelegate {
            var moves: [(to: Double, from: Double?)] = []
            var statuses: [CLAuthorizationStatus] = []

            func locationManager(
                _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation,
                from oldLocation: CLLocation?
            ) {
                moves.append((newLocation.coordinate.longitude, oldLocation?.coordinate.longitude))
            }

            func locationManager(
                _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
            ) {
                statuses.append(status)
            }
        }
        let stage = Stage(status: .notDetermined)
        let old = Old()
        let manager = CLLocationManager(stage.center)
        manager.delegate = old
        manager.startUpdatingLocation()
        await stage.settle()
        stage.host.setAuthorization(.authorizedWhenInUse)
        for east in [0.0, 10, 20] {
            await stage.measure(east)
            await stage.advance(by: 1)
        }

        let places = [0, 10, 20].map { Stage.place($0).longitude }
        #expect(old.moves.map(\.to) == places)
        #expect(old.moves.map(\.from) == [nil, places[0], places[1]])
        #expect(old.statuses == [.notDetermined, .authorizedWhenInUse])
    }

    @Test(.rule("N6")) func `CLLocationManager does not call the old methods beside the new ones`()
        async
    {
        final class Both: NSObject, CLLocationManagerDelegate {
            var calls: [String] = []

            func locationManager(
                _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
            ) {
                calls.append("new")
            }

            func locationManager(
                _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation,
                from oldLocation: CLLocation?
            ) {
                calls.append("old")
            }

            func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
                calls.append("new authorization")
            }

            func locationManager(
                _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
            ) {
                calls.append("old authorization")
            }
        }
        let stage = Stage()
        let both = Both()
        let manager = CLLocationManager(stage.center)
        manager.delegate = both
        manager.startUpdatingLocation()
        await stage.measure(0)

        #expect(both.calls == ["new authorization", "new"])
    }

    @Test func `CLLocationManager measures nothing once it is gone`() async {
        let stage = Stage()
        var manager: CLLocationManager? = stage.manager().0
        manager?.startUpdatingLocation()
        await stage.settle()

        manager = nil
        await stage.settle()

        #expect(stage.source.calls == ["start -1 0", "stop"])
    }

    @Test func `CLLocationManager ignores what a stopped source still sends`() async {
        let stage = Stage()
        let (manager, _) = stage.manager()
        manager.startUpdatingLocation()
        await stage.settle()
        stage.log.add("-")
        manager.stopUpdatingLocation()
        await stage.measure(0)

        #expect(stage.log.lines.last == "-")
        #expect(manager.location == nil)
    }

    @Test func `CLLocationManager shares one source with the other managers`() async {
        let stage = Stage()
        let (first, one) = stage.manager()
        let (second, two) = stage.manager()
        first.desiredAccuracy = kCLLocationAccuracyKilometer
        first.startUpdatingLocation()
        second.startUpdatingLocation()
        await stage.measure(0)
        second.stopUpdatingLocation()
        await stage.advance(by: 1)
        await stage.measure(10)

        #expect(stage.source.calls == ["start 1000 0", "change -1 0", "change 1000 0"])
        #expect(one.locations.count == 2 && two.locations.count == 1)
    }

    // MARK: Authorization

    @Test(.rule("D9"))
    func `Without usage descriptions CLLocationManager asks, measures and reports nothing`()
        async
    {
        let stage = Stage(declaresUsage: false, status: .notDetermined)
        let (manager, _) = stage.manager()
        manager.requestAlwaysAuthorization()
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
        manager.requestLocation()
        await stage.measure(0)
        await stage.advance(by: 60)

        #expect(stage.log.lines == ["authorization 0"])
        #expect(stage.source.calls == [])
    }

    @Test(.rule("D2", "D10"))
    func `CLLocationManager asks with the program's text, and starts when the user allows it`()
        async
    {
        let stage = Stage(status: .notDetermined)
        let (manager, _) = stage.manager()
        manager.startUpdatingLocation()
        manager.requestAlwaysAuthorization()
        await stage.settle()
        #expect(
            stage.log.popLines() == ["authorization 0", "prompt authorizedAlways false: always"])
        #expect(stage.source.calls == [])

        stage.host.setAuthorization(.authorizedAlways)
        await stage.measure(0)

        #expect(stage.log.popLines() == ["authorization 3", "updated 1"])
        #expect(manager.authorizationStatus == .authorizedAlways)
    }

    @Test(.rule("D11"))
    func `CLLocationManager asks for more once, in the background, after use in the foreground`()
        async
    {
        let stage = Stage(status: .notDetermined)
        let (manager, _) = stage.manager()
        manager.requestAlwaysAuthorization()
        stage.host.setAuthorization(.authorizedWhenInUse)
        manager.startUpdatingLocation()
        await stage.settle()
        _ = stage.log.popLines()

        stage.application.host.enter(.background)
        await stage.settle()
        #expect(stage.log.popLines() == ["prompt authorizedAlways true: always"])
        stage.application.host.enter(.active)
        stage.application.host.enter(.background)
        await stage.settle()
        #expect(stage.log.popLines() == [])
    }

    @Test func `CLLocationManager fails with denied, once for each start`() async throws {
        let stage = Stage(status: .denied)
        let (manager, listener) = stage.manager()
        manager.startUpdatingLocation()
        await stage.advance(by: 60)
        #expect(stage.log.popLines() == ["authorization 2", "failed 1"])

        manager.startUpdatingLocation()
        await stage.settle()

        #expect(stage.log.popLines() == ["failed 1"])
        let error = try #require(listener.errors.last)
        #expect(CLError.denied ~= error)
        #expect((error as NSError).domain == kCLErrorDomain && (error as NSError).code == 1)
        #expect(error.localizedDescription == "the user does not allow it")
    }

    // MARK: The background

    @Test(.rule("T82"))
    func `CLLocationManager ends the program that wants the background without the mode`() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let stage = Stage(modes: [.audio])
                stage.manager().0.allowsBackgroundLocationUpdates = true
            }
        }
        let stage = Stage(modes: [.audio])
        stage.manager().0.allowsBackgroundLocationUpdates = false
    }

    @Test(.rule("D11")) func `CLLocationManager follows a mode that is declared later`() async {
        let stage = Stage(modes: [])
        let (manager, _) = stage.manager()
        stage.application.host.declare(Capabilities(backgroundModes: [.location]))
        manager.allowsBackgroundLocationUpdates = true
        manager.startUpdatingLocation()

        stage.application.host.enter(.background)
        #expect(stage.source.calls == ["start -1 0"])
        stage.application.host.declare(Capabilities())

        #expect(stage.source.calls == ["start -1 0", "stop"])
    }

    @Test(.rule("D11"))
    func `CLLocationManager stops in the background, unless it is allowed to continue`() async {
        for allows in [false, true] {
            let stage = Stage()
            let (manager, _) = stage.manager()
            manager.allowsBackgroundLocationUpdates = allows
            manager.startUpdatingLocation()
            await stage.measure(0)
            _ = stage.log.popLines()

            stage.application.host.enter(.background)
            await stage.advance(by: 1)
            await stage.measure(10)

            #expect(stage.log.popLines() == (allows ? ["updated 1"] : []))
            #expect(stage.source.calls == (allows ? ["start -1 0"] : ["start -1 0", "stop"]))
            stage.application.host.enter(.active)
            await stage.advance(by: 1)
            await stage.measure(20)
            #expect(stage.log.popLines() == ["updated 1"])
        }
    }

    @Test func `CLLocationManager pauses in the background while the machine does not move`() async
    {
        let stage = Stage()
        let (manager, _) = stage.manager()
        manager.allowsBackgroundLocationUpdates = true
        manager.startUpdatingLocation()
        stage.application.host.enter(.background)
        stage.source.send(.state(.available(isSteady: false)))
        await stage.measure(0)
        _ = stage.log.popLines()

        await stage.advance(by: 900)
        #expect(stage.log.popLines() == ["paused"])
        for step in 1...10 {
            await stage.measure(Double(step) * 100)
            await stage.advance(by: 10)
        }

        let lines = stage.log.popLines()
        #expect(lines.first == "resumed")
        #expect(lines.dropFirst().count > 5 && lines.dropFirst().allSatisfy { $0 == "updated 1" })
    }

    // MARK: Errors and requests

    @Test func `CLLocationManager fails with locationUnknown once, and continues to try`() async {
        let stage = Stage()
        let (manager, listener) = stage.manager()
        manager.startUpdatingLocation()

        await stage.advance(by: 100)
        #expect(stage.log.popLines() == ["authorization 3", "failed 0"])
        await stage.measure(0)

        #expect(stage.log.popLines() == ["updated 1"])
        #expect(
            listener.errors.map(\.localizedDescription) == ["the place is not known at present"])
    }

    @Test func `CLLocationManager requests one place, and then stops`() async {
        let stage = Stage()
        let (manager, _) = stage.manager()
        manager.requestLocation()
        await stage.measure(0, accuracy: 50)
        await stage.advance(by: 1)
        await stage.measure(0)
        #expect(stage.source.calls == ["start -1 0", "stop"])

        manager.requestLocation()
        await stage.advance(by: 1)
        await stage.measure(0, accuracy: 60)
        await stage.advance(by: 10)
        manager.requestLocation()
        await stage.advance(by: 10)

        #expect(
            stage.log.lines == ["authorization 3", "updated 1", "updated 1", "failed 0"])
    }

    // MARK: Regions, visits, changes

    @Test func `CLLocationManager reports that a region is entered and left`() async {
        let stage = Stage()
        let (manager, _) = stage.manager()
        let (other, _) = stage.manager()
        await stage.settle()
        _ = stage.log.popLines()
        let home = CLCircularRegion(center: Stage.home, radius: 150, identifier: "home")

        manager.startMonitoring(for: home)
        manager.requestState(for: home)
        await stage.measure(-1000)
        #expect(stage.log.popLines() == ["monitoring home", "home is outside"])
        #expect(other.monitoredRegions == [home])
        for second in stride(from: 0.0, to: 200, by: 1) {
            await stage.advance(by: 1)
            await stage.measure(second * 10 - 1000)
        }

        // Each manager's delegate is notified.
        let pass = [
            "home is inside", "entered home", "home is inside", "entered home", "home is outside",
            "left home", "home is outside", "left home",
        ]
        #expect(stage.log.popLines() == pass)
        manager.stopMonitoring(for: home)
        #expect(other.monitoredRegions == [])
        #expect(stage.source.calls == ["start 10 0", "stop"])
    }

    @Test func `CLLocationManager fails with its number where a region cannot be watched`() async {
        let stage = Stage()
        let (manager, _) = stage.manager()
        for number in 1...21 {
            manager.startMonitoring(
                for: CLCircularRegion(
                    center: Stage.home, radius: 100, identifier: "\(number)"))
        }
        manager.startMonitoring(
            for: CLCircularRegion(
                center: kCLLocationCoordinate2DInvalid, radius: 100, identifier: "1"))
        manager.startMonitoring(
            for: CLCircularRegion(center: Stage.home, radius: 50, identifier: "20"))
        await stage.settle()

        #expect(
            stage.log.lines.suffix(3) == [
                "not monitoring 21 5", "not monitoring 1 5", "monitoring 20",
            ])
        #expect(manager.monitoredRegions.count == 20)
        stage.host.setAuthorization(.denied)
        manager.startMonitoring(
            for: CLCircularRegion(center: Stage.home, radius: 50, identifier: "22"))
        await stage.settle()
        #expect(stage.log.lines.last == "not monitoring 22 4")
    }

    @Test func `CLLocationManager reports visits with their times`() async throws {
        let stage = Stage()
        let (manager, listener) = stage.manager()
        manager.startMonitoringVisits()
        stage.source.send(.state(.available(isSteady: false)))
        let arrival = stage.alarm.now.wall
        await stage.measure(0)
        await stage.advance(by: 1000)
        let departure = stage.alarm.now.wall
        await stage.measure(1000)
        await stage.advance(by: 200)

        #expect(stage.log.lines == ["authorization 3", "arrived", "departed"])
        let visit = try #require(listener.visits.last)
        #expect(visit.arrivalDate.timeIntervalSince1970 == arrival)
        #expect(visit.departureDate.timeIntervalSince1970 == departure)
        #expect(listener.visits.first?.departureDate == .distantFuture)
    }

    @Test func `CLLocationManager reports significant changes`() async {
        let stage = Stage()
        let (manager, listener) = stage.manager()
        manager.startMonitoringSignificantLocationChanges()
        for minute in 0...20 {
            await stage.measure(Double(minute) * 100)
            await stage.advance(by: 60)
        }
        manager.stopMonitoringSignificantLocationChanges()

        #expect(listener.locations.count == 5)
        #expect(stage.source.calls == ["start 100 100", "stop"])
    }

    @Test func `CLLocationManager says what the machine can do`() {
        #expect(CLLocationManager.locationServicesEnabled())
        #expect(CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self))
        #expect(!CLLocationManager.isMonitoringAvailable(for: CLRegion.self))
        #expect(!CLLocationManager.headingAvailable())
    }
}

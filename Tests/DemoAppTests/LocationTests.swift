import CoreLocation
import TestSupport
import Testing
import UIKit
import UndersongDemoScreen
import UndersongUIKit

@testable import UndersongDemoApp

@MainActor @Suite struct `The demo app's map` {
    private let console = Console()
    private let application: UIApplication
    private let manager = CLLocationManager()
    private let controller: LocationViewController

    init() {
        application = UIApplication(center: NotificationCenter(), clock: ManualClock())
        let (console, manager) = (console, manager)
        controller = LocationViewController(
            application, hasBackgroundMode: false, makeManager: { manager }
        ) { console.print($0) }
    }

    /// Reports a location so many metres north.
    private func report(_ north: Double, speed: Double = 15.9, course: Double = 255.94) {
        controller.locationManager(
            manager,
            didUpdateLocations: [
                CLLocation(
                    coordinate: CLLocationCoordinate2D(
                        latitude: 37 + north, longitude: -122.03350886),
                    altitude: 0, horizontalAccuracy: 5, verticalAccuracy: -1, course: course,
                    speed: speed, timestamp: Date(timeIntervalSince1970: 1_419_221_113))
            ])
    }

    @Test(.rule("D6")) func `The demo's app keeps the newest hundred pins, the oldest first`() {
        for north in 0..<101 { report(Double(north)) }

        let pins = controller.view.pins
        #expect(pins.count == 100)
        #expect(pins.first?.latitude == 38)
        #expect(pins.last?.latitude == 137)
    }

    @Test(.rule("D7", "D8"))
    func `The demo's app writes locations in the background, and has them on the map on return`() {
        report(0)
        #expect(console.popLines() == [])
        application.host.enter(.inactive)
        report(0.1)
        #expect(console.popLines() == [])

        application.host.enter(.background)
        report(0.33482105)

        let line = console.popLines().first ?? ""
        #expect(
            line.hasPrefix(
                "App is backgrounded. New location is <+37.33482105,-122.03350886> +/- 5.00m "
                    + "(speed 15.90 mps / course 255.94) @ "))
        #expect(controller.view.pins.map(\.isFromBackground) == [false, false, true])
        #expect(
            controller.view.pins.last
                == DemoScreen.Pin(
                    latitude: 37.33482105, longitude: -122.03350886, accuracy: 5, speed: 15.9,
                    course: 255.94, isFromBackground: true))
    }

    @Test func `A pin without speed and course has none`() {
        report(0, speed: -1, course: -1)

        #expect(controller.view.pins.last?.speed == nil)
        #expect(controller.view.pins.last?.course == nil)
    }

    @Test(.rule("D3")) func `The demo's app has six accuracies, and uses the chosen one`() {
        #expect(
            controller.view.accuracies
                == ["Navigation", "Best", "10 m", "100 m", "1 km", "3 km"])
        #expect(controller.view.accuracy == 1)

        controller.accuracyChanged(4)
        controller.accuracyChanged(6)
        controller.accuracyChanged(-1)

        #expect(controller.view.accuracy == 4)
        #expect(manager.desiredAccuracy == kCLLocationAccuracyKilometer)
    }

    @Test(.rule("D4"), arguments: [-1, 0, .infinity, .nan])
    func `The demo's app sets the distance filter, unless it makes no sense`(other: Double) {
        controller.filterChanged(25)
        controller.filterChanged(other)
        #expect(controller.view.filter == 25)
        #expect(manager.distanceFilter == 25)

        controller.filterChanged(nil)
        #expect(controller.view.filter == nil)
        #expect(manager.distanceFilter == kCLDistanceFilterNone)
    }

    @Test func `The reason why there are no locations is shown until there is one`() {
        controller.locationManager(manager, didFailWithError: CLError(.locationUnknown))
        #expect(controller.view.problem != nil)

        report(0)

        #expect(controller.view.problem == nil)
    }

    @Test func `A message of the system is shown in place of the error after it`() async throws {
        controller.followSystem()

        CLLocationManager.host.center.report("regions are not watched")
        try await eventually { controller.view.problem != nil }
        let message = controller.view.problem
        controller.locationManager(manager, didFailWithError: CLError(.locationUnknown))

        #expect(message == "regions are not watched")
        #expect(controller.view.problem == message)
    }

    @Test func `A track that cannot be read is a problem on the map`() {
        controller.simulate("/nowhere/track.gpx", speed: 1)

        #expect(controller.view.problem != nil)
    }
}

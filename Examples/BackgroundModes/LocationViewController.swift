import CoreLocation
import UIKit
import UndersongDemoScreen

/// The second tab: a map of the newest hundred locations, in the background too.
@MainActor
final class LocationViewController: NSObject {
    /// The accuracies, best first (D3).
    static let accuracies: [(name: String, value: CLLocationAccuracy)] = [
        ("Navigation", kCLLocationAccuracyBestForNavigation), ("Best", kCLLocationAccuracyBest),
        ("10 m", kCLLocationAccuracyNearestTenMeters),
        ("100 m", kCLLocationAccuracyHundredMeters), ("1 km", kCLLocationAccuracyKilometer),
        ("3 km", kCLLocationAccuracyThreeKilometers),
    ]
    /// The maximum number of pins on the map (D6).
    static let limit = 100

    private(set) var view = DemoScreen.Location() { didSet { onChange() } }
    /// Called when `view` has changed.
    var onChange: () -> Void = {}

    private let application: UIApplication
    private let makeManager: () -> CLLocationManager
    /// True if the background mode `location` is declared.
    private let hasBackgroundMode: Bool
    private let print: (String) -> Void

    /// Makes the tab of an application, which writes to the console by `print`.
    init(
        _ application: UIApplication = .shared,
        hasBackgroundMode: Bool = UIApplication.declares("location"),
        makeManager: @escaping () -> CLLocationManager = { CLLocationManager() },
        print: @escaping (String) -> Void
    ) {
        self.application = application
        self.hasBackgroundMode = hasBackgroundMode
        self.makeManager = makeManager
        self.print = print
        view.accuracies = Self.accuracies.map(\.name)
        view.accuracy = Self.accuracies.firstIndex { $0.value == kCLLocationAccuracyBest } ?? 0
    }

    /// Allows the app to know the location whenever it asks, in place of the user, and shows the
    /// system's reasons why it is not known.
    func followSystem() {
        CLLocationManager.host.onAuthorizationRequest { _ in
            CLLocationManager.host.setAuthorization(.authorizedAlways)
        }
        CLLocationManager.host.onMessage { [weak self] in self?.view.problem = $0 }
    }

    /// Replays the track in a file, at so many seconds of it per second, in place of Xcode; nil ends that.
    func simulate(_ path: String?, speed: Double) {
        view.problem = nil
        do {
            try CLLocationManager.host.setSource(
                path.map { .replay(URL(fileURLWithPath: $0), speed: max(speed, 0.01)) } ?? .geoClue)
        } catch {
            view.problem = error.localizedDescription
        }
    }

    /// The manager, made when it is needed first (D2).
    private lazy var locationManager: CLLocationManager = {
        let manager = makeManager()
        manager.desiredAccuracy = kCLLocationAccuracyBest
        manager.delegate = self
        manager.requestAlwaysAuthorization()
        return manager
    }()

    /// Turns the updates on or off (D5).
    func enabledChanged() {
        view.isOn.toggle()
        view.problem = nil
        if view.isOn {
            locationManager.startUpdatingLocation()
        } else {
            locationManager.stopUpdatingLocation()
        }
    }

    /// Chooses an accuracy by its index; one that does not exist is ignored (D3).
    func accuracyChanged(_ index: Int) {
        guard Self.accuracies.indices.contains(index) else { return }
        view.accuracy = index
        locationManager.desiredAccuracy = Self.accuracies[index].value
    }

    /// Sets the distance filter in metres, nil for none (D4).
    func filterChanged(_ meters: Double?) {
        if let meters, !(meters > 0 && meters.isFinite) { return }
        view.filter = meters
        locationManager.distanceFilter = meters ?? kCLDistanceFilterNone
    }

    private func add(_ location: CLLocation) {
        let isBackgrounded = application.applicationState == .background
        var pins = view.pins
        pins.append(
            DemoScreen.Pin(
                latitude: location.coordinate.latitude,
                longitude: location.coordinate.longitude, accuracy: location.horizontalAccuracy,
                speed: location.speed < 0 ? nil : location.speed,
                course: location.course < 0 ? nil : location.course,
                isFromBackground: isBackgrounded))
        while pins.count > Self.limit { pins.removeFirst() }
        view.pins = pins
        view.problem = nil
        if isBackgrounded { print("App is backgrounded. New location is \(location)") }
    }
}

extension LocationViewController: CLLocationManagerDelegate {
    nonisolated func locationManager(
        _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
        MainActor.assumeIsolated { locations.forEach(add) }
    }

    nonisolated func locationManager(
        _ manager: CLLocationManager, didFailWithError error: any Error
    ) {
        let text = error.localizedDescription
        // A reason of the system's is more exact than an error.
        MainActor.assumeIsolated { view.problem = view.problem ?? text }
    }

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        MainActor.assumeIsolated {
            switch manager.authorizationStatus {
            case .notDetermined: break
            case .restricted, .denied:
                view.problem = "Settings do not let this app know where you are."
            // Without the mode, that would end the program (D11).
            case .authorizedAlways: manager.allowsBackgroundLocationUpdates = hasBackgroundMode
            case .authorizedWhenInUse: break
            }
        }
    }
}

extension UIApplication {
    /// Returns true if `Info.plist` declares a background mode.
    static func declares(_ mode: String) -> Bool {
        let modes = Bundle.main.object(forInfoDictionaryKey: "UIBackgroundModes") as? [String]
        return modes?.contains(mode) == true
    }
}

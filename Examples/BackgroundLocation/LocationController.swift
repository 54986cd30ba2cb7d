import CoreLocation
import UIKit

/// Collects the newest hundred places, which a map would show.
final class LocationController: NSObject, CLLocationManagerDelegate {
    private var annotations: [CLLocation] = []

    lazy var locationManager: CLLocationManager = {
        let manager = CLLocationManager()
        manager.desiredAccuracy = kCLLocationAccuracyBest
        manager.delegate = self
        manager.requestAlwaysAuthorization()
        return manager
    }()

    /// The switch on the screen.
    func enable(_ isOn: Bool) {
        if isOn {
            locationManager.startUpdatingLocation()
        } else {
            locationManager.stopUpdatingLocation()
        }
    }

    func showMap() {
        print("The map has \(annotations.count) annotations.")
    }

    // MARK: The manager's delegate

    func locationManager(
        _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
        guard let location = locations.last else { return }
        annotations.append(location)
        while annotations.count > 100 { annotations.removeFirst() }
        let isActive = MainActor.assumeIsolated {
            UIApplication.shared.applicationState == .active
        }
        if isActive {
            showMap()
        } else {
            print("App is backgrounded. New location is \(location)")
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        print("There is no location: \(error.localizedDescription)")
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        guard manager.authorizationStatus == .authorizedAlways else { return }
        manager.allowsBackgroundLocationUpdates = true
    }
}

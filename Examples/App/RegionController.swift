import CoreLocation
import UIKit

/// Notices when the machine arrives at home and leaves it: the application is woken or launched for
/// that.
@MainActor final class RegionController: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private let home = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: 52.5, longitude: 13.4), radius: 150,
        identifier: "home")

    /// Begins to notice, by gpsd at a port of this machine. What is known is kept beside the program.
    func begin(_ port: Int) throws {
        let host = CLLocationManager.host
        try host.setSource(.gpsd(host: "127.0.0.1", port: port))
        try host.keepLocations(in: Bundle.main.bundleURL.appending(path: "regions"))
        // In place of the user.
        host.onAuthorizationRequest { _ in
            CLLocationManager.host.setAuthorization(.authorizedAlways)
        }
        manager.delegate = self
        manager.requestAlwaysAuthorization()
        manager.startMonitoring(for: home)
        manager.requestState(for: home)
        host.launchForRegions()
    }

    // MARK: The manager's delegate, on the main queue

    nonisolated func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) { print(state == .inside ? "at" : "away from", region.identifier) }

    nonisolated func locationManager(
        _ manager: CLLocationManager, didEnterRegion region: CLRegion
    ) { report("entered", region) }

    nonisolated func locationManager(
        _ manager: CLLocationManager, didExitRegion region: CLRegion
    ) { report("left", region) }

    private nonisolated func report(_ crossing: String, _ region: CLRegion) {
        MainActor.assumeIsolated {
            print(crossing, region.identifier, UIApplication.shared.applicationState)
        }
    }
}

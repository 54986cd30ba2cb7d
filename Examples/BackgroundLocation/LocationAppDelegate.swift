import CoreLocation
import UIKit

/// The application: it follows the machine in front and in the background, less exactly there.
final class LocationAppDelegate: UIResponder, UIApplicationDelegate {
    private let controller: LocationController

    init(controller: LocationController) { self.controller = controller }

    func applicationDidEnterBackground(_ application: UIApplication) {
        controller.locationManager.desiredAccuracy = kCLLocationAccuracyHundredMeters
    }

    func applicationWillEnterForeground(_ application: UIApplication) {
        controller.locationManager.desiredAccuracy = kCLLocationAccuracyBest
        controller.showMap()
    }
}

import CoreLocation
import UIKit

/// Notices when the machine arrives at home and leaves it, also while the application does not run.
final class RegionController: NSObject, CLLocationManagerDelegate {
    static let home = CLCircularRegion(
        center: CLLocationCoordinate2D(latitude: 52.5, longitude: 13.4), radius: 150,
        identifier: "home")

    private let folder: URL
    /// Called when a crossing was noticed.
    var onCrossing: () -> Void = {}

    lazy var locationManager: CLLocationManager = {
        let manager = CLLocationManager()
        manager.delegate = self
        manager.requestAlwaysAuthorization()
        return manager
    }()

    /// `folder` has the log, and what survives the process.
    init(folder: URL) { self.folder = folder }

    /// Begins to notice; without effect if an earlier process has begun it.
    func begin() {
        locationManager.startMonitoring(for: Self.home)
        locationManager.requestState(for: Self.home)
    }

    /// Adds a line to the log: an application in the background has no output.
    func log(_ line: String) {
        let file = folder.appending(path: "log.txt")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        do {
            try Data((text + line + "\n").utf8).write(to: file, options: .atomic)
        } catch {
            print("Cannot write the log: \(error)")
        }
    }

    // MARK: The manager's delegate

    func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
        log("\(state == .inside ? "At" : "Away from") \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        log("Arrived at \(region.identifier)")
        onCrossing()
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        log("Left \(region.identifier)")
        onCrossing()
    }
}

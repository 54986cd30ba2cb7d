import CoreLocation
import UIKit
import UndersongTransferClient

/// Follows the machine in the background as an iOS app does.
///
/// `drive` launches, switches the updates on, goes to the background after the first place of a
/// simulated drive, and comes back after the last one. `undeclared` forgets to say what it needs places
/// for: then the switch does nothing.
///
/// `regions FOLDER` monitors a region by gpsd and may be killed: when the region is entered or left then,
/// the program is launched into the background, with `crossing FOLDER`. PORT, RUNTIME and STATE after
/// that are gpsd's port and folders for `undersong-transferd`, instead of the usual ones.
@MainActor
func backgroundLocation(_ arguments: [String]) throws -> Any {
    setvbuf(stdout, nil, _IOLBF, 0)
    let verb = arguments.first ?? ""
    let rest = Array(arguments.dropFirst())
    let counts = ["drive": [0], "undeclared": [0], "regions": [1, 4], "crossing": [1, 4]]
    guard counts[verb]?.contains(rest.count) == true else {
        print(
            "usage: UndersongExamples BackgroundLocation drive|undeclared|regions FOLDER "
                + "[PORT RUNTIME STATE]")
        exit(64)
    }

    // In place of an Info.plist.
    UIApplication.shared.host.declare(.init(backgroundModes: [.location]))
    if verb != "undeclared" {
        CLLocationManager.host.declareUsage(
            whenInUse: "The map shows where you are.",
            alwaysAndWhenInUse: "The map shows where you have been.")
    }
    // In place of the user.
    CLLocationManager.host.onAuthorizationRequest { request in
        print("Allow it? \(request.usageDescription)")
        CLLocationManager.host.setAuthorization(.authorizedAlways)
    }

    return switch verb {
    case "drive", "undeclared": drive()
    default: try watch(rest, isLaunched: verb == "crossing")
    }
}

@MainActor
private func drive() -> Any {
    let application = UIApplication.shared
    let controller = LocationController()
    let delegate = LocationAppDelegate(controller: controller)
    application.delegate = delegate
    application.host.launch(into: .active)
    CLLocationManager.host.simulate(FreewayDrive.locations[0])
    controller.enable(true)
    for (index, location) in FreewayDrive.locations.enumerated().dropFirst() {
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.2 * Double(index + 1)) {
            if index == 1 { application.host.enter(.background) }
            CLLocationManager.host.simulate(location)
        }
    }
    DispatchQueue.main.asyncAfter(
        deadline: .now() + 0.2 * Double(FreewayDrive.locations.count + 2)
    ) {
        application.host.enter(.active)
        controller.enable(false)
        exit(0)
    }
    return delegate
}

@MainActor
private func watch(_ arguments: [String], isLaunched: Bool) throws -> Any {
    let folder = URL(fileURLWithPath: arguments[0])
    let controller = RegionController(folder: folder)
    var service = TransferLocation.standard()
    var port = 2947
    if arguments.count == 4 {
        port = Int(arguments[1]) ?? port
        (service.runtimeFolder, service.stateFolder) = (arguments[2], arguments[3])
    }
    controller.log("Launched in background \(isLaunched ? 1 : 0)")
    CLLocationManager.host.measure(by: "127.0.0.1", port, service)
    try CLLocationManager.host.keepLocations(in: folder.appending(path: "regions"))
    if isLaunched {
        controller.onCrossing = { exit(0) }
        // The system lets an application run for a while only.
        DispatchQueue.main.asyncAfter(deadline: .now() + 10) { exit(1) }
    }
    UIApplication.shared.host.launch(into: isLaunched ? .background : .active)
    if isLaunched { _ = controller.locationManager } else { controller.begin() }
    CLLocationManager.host.launchForRegions(
        by: [Bundle.main.executablePath ?? "", "BackgroundLocation", "crossing"] + arguments,
        service)
    return controller
}

// Follows the machine in the background as an iOS app does.
//
// `BackgroundLocationExample drive` launches, switches the updates on, goes to the background after
// the first place of a simulated drive, and comes back after the last one. `undeclared` forgets to say
// what it needs places for: then the switch does nothing.
import CoreLocation
import UIKit

setvbuf(stdout, nil, _IOLBF, 0)
guard CommandLine.arguments.count == 2, ["drive", "undeclared"].contains(CommandLine.arguments[1])
else {
    print("usage: BackgroundLocationExample drive|undeclared")
    exit(64)
}
let controller = LocationController()
let delegate = AppDelegate(controller: controller)
let application = UIApplication.shared
application.delegate = delegate

// In place of an Info.plist.
application.host.declare(.init(backgroundModes: [.location]))
if CommandLine.arguments[1] == "drive" {
    CLLocationManager.host.declareUsage(
        whenInUse: "The map shows where you are.",
        alwaysAndWhenInUse: "The map shows where you have been.")
}
// In place of the user.
CLLocationManager.host.onAuthorizationRequest { request in
    print("Allow it? \(request.usageDescription)")
    CLLocationManager.host.setAuthorization(.authorizedAlways)
}

application.host.launch(into: .active)
CLLocationManager.host.simulate(FreewayDrive.locations[0])
controller.enable(true)
for (index, location) in FreewayDrive.locations.enumerated().dropFirst() {
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.2 * Double(index + 1)) {
        if index == 1 { application.host.enter(.background) }
        CLLocationManager.host.simulate(location)
    }
}
DispatchQueue.main.asyncAfter(deadline: .now() + 0.2 * Double(FreewayDrive.locations.count + 2)) {
    application.host.enter(.active)
    controller.enable(false)
    exit(0)
}
RunLoop.main.run()

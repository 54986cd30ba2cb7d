import BackgroundTasks
import UIKit

/// Refreshes in the background as in an iOS app.
///
/// `simulate FOLDER [SECONDS]` launches, goes to the background, and has the scheduler run its refresh
/// at once, as Apple's debugger does. `background` launches into the background instead, as a timer of
/// systemd might start it, and runs the refresh if that is due: SECONDS, or 60, after it was asked for.
/// `undeclared` forgets what an application has to declare. What was asked for, and the time of the last
/// refresh, are kept in FOLDER.
@MainActor
func backgroundRefresh(_ arguments: [String]) -> Any {
    setvbuf(stdout, nil, _IOLBF, 0)
    guard arguments.count >= 2, let delay = TimeInterval(arguments.count > 2 ? arguments[2] : "60")
    else {
        print(
            "usage: UndersongExamples BackgroundRefresh simulate|background|undeclared FOLDER "
                + "[SECONDS]")
        exit(64)
    }
    let folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
    let model = RefreshModel(file: folder.appending(path: "last-refresh.txt"))
    let delegate = RefreshAppDelegate(model: model, delay: delay)
    let application = UIApplication.shared
    application.delegate = delegate

    if arguments[0] != "undeclared" {
        // In place of an Info.plist.
        application.host.declare(
            .init(
                backgroundModes: [.fetch],
                permittedIdentifiers: [RefreshAppDelegate.refreshIdentifier]))
    }
    do {
        try application.host.keepBackgroundTasks(in: folder.appending(path: "background-tasks"))
    } catch {
        print(error.localizedDescription)
        exit(1)
    }
    // The example refreshes whatever the machine is busy with.
    application.host.setMachineConditions(.init())
    application.host.onSuspension {
        print("Last refresh: \(model.lastRefresh)")
        exit(0)
    }

    switch arguments[0] {
    case "background":
        application.host.launch(into: .background)
    default:
        application.host.launch(into: .active)
        BGTaskScheduler.shared._simulateLaunchForTaskWithIdentifier(
            RefreshAppDelegate.refreshIdentifier)
        application.host.enter(.background)
    }
    return delegate
}

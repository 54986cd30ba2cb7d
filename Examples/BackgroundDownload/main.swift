// Downloads in the background as in an iOS app.
//
// `BackgroundDownloadExample push ID URL FOLDER` gets a push that announces content, downloads that
// from URL/ID into FOLDER, and may be killed meanwhile. When the download is done, and the program
// is gone, it is launched into the background, as `BackgroundDownloadExample events SESSION …`.
// RUNTIME and STATE after that are folders for `undersong-transferd`, instead of the usual ones.
import BackgroundTransfer
import UIKit

var arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 4 else {
    print("usage: BackgroundDownloadExample push ID URL FOLDER [RUNTIME STATE]")
    exit(64)
}
let verb = arguments.removeFirst()
let subject = arguments.removeFirst()

let library = EpisodeLibrary(folder: URL(fileURLWithPath: arguments[1]))
let downloads = DownloadController(
    server: arguments[0], library: library,
    service: TransferServiceLocation(arguments.dropFirst(2)),
    launchCommand: [Bundle.main.executablePath ?? "", "events", DownloadController.identifier]
        + arguments)
let delegate = AppDelegate(downloads: downloads, library: library)
let application = UIApplication.shared
application.delegate = delegate

switch verb {
case "push":
    application.host.launch(into: .active)
    delegate.application(
        application,
        didReceiveRemoteNotification: ["aps": ["content-available": 1], "content-id": subject])
default:
    application.host.onSuspension { exit(0) }
    application.host.launch(into: .background, eventsForBackgroundURLSession: subject)
}
RunLoop.main.run()

extension TransferServiceLocation {
    /// The usual place, or the folders that are given.
    init(_ folders: ArraySlice<String>) {
        self.init()
        guard folders.count == 2 else { return }
        runtimeFolder = folders.first
        stateFolder = folders.last
    }
}

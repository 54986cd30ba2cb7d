import BackgroundTransfer
import UIKit

/// Downloads in the background as in an iOS app.
///
/// `push ID URL FOLDER` gets a push that announces content, downloads that from URL/ID into FOLDER, and
/// may be killed meanwhile. When the download is done, and the program is gone, it is launched into the
/// background, with `events SESSION …`. RUNTIME and STATE after that are folders for
/// `undersong-transferd`, instead of the usual ones.
///
/// `wake URL FOLDER` is launched into the background by a push, whose payload is its standard input,
/// and ends with the status that `undersong push run` expects:
///
///     undersong push run -- UndersongExamples BackgroundDownload wake https://example.org ~/Episodes
///     undersong push send -n -d content-id=42
@MainActor
func backgroundDownload(_ arguments: [String]) throws -> Any {
    var arguments = arguments
    guard arguments.count >= (arguments.first == "wake" ? 3 : 4) else {
        print(
            "usage: UndersongExamples BackgroundDownload push ID|wake URL FOLDER [RUNTIME STATE]")
        exit(64)
    }
    let verb = arguments.removeFirst()
    let subject = verb == "wake" ? "" : arguments.removeFirst()
    guard verb != "push" || Int(subject) != nil else {
        print("cannot download \(subject): ID is the number of an episode")
        exit(64)
    }

    let library = EpisodeLibrary(folder: URL(fileURLWithPath: arguments[1]))
    let downloads = DownloadController(
        server: arguments[0], library: library,
        service: TransferServiceLocation(arguments.dropFirst(2)),
        launchCommand: [
            Bundle.main.executablePath ?? "", "BackgroundDownload", "events",
            DownloadController.identifier,
        ] + arguments)
    let delegate = DownloadAppDelegate(downloads: downloads, library: library)
    let application = UIApplication.shared
    application.delegate = delegate

    // In place of an Info.plist, and of the service that knows the token.
    application.host.declare(.init(backgroundModes: [.remoteNotification]))
    application.host.answerRegistration(with: .success(Data((0..<32).map { UInt8($0) })))

    switch verb {
    case "push":
        application.host.launch(into: .active)
        try application.host.receiveRemoteNotification(
            Data("{\"aps\":{\"content-available\":1},\"content-id\":\(subject)}".utf8))
    case "wake":
        let payload = FileHandle.standardInput.readDataToEndOfFile()
        let status = ExitStatus()
        application.host.onSuspension { exit(status.value) }
        do {
            try application.host.launch(forRemoteNotification: payload) { status.take($0) }
        } catch {
            print(error)
            exit(2)
        }
    default:
        application.host.onSuspension { exit(0) }
        application.host.launch(into: .background, eventsForBackgroundURLSession: subject)
    }
    return delegate
}

/// The exit status for what came of a push. Used on the main queue.
private final class ExitStatus: @unchecked Sendable {
    private(set) var value: Int32 = 2

    func take(_ result: UIBackgroundFetchResult) {
        value = result == .newData ? 0 : result == .noData ? 1 : 2
    }
}

extension TransferServiceLocation {
    /// The usual place, or the folders that are given.
    fileprivate init(_ folders: ArraySlice<String>) {
        self.init()
        guard folders.count == 2 else { return }
        runtimeFolder = folders.first
        stateFolder = folders.last
    }
}

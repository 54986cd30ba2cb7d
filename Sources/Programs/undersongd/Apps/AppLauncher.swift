import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// Starts the programs of apps, detached from the service.
struct AppLauncher: Sendable {
    /// The variable by which an app knows that the service has launched it.
    static let variable = "UNDERSONG_LAUNCH"

    /// The session of the service, which the app connects to.
    let session: String
    /// Adds the output of what it starts to the logs; nil drops it.
    let logs: AppLogs?

    /// Starts an app's program, and calls `report` with its steps, on any thread. `token` is the
    /// value of `UNDERSONG_LAUNCH`.
    func launch(
        _ app: App, token: String,
        _ report: @escaping @Sendable (DetachedProgram.Event) -> Void
    ) {
        if let problem = Self.problem(of: app) { return report(.failed(problem)) }
        logs?.rotate(app.identifier)
        var program = DetachedProgram(app.command)
        program.folder = app.folder
        program.variables = [Self.variable: token, "UNDERSONG_SESSION": session]
        program.log = logs?.path(of: app.identifier)
        program.unit = "app-undersong-\(app.identifier)-\(token).service"
        program.start(report)
    }

    /// The reason why an app cannot be started now; nil if there is none.
    static func problem(of app: App) -> String? {
        var status = stat()
        for (path, mode) in [(app.folder, X_OK), (app.command[0], X_OK)] {
            guard unsafe access(path, mode) == 0, unsafe stat(path, &status) == 0 else {
                return "\(path): \(SystemError.last.reason)"
            }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            if path == app.command[0], isFolder { return "\(path) is a folder" }
            if path == app.folder, !isFolder { return "\(path) is not a folder" }
        }
        return nil
    }
}

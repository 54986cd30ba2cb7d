import Control
import Foundation

/// A runtime folder for programs that a test starts without a sound server of its own: no service of
/// the user's is ever talked to. It is removed, and the service in it ended, when the tests are over.
enum RuntimeFolder {
    /// What such a program gets beside what the test says.
    static let environment: [String: String] = {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        atexit {
            RuntimeFolder.endService(in: RuntimeFolder.path)
            try? FileManager.default.removeItem(atPath: RuntimeFolder.path)
        }
        return ["XDG_RUNTIME_DIR": path, "XDG_CONFIG_HOME": path + "/config"]
    }()

    private static let path = "/tmp/undersong-\(ProcessInfo.processInfo.processIdentifier)"

    /// Ends the service of the default session in `folder`, where there is one.
    static func endService(in folder: String) {
        let socket = ControlSocket.path(session: "default", runtimeFolder: folder)
        let client = try? ControlClient(socket: socket, name: "tests")
        _ = try? client?.call(Shutdown())
    }
}

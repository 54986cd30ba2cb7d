import Control
import Foundation

/// A runtime folder for a program that a test starts without a sound server of its own, so that it
/// finds no service but its own. The service is ended, and the folder removed, with this.
final class RuntimeFolder: Sendable {
    /// What the program gets beside what the test says.
    let environment: [String: String]
    private let path: String

    init() throws {
        path = "/tmp/undersong-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        environment = [
            "XDG_RUNTIME_DIR": path, "XDG_CONFIG_HOME": path + "/config",
            "XDG_STATE_HOME": path + "/state", "DBUS_SESSION_BUS_ADDRESS": "",
        ]
    }

    deinit {
        Self.endService(in: path)
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Ends the service of the default session in `folder`, where there is one.
    static func endService(in folder: String) {
        let socket = ControlSocket.path(session: "default", runtimeFolder: folder)
        let client = try? ControlClient(socket: socket, name: "tests")
        _ = try? client?.call(Shutdown())
    }
}

import Foundation
import UndersongBackground
import UndersongControl

/// A runtime folder for a program that a test starts without a sound server, so that it finds only
/// its own service. The service is terminated, and the folder removed, with this object.
final class RuntimeFolder: Sendable {
    /// The environment that the program gets besides the test's.
    let environment: [String: String]
    let path: String

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

    /// Terminates the service of the default session in `folder`, if there is one.
    static func endService(in folder: String) {
        let socket = ControlSocket(session: "default", runtimeFolder: folder).path
        let client = try? ControlClient(socket: socket, name: "tests")
        _ = try? client?.call(Shutdown())
    }
}

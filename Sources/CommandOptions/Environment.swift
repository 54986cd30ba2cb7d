import Control
import Glibc

/// The variables of the program's environment. One that is empty counts as none.
package enum Environment {
    package static subscript(name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The folder in which programs of this user leave their sockets.
    package static var runtimeFolder: String {
        ControlSocket.runtimeFolder(variable: self["XDG_RUNTIME_DIR"])
    }
}

import Glibc
import UndersongBase
package import UndersongControl

/// The program's environment variables. An empty one counts as unset.
package enum Environment {
    package static subscript(name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The folder for the sockets of this user's programs.
    package static var runtimeFolder: String {
        ControlSocket.runtimeFolder(variable: self["XDG_RUNTIME_DIR"])
    }

    /// The folder for what this user's programs keep; nil if the environment does not name any.
    package static var stateFolder: String? {
        ServiceLocation.stateFolder { self[$0] }
    }

    /// A session's service.
    package static func service(of session: String) -> ServiceLocation {
        ServiceLocation(session: session) { self[$0] }
    }
}

/// The folder for a session's queue and position, within the user's state folder.
package enum StateFolder {
    /// Nil if the environment does not name any folder.
    package static func path(session: String) -> String? {
        Environment.stateFolder.map { $0 + "/" + session }
    }

    /// The service that reports to be using a session's queue there, and still runs. It is not
    /// asked, so that it sleeps on.
    package static func holder(session: String) -> Int32? {
        guard let path = path(session: session),
            let process = Int32(KernelFile.line(of: path + "/lock")),
            // Another program may have its number by now.
            KernelFile.line(of: "/proc/\(process)/comm") == "undersongd"
        else { return nil }
        return process
    }
}

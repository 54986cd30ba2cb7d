import UndersongBase

/// The folder for a session's queue and position, within the user's state folder.
package enum StateFolder {
    /// Nil if the environment does not name any folder.
    package static func path(session: String) -> String? {
        Environment.stateFolder.map { $0 + "/" + session }
    }

    /// The service that reports to be using a session's queue there, and still runs. It is not asked,
    /// so that it sleeps on.
    package static func holder(session: String) -> Int32? {
        guard let path = path(session: session),
            let process = Int32(KernelFile.line(of: path + "/lock")),
            // Another program may have its number by now.
            KernelFile.line(of: "/proc/\(process)/comm") == "undersongd"
        else { return nil }
        return process
    }
}

import Glibc

/// The variables of the program's environment. One that is empty counts as none.
enum Environment {
    static subscript(name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The folder in which programs of this user leave their sockets: `XDG_RUNTIME_DIR`, else what
    /// systemd makes it, else one of our own.
    static var runtimeFolder: String {
        if let folder = self["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return folder }
        let usual = "/run/user/\(getuid())"
        return unsafe access(usual, W_OK) == 0 ? usual : ownRuntimeFolder
    }

    /// Makes the runtime folder where it is one of our own.
    static func makeRuntimeFolder() {
        let folder = runtimeFolder
        if folder == ownRuntimeFolder { unsafe mkdir(folder, 0o700) }
    }

    private static var ownRuntimeFolder: String { "/tmp/undersong-\(getuid())" }
}

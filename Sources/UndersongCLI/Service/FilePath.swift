import Glibc

/// Makes paths that the service, which runs elsewhere, understands.
enum FilePath {
    /// `path` from the root on; `-`, the standard input, as it is. Nothing is looked up: links and
    /// `..` stay as they are, and a file that does not exist is the service's to complain about.
    static func absolute(_ path: String, in folder: String) -> String {
        if path == "-" || path.hasPrefix("/") { return path }
        var path = path[...]
        while path.hasPrefix("./") {
            path = path.dropFirst(2).drop { $0 == "/" }
        }
        if path.isEmpty || path == "." { return folder }
        return folder.hasSuffix("/") ? folder + path : folder + "/" + path
    }

    /// The folder in which this program was called.
    static var current: String {
        guard let folder = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder)
    }
}

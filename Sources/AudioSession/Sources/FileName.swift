/// What files' names tell of them.
enum FileName {
    /// The extensions of files that can be played.
    static let mediaExtensions = ["mp3", "mp2", "mpga"]

    /// Whether `path` is called as files are that can be played.
    static func isMedia(_ path: String) -> Bool {
        switch fileExtension(path) {
        case "mp3", "mp2", "mpga": true
        default: false
        }
    }

    /// What stands behind the last point, in lower-case letters; empty where there is none, or one
    /// longer than those that matter.
    static func fileExtension(_ path: String) -> String {
        let name = path.utf8.suffix(6)
        guard let point = name.lastIndex(of: UInt8(ascii: ".")) else { return "" }
        return path[path.utf8.index(after: point)...].lowercased()
    }

    /// `path` with another extension.
    static func replacingExtension(of path: String, by other: String) -> String {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let point = path.utf8.lastIndex(of: UInt8(ascii: "."))
        return (point.map { $0 > name ? path[..<$0] : path[...] } ?? path[...]) + "." + other
    }
}

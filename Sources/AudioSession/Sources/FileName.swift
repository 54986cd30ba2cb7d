/// What files' names tell of them.
enum FileName {
    /// The extensions of files that can be played.
    static let mediaExtensions = ["mp3", "mp2", "mpga"]

    /// Whether `path` is called as files are that can be played.
    static func isMedia(_ path: String) -> Bool {
        let name = path.utf8.span
        return mediaExtensions.contains { wanted in
            let start = name.count - wanted.utf8.count
            guard start > 0, name[start - 1] == UInt8(ascii: ".") else { return false }
            // Capital letters differ by one bit, which digits have too.
            return zip(start..<name.count, wanted.utf8).allSatisfy { name[$0] | 0x20 == $1 }
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

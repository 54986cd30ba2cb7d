import UndersongBase
import UndersongLibrary

/// The names that clients of MPD use for the library's files.
///
/// With one folder, they are paths relative to it, as to MPD's music directory. With several, each
/// begins with the name of its folder, or with that and a number if another one has the same.
struct MPDFolders: Hashable, Sendable {
    /// A folder of the library, and the name with which its URIs begin; empty if it is the only one.
    struct Root: Hashable, Sendable {
        let name: String
        let path: FilePath
    }

    let roots: [Root]

    init(_ folders: [FilePath]) {
        guard folders.count > 1 else {
            roots = folders.map { Root(name: "", path: $0) }
            return
        }
        var names: Set<String> = []
        roots = folders.map { folder in
            let own = folder.lastComponent
            var (name, number) = (own, 1)
            while !names.insert(name).inserted {
                number += 1
                name = "\(own) (\(number))"
            }
            return Root(name: name, path: folder)
        }
    }

    /// The only folder; nil if there are several or none.
    var onlyFolder: FilePath? { roots.count == 1 ? roots[0].path : nil }

    /// The URI of a file or folder; nil if it is not in the library, or its name is not UTF-8 or has a
    /// control character in it, as for MPD. The innermost of the library's folders counts.
    func uri(of path: FilePath) -> String? {
        guard let text = path.string, !text.utf8.contains(where: { $0 < 0x20 }) else { return nil }
        let root = roots.filter { path.isWithin($0.path) }
            .max { $0.path.bytes.count < $1.path.bytes.count }
        guard let root else { return nil }
        let rest = String(decoding: path.bytes.dropFirst(root.path.bytes.count), as: UTF8.self)
            .drop { $0 == "/" }
        return [root.name, String(rest)].filter { !$0.isEmpty }.joined(separator: "/")
    }

    /// The path of a URI; nil if it is not a path in one of the folders.
    func path(of uri: String) -> FilePath? {
        guard Self.isSafe(uri) else { return nil }
        if let root = roots.first, root.name.isEmpty { return root.path.appending(relative: uri) }
        let parts = uri.split(separator: "/", maxSplits: 1)
        guard let root = roots.first(where: { $0.name == parts.first.map(String.init) }) else {
            return nil
        }
        return root.path.appending(relative: parts.count > 1 ? String(parts[1]) : "")
    }

    /// The URI of a track; nil if its file has none.
    func uri(of track: Track) -> String? {
        guard let uri = uri(of: track.path) else { return nil }
        return track.part == nil
            ? uri : "\(uri)/\(MPDTrackName(number: track.tags.number ?? 0).text)"
    }

    /// True if a URI is a relative path that cannot leave its folder.
    static func isSafe(_ uri: String) -> Bool {
        guard !uri.utf8.contains(0) else { return false }
        return uri.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0 != "." && $0 != ".."
        }
    }
}

extension FilePath {
    fileprivate func appending(relative path: String) -> FilePath {
        path.isEmpty ? self : appending(Array(path.utf8))
    }
}

/// The name of a part of a file that a CUE sheet names, below that of the file: `track0003`.
struct MPDTrackName: Hashable, Sendable {
    /// Its number in the sheet.
    let number: Int

    init(number: Int) { self.number = number }

    /// Nil if the text is not such a name.
    init?(_ text: some StringProtocol) {
        let digits = text.utf8.dropFirst(5)
        guard text.hasPrefix("track"), digits.count == 4,
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let number = Int(text.dropFirst(5))
        else { return nil }
        self.number = number
    }

    var text: String { "track" + String(10_000 + number % 10_000).dropFirst() }
}

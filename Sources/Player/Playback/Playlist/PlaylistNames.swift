package import UndersongBase

/// Creates paths and titles from the bytes in a playlist.
///
/// Bytes that are not UTF-8 may be the actual name of a file, or a name in a Windows code page. The
/// one that exists is used, and the code page in which a name was found is used for titles too.
package struct PlaylistNames {
    /// The character sets to try, the most common first.
    private static let guesses = [
        Windows1252.name, "WINDOWS-1250", "WINDOWS-1251", "WINDOWS-1253", "WINDOWS-1254",
        "WINDOWS-1255", "WINDOWS-1256", "WINDOWS-1257", "WINDOWS-1258", "CP874", "CP932", "CP936",
        "CP949", "CP950",
    ]

    private let context: PlaylistContext
    /// The prefix for relative names: empty, or a folder with a trailing slash.
    private let prefix: [UInt8]
    /// The character set declared by the playlist, or else the one in which its names were found.
    package var characterSet: String?

    /// Creates names for a playlist in `context`.
    package init(_ context: PlaylistContext) {
        self.context = context
        var prefix = context.folder.bytes
        if let last = prefix.last, last != slash { prefix.append(slash) }
        self.prefix = prefix
    }

    private init(_ names: PlaylistNames, prefix: [UInt8]) {
        (context, characterSet, self.prefix) = (names.context, names.characterSet, prefix)
    }

    /// The path for a name: `file:` URLs are decoded, relative paths refer to the folder, and URLs
    /// of other machines are unchanged. Nil if it cannot be a path.
    mutating func path(_ name: Span<UInt8>) -> FilePath? {
        switch NameKind(name) {
        case .url(let start): found(decoded(name, from: start), prefix: [])
        case .nothing: nil
        case .absolute: found(name.bytes(name.indices), prefix: [])
        case .remote: Self.complete(name)
        case .relative: relative(name)
        }
    }

    /// The path for a URI reference: a name in which percent signs are escapes, whatever it begins
    /// with.
    package mutating func path(ofReference name: [UInt8]) -> FilePath? {
        switch NameKind(name.span) {
        case .url(let start): found(decoded(name.span, from: start), prefix: [])
        case .nothing: nil
        case .remote: Self.complete(name.span)
        case .absolute: found(decoded(name.span, from: 0), prefix: [])
        case .relative: found(decoded(name.span, from: 0), prefix: prefix)
        }
    }

    /// The text of a title: UTF-8, or the playlist's character set if it is not UTF-8.
    func text(_ bytes: [UInt8]) -> String {
        if let text = try? UTF8Span(validating: bytes.span) { return String(copying: text) }
        return characterSet.flatMap { context.text(bytes, $0) } ?? Windows1252.text(bytes)
    }

    /// The decoded path of a `file:` URL; nil for any other name.
    package static func path(ofFileURL name: FilePath) -> FilePath? {
        let bytes = name.bytes
        guard case .url(let start) = NameKind(bytes.span) else { return nil }
        var path: [UInt8] = []
        PercentCoding.decode(bytes.span.extracting(start...), into: &path)
        return path.contains(0) ? nil : FilePath(bytes: path)
    }

    /// The same names relative to `base`, as with `xml:base`.
    package func relative(to base: [UInt8]) -> PlaylistNames {
        var names = self
        guard let path = names.path(ofReference: base)?.bytes, let end = path.lastIndex(of: slash)
        else { return self }
        return PlaylistNames(self, prefix: Array(path[...end]))
    }

    private mutating func relative(_ name: Span<UInt8>) -> FilePath? {
        let name = name.bytes(name.indices)
        // That would mean the standard input.
        if prefix.isEmpty, name == FilePath.standardStream.bytes { return "./-" }
        return found(name, prefix: prefix)
    }

    /// The path of `name` after `prefix`. If there is no such file, it may use Windows notation.
    private mutating func found(_ name: [UInt8], prefix: [UInt8]) -> FilePath? {
        guard !name.contains(0) else { return nil }
        let path = FilePath(bytes: prefix + name)
        let isText = (try? UTF8Span(validating: name.span)) != nil
        guard !isText || name.contains(backslash), !context.isThere(path) else { return path }
        let others = name.contains(backslash) ? [name, name.map(Self.slashed)] : [name]
        for name in others {
            guard !isText else {
                let path = FilePath(bytes: prefix + name)
                if context.isThere(path) { return path }
                continue
            }
            for set in (characterSet.map { [$0] } ?? []) + Self.guesses {
                guard let text = context.text(name, set) else { continue }
                let path = FilePath(bytes: prefix + Array(text.utf8))
                guard context.isThere(path) else { continue }
                characterSet = set
                return path
            }
        }
        return isText ? path : FilePath(bytes: prefix + Array(text(name).utf8))
    }

    private static func slashed(_ byte: UInt8) -> UInt8 { byte == backslash ? slash : byte }

    private static func complete(_ name: Span<UInt8>) -> FilePath? {
        let bytes = name.bytes(name.indices)
        return bytes.contains(0) ? nil : FilePath(bytes: bytes)
    }

    private func decoded(_ name: Span<UInt8>, from start: Int) -> [UInt8] {
        var path: [UInt8] = []
        PercentCoding.decode(name.extracting(start..<name.count), into: &path)
        return path
    }
}

private let slash = UInt8(ascii: "/")
private let backslash = UInt8(ascii: "\\")

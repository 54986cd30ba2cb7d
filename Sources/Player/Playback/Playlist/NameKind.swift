/// The kind of a name in a playlist: a path or a URL.
package enum NameKind {
    case absolute, relative
    /// A `file:` URL, whose path begins at this byte.
    case url(path: Int)
    /// A URL of another kind.
    case remote
    /// A `file:` URL without a path, or an empty name.
    case nothing

    /// Determines the kind from the bytes of a name.
    package init(_ name: Span<UInt8>) {
        self = Self.kind(name)
    }

    private static func kind(_ name: Span<UInt8>) -> NameKind {
        guard !name.isEmpty else { return .nothing }
        guard name[0] != slash else { return .absolute }
        guard let colon = schemeEnd(of: name) else { return .relative }
        let hasAuthority = colon + 2 < name.count && name[colon + 2] == slash
        guard colon == 4, name.has("FILE", at: 0) else {
            return hasAuthority ? .remote : .relative
        }
        // The authority must be empty or name this machine.
        var path = colon + (hasAuthority ? 3 : 1)
        while path < name.count, name[path] != slash { path += 1 }
        return path < name.count ? .url(path: path) : .nothing
    }

    /// The position of the colon after a URL's scheme and before a slash. A single letter is a
    /// drive.
    private static func schemeEnd(of name: Span<UInt8>) -> Int? {
        var end = 0
        while end < name.count, isSchemeByte(name[end]) { end += 1 }
        guard end > 1, end + 1 < name.count, name[end] == UInt8(ascii: ":"),
            name[end + 1] == slash
        else { return nil }
        return end
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
        default: false
        }
    }
}

private let slash = UInt8(ascii: "/")

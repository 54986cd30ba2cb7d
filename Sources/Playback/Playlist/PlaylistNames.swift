/// Makes paths of the names that stand in a playlist.
package struct PlaylistNames {
    /// What relative names come behind: empty, or a folder with a slash at its end.
    private let prefix: [UInt8]
    /// Holds a path while it is put together.
    private var path: [UInt8] = []

    /// For a playlist in `folder`; empty is the current one.
    package init(folder: String) {
        prefix = folder.isEmpty ? [] : Array((folder.hasSuffix("/") ? folder : folder + "/").utf8)
    }

    private init(prefix: [UInt8]) { self.prefix = prefix }

    /// The path that a name stands for: `file:` URLs are decoded, relative paths come behind the
    /// folder, and the URLs of other machines stay as they are. Nil for what can be no path.
    mutating func path(_ name: Span<UInt8>) -> String? {
        switch Kind.of(name) {
        case .url(let start): decoded(name, from: start)
        case .nothing: nil
        case .absolute, .remote: Self.complete(name)
        case .relative: relative(name)
        }
    }

    /// The path that a URI reference stands for. That is a name whose percent signs are escapes,
    /// whatever it begins with.
    package mutating func path(ofReference name: [UInt8]) -> String? {
        switch Kind.of(name.span) {
        case .url(let start): decoded(name.span, from: start)
        case .nothing: nil
        case .remote: Self.complete(name.span)
        case .absolute: decoded(name.span, from: 0)
        case .relative:
            decoded(name.span, from: 0).map { String(decoding: prefix, as: UTF8.self) + $0 }
        }
    }

    /// What makes paths where `base` says to what names are relative, as `xml:base` does.
    package func relative(to base: [UInt8]) -> PlaylistNames {
        var names = self
        guard let path = names.path(ofReference: base), let end = path.utf8.lastIndex(of: slash)
        else { return self }
        return PlaylistNames(prefix: Array(path.utf8[...end]))
    }

    /// What a name looks like.
    private enum Kind {
        case absolute, relative
        /// A `file:` URL, whose path begins at this byte.
        case url(path: Int)
        /// A URL of another kind.
        case remote
        /// A `file:` URL without a path, or no byte at all.
        case nothing

        static func of(_ name: Span<UInt8>) -> Kind {
            guard !name.isEmpty else { return .nothing }
            guard name[0] != slash else { return .absolute }
            guard let colon = schemeEnd(of: name) else { return .relative }
            let hasAuthority = colon + 2 < name.count && name[colon + 2] == slash
            guard colon == 4, name.has("FILE", at: 0) else {
                return hasAuthority ? .remote : .relative
            }
            // The authority is empty or this machine.
            var path = colon + (hasAuthority ? 3 : 1)
            while path < name.count, name[path] != slash { path += 1 }
            return path < name.count ? .url(path: path) : .nothing
        }

        /// Where the colon is behind a URL's scheme, which a slash follows. One letter is a drive.
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

    private mutating func relative(_ name: Span<UInt8>) -> String? {
        path.removeAll(keepingCapacity: true)
        path.append(contentsOf: prefix)
        path.append(contentsOf: name)
        let isNoStream = !(path.count == 1 && path[0] == UInt8(ascii: "-"))
        guard isNoStream else { return "./-" }
        guard !path.contains(0) else { return nil }
        if let text = try? UTF8Span(validating: path.span) { return String(copying: text) }
        return String(decoding: prefix, as: UTF8.self) + name.text(name.indices)
    }

    private static func complete(_ name: Span<UInt8>) -> String? {
        for index in name.indices where name[index] == 0 { return nil }
        return name.text(name.indices)
    }

    private mutating func decoded(_ name: Span<UInt8>, from start: Int) -> String? {
        path.removeAll(keepingCapacity: true)
        PercentCoding.decode(name.extracting(start..<name.count), into: &path)
        return path.contains(0) ? nil : path.span.text(path.span.indices)
    }
}

private let slash = UInt8(ascii: "/")

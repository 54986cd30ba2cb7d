/// Names of what is played from the network: URLs of HTTP and HTTPS.
package enum NetworkName {
    /// Returns true if `name` is such a URL.
    package static func isOne(_ name: FilePath) -> Bool {
        // Most names are paths, which are recognized by their first byte.
        guard !name.isAbsolute, let text = name.string else { return false }
        return host(text) != nil
    }

    /// The host of a URL, with its port if there is one, for display; nil for any other name.
    package static func host(_ text: String) -> String? {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard rest.hasPrefix("://") else { return nil }
        let authority = rest.dropFirst(3).prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return host.isEmpty || host.hasPrefix(":") ? nil : String(host)
    }

    /// The last component of the URL's path, decoded, or else the host.
    package static func title(_ url: FilePath) -> String {
        let name = path(url.description).split(separator: "/").dropFirst(2).last.map(String.init)
        guard let name else { return host(url.description) ?? url.description }
        return PercentCoding.text(Array(name.utf8).span)
    }

    /// The URL with everything escaped that no URL may contain: playlists often have spaces.
    package static func escaped(_ url: FilePath) -> FilePath {
        var bytes: [UInt8] = []
        for byte in url.bytes {
            if byte > 0x20, byte < 0x7F {
                bytes.append(byte)
            } else {
                PercentCoding.encode(CollectionOfOne(byte), into: &bytes)
            }
        }
        return FilePath(bytes: bytes)
    }

    /// The URL without what proves who asks: user, password and query.
    package static func withoutSecrets(_ url: String) -> String {
        let base = url.prefix { $0 != "?" }
        guard let start = base.firstRange(of: "://")?.upperBound else { return String(base) }
        let end = base[start...].firstIndex(of: "/") ?? base.endIndex
        let host = base[start..<end]
        let hostStart = host.lastIndex(of: "@").map { host.index(after: $0) } ?? start
        return String(base[..<start] + base[hostStart...])
    }

    /// The URL without its query and fragment.
    package static func path(_ url: String) -> String {
        String(url.prefix { $0 != "?" && $0 != "#" })
    }
}

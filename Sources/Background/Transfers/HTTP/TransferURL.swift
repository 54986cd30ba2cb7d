/// A URL that can be transferred: of HTTP or HTTPS, with a host (J5).
package struct TransferURL: Hashable, Sendable {
    /// The host in lower case, with the port if there is one.
    package let host: String
    /// True if it is of HTTPS.
    package let isSecure: Bool

    /// Nil for all other texts.
    package init?(_ text: String) {
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }),
            let colon = text.firstIndex(of: ":"),
            ["http", "https"].contains(text[..<colon].lowercased()),
            text[colon...].hasPrefix("://")
        else { return nil }
        let rest = text[text.index(colon, offsetBy: 3)...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard let first = host.first, first != ":", Self.hasValidPort(host) else { return nil }
        self.host = host.lowercased()
        isSecure = text[..<colon].utf8.count == 5
    }

    /// Returns true if there is no port, or one that exists.
    private static func hasValidPort(_ host: Substring) -> Bool {
        let name = host.lastIndex(of: "]") ?? host.startIndex
        guard let colon = host[name...].lastIndex(of: ":") else { return true }
        let digits = host[host.index(after: colon)...]
        return digits.isEmpty
            || digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
                && (Int(digits).map { (1...65535).contains($0) } ?? false)
    }

    /// Returns true if this server may get the secrets meant for that of `other`: it is the same,
    /// and the way to it is not less safe.
    func isTrusted(like other: TransferURL) -> Bool {
        host == other.host && (isSecure || !other.isSecure)
    }
}

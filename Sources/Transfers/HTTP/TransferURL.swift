/// A URL that can be transferred: of HTTP or HTTPS, with a host (J5).
package struct TransferURL: Hashable, Sendable {
    /// The host in lower case, with the port if there is one.
    package let host: String

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
        guard let first = host.first, first != ":" else { return nil }
        self.host = host.lowercased()
    }
}

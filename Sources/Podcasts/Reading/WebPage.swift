/// What a web page says about its feeds, in `link` elements of its head.
package struct WebPage: Hashable, Sendable {
    /// How much of a page is looked at, in bytes.
    package static let limit = 256 << 10
    private static let types = ["application/rss+xml", "application/atom+xml"]

    /// The URLs of the feeds, in the page's order.
    package let feeds: [String]

    /// Reads the beginning of a page that is at `url`. Nothing in it is an error.
    package init(_ bytes: some Collection<UInt8>, at url: String) {
        let text = String(decoding: bytes.prefix(Self.limit), as: UTF8.self)
        var feeds: [String] = []
        for tag in Self.links(in: text[...]) {
            let attributes = Self.attributes(of: tag)
            let relations = (attributes["rel"] ?? "").lowercased().split { $0.isWhitespace }
            guard relations.contains("alternate"),
                Self.types.contains(FeedText.trimmed(attributes["type"] ?? "").lowercased()),
                let place = attributes["href"],
                let found = Self.resolve(FeedText.trimmed(place), at: url), !feeds.contains(found)
            else { continue }
            feeds.append(found)
        }
        self.feeds = feeds
    }

    /// The inside of each `<link …>`.
    private static func links(in text: Substring) -> [Substring] {
        var (tags, rest) = ([Substring](), text)
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            guard rest.prefix(4).lowercased() == "link",
                rest.dropFirst(4).first?.isWhitespace ?? false
            else { continue }
            rest = rest.dropFirst(4)
            let end = Self.end(of: rest)
            tags.append(rest[..<end])
            rest = rest[end...]
        }
        return tags
    }

    /// Where a tag ends, outside of its quotation marks.
    private static func end(of tag: Substring) -> Substring.Index {
        var quote: Character?
        for index in tag.indices {
            let character = tag[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == ">" {
                return index
            }
        }
        return tag.endIndex
    }

    private static func attributes(of tag: Substring) -> [String: String] {
        var (attributes, rest) = ([String: String](), tag)
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "/" }
            guard !rest.isEmpty else { return attributes }
            let name = rest.prefix { !$0.isWhitespace && $0 != "=" && $0 != "/" }
            rest = rest.dropFirst(name.count).drop { $0.isWhitespace }
            guard rest.first == "=" else {
                if name.isEmpty { rest = rest.dropFirst() }
                continue
            }
            rest = rest.dropFirst().drop { $0.isWhitespace }
            let value: Substring
            if let quote = rest.first, quote == "\"" || quote == "'" {
                value = rest.dropFirst().prefix { $0 != quote }
                rest = rest.dropFirst(value.count + 2)
            } else {
                value = rest.prefix { !$0.isWhitespace }
                rest = rest.dropFirst(value.count)
            }
            attributes[name.lowercased()] = String(value.replacing("&amp;", with: "&"))
        }
    }

    /// The absolute URL that a link at `base` means; nil if that is not a URL of the web.
    static func resolve(_ link: String, at base: String) -> String? {
        if FeedText.isWebURL(link) { return FeedText.escaped(link) }
        guard let scheme = base.firstIndex(of: ":"), base[scheme...].hasPrefix("://"),
            !link.isEmpty, !link.hasPrefix("#"),
            !(link.prefix { $0 != "/" && $0 != "?" }).contains(":")
        else { return nil }
        if link.hasPrefix("//") { return FeedText.escaped("\(base[...scheme])\(link)") }
        let host = base[base.index(scheme, offsetBy: 3)...]
        let end = host.firstIndex { "/?#".contains($0) } ?? base.endIndex
        if link.hasPrefix("/") { return FeedText.escaped("\(base[..<end])\(link)") }
        let path = base[end...].prefix { $0 != "?" && $0 != "#" }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return FeedText.escaped("\(base[..<end])\(folder)\(link)")
    }
}

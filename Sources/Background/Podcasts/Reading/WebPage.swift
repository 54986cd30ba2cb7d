/// A web page's references to its feeds, in `link` elements of its head.
package struct WebPage: Hashable, Sendable {
    /// The number of bytes of a page that are examined.
    package static let limit = 256 << 10
    private static let types = ["application/rss+xml", "application/atom+xml"]
    /// The tags that a page may have before its body.
    private static let headTags: Set<String> = [
        "html", "head", "title", "/title", "meta", "link", "base", "script", "/script", "style",
        "/style", "noscript", "/noscript", "template", "/template",
    ]
    /// The tags whose contents are not markup of the page.
    private static let textTags: Set<String> = ["title", "script", "style", "template"]

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
                let reference = attributes["href"],
                let found = FeedText.resolved(FeedText.trimmed(reference), at: url),
                !feeds.contains(found)
            else { continue }
            feeds.append(found)
        }
        self.feeds = feeds
    }

    /// The inside of each `<link …>` of the head. That ends with the first tag that only a body can
    /// have; comments and texts that are not markup have no tags.
    private static func links(in text: Substring) -> [Substring] {
        var (tags, rest) = ([Substring](), text)
        while let start = rest.firstIndex(of: "<") {
            rest = rest[start...].dropFirst()
            if rest.hasPrefix("!--") {
                rest = after("-->", in: rest.dropFirst(1))
                continue
            }
            let slash = rest.hasPrefix("/") ? "/" : ""
            let letters = rest.dropFirst(slash.count).prefix { $0.isLetter || $0.isNumber }
            guard letters.first?.isLetter ?? false else { continue }
            let name = slash + letters.lowercased()
            guard headTags.contains(name) else { return tags }
            rest = rest.dropFirst(name.count)
            let end = end(of: rest)
            if name == "link" { tags.append(rest[..<end]) }
            rest = rest[end...]
            if textTags.contains(name) { rest = after("</\(name)", in: rest) }
        }
        return tags
    }

    /// Returns the rest of a page after `text`, in any case.
    private static func after(_ text: String, in page: Substring) -> Substring {
        var rest = page
        while let start = rest.firstIndex(where: { $0 == text.first }) {
            rest = rest[start...]
            if rest.prefix(text.count).lowercased() == text { return rest.dropFirst(text.count) }
            rest = rest.dropFirst()
        }
        return rest[rest.endIndex...]
    }

    /// Returns the end of a tag, outside of its quotation marks.
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
}

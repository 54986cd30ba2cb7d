import UndersongXML

/// A list of feeds, as podcast programs give them to each other.
package struct OPML: Hashable, Sendable {
    /// A feed in a list.
    package struct Outline: Hashable, Sendable {
        package var url: String
        package var title: String?

        package init(url: String, title: String? = nil) {
            self.url = url
            self.title = title
        }
    }

    package var outlines: [Outline]

    package init(_ outlines: [Outline]) { self.outlines = outlines }

    /// Reads a list. Each URL is there once. `characters` is as in `FeedReader.init`.
    ///
    /// - Throws: An error if it is not a list of feeds, or is refused.
    package init(
        _ bytes: [UInt8], characters: @escaping (String) -> [Int32]? = { _ in nil }
    ) throws(FeedError) {
        let elements = OPMLElements()
        let reader = FeedXMLReader(elements, characters: characters)
        try reader.read(bytes.span)
        try reader.finish()
        outlines = elements.outlines
    }

    /// The list as a document.
    package var text: String {
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#, #"<opml version="2.0">"#,
            "  <head><title>Podcasts</title></head>", "  <body>",
        ]
        for outline in outlines {
            let (url, title) = (Self.escaped(outline.url), outline.title.map(Self.escaped))
            lines.append(
                #"    <outline type="rss" text="\#(title ?? url)" xmlUrl="\#(url)"/>"#)
        }
        return (lines + ["  </body>", "</opml>", ""]).joined(separator: "\n")
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // No other control character can be written in XML 1.0.
            case _ where scalar.value < 0x20: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// The elements of a list of feeds.
private final class OPMLElements: XMLElements {
    typealias Refusal = FeedError

    private static let limit = 10_000

    private(set) var outlines: [OPML.Outline] = []
    private var known: Set<String> = []
    private var hasRoot = false

    var wantsText: Bool { false }

    func begin(_ element: XMLElement) throws(FeedError) {
        let name = element.name
        if !hasRoot {
            guard name.lowercased() == "opml" else {
                throw name.lowercased() == "html"
                    ? .webPage
                    : FeedError(.notFeed, "It is not a list of feeds: Its root element is \(name)")
            }
            hasRoot = true
        }
        guard name.lowercased() == "outline",
            let text = element["xmlUrl"] ?? element["xmlurl"] ?? element["xmlURL"],
            case let url = FeedText.escaped(FeedText.trimmed(text)), FeedText.isWebURL(url),
            known.insert(url).inserted
        else { return }
        guard outlines.count < Self.limit else {
            throw FeedError(.tooLarge, "It lists more than \(Self.limit) feeds; split it")
        }
        let title = element["title"] ?? element["text"]
        outlines.append(
            OPML.Outline(url: url, title: title.flatMap { FeedText.title($0, limit: 512) }))
    }

    func add(_ text: Span<UInt8>) {}

    func end(_ element: XMLElement) {}
}

import Testing
import UndersongPodcasts

@Suite struct `A feed` {
    // MARK: Reading

    @Test(arguments: [1, 7, 1000]) func `A feed of RSS gives its head and its entries`(
        step: Int
    ) throws {
        let (head, entries) = try read(Feeds.rss, step: step)

        #expect(head.title == "Slack Water & Tide")
        #expect(head.link == "https://example.org/")
        #expect(head.minutesToLive == 90)
        #expect(head.skippedHours == 1 << 0 | 1 << 5)
        #expect(head.skippedDays == 1 << 6)
        #expect(head.newURL == "https://new.example.org/feed")
        #expect(entries.map(\.guid) == ["a-2", "a-1"])
        #expect(entries.map(\.title) == ["Two < three", "One"])
        #expect(entries[0].published == 1_795_561_200)
        #expect(
            entries[0].enclosures == [
                Enclosure(url: "https://example.org/2.mp3?a=1&b=2", type: "audio/mpeg", length: 17)
            ])
        #expect(entries[0].duration == 3723)
        #expect(entries[1].link == "https://example.org/1")
    }

    @Test func `A feed of Atom gives its head and its entries`() throws {
        let (head, entries) = try read(
            """
            <feed xmlns="http://www.w3.org/2005/Atom"><title type="html">A &amp;amp; B</title>
            <link rel="self" href="https://example.org/atom"/>
            <link href="https://example.org/"/>
            <entry><id>urn:1</id><title type="xhtml"><div xmlns="x">On<b>e</b></div></title>
            <updated>2026-11-24T22:56:34.5+01:00</updated>
            <content type="xhtml"><div><title>not this</title><id>nor this</id></div></content>
            <link rel="enclosure" type="audio/ogg; codecs=opus" href="https://example.org/1.opus"/>
            <link rel="alternate" href="https://example.org/1"/></entry></feed>
            """)

        #expect(head.title == "A & B")
        #expect(head.link == "https://example.org/")
        #expect(entries.count == 1)
        #expect(entries[0].key == "id urn:1")
        #expect(entries[0].title == "One")
        #expect(entries[0].published == 1_795_557_394.5)
        #expect(
            entries[0].enclosures
                == [Enclosure(url: "https://example.org/1.opus", type: "audio/ogg")])
        #expect(entries[0].link == "https://example.org/1")
    }

    @Test func `A feed of RSS 1.0 has its entries beside the channel`() throws {
        let (head, entries) = try read(
            """
            <rdf:RDF xmlns:rdf="x" xmlns="y"><channel><title>C</title></channel>
            <item><title>I</title><dc:date>2026-11-24</dc:date></item>
            <item><title>J</title></item></rdf:RDF>
            """)

        #expect(head.title == "C")
        #expect(entries.map(\.key) == ["title I 1795478400.0", "title J"])
    }

    @Test func `A feed identifies an entry by its guid, else by its file, else by title and date`()
    {
        var entry = FeedEntry()
        #expect(entry.key == nil)
        entry.title = "T"
        entry.published = 5
        #expect(entry.key == "title T 5.0")
        entry.enclosures = [Enclosure(url: "http://a/b")]
        #expect(entry.key == "url http://a/b")
        entry.guid = "g"
        #expect(entry.key == "id g")
    }

    @Test func `A feed in ISO 8859-1, UTF-16 or another known set is read as it is meant`() throws {
        let text = "<rss><channel><title>Café</title></channel></rss>"
        let latin =
            Array(#"<?xml version="1.0" encoding="ISO-8859-1"?>"#.utf8)
            + text.unicodeScalars.map { UInt8($0.value) }
        let units = text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        let wide: [UInt8] = [0xff, 0xfe] + units
        let other =
            Array(#"<?xml version="1.0" encoding="x-own"?>"#.utf8)
            + text.unicodeScalars.map { $0 == "é" ? 0x80 : UInt8($0.value) }
        let reader = FeedReader { name in
            guard name == "x-own" else { return nil }
            return (0..<256).map { $0 == 0x80 ? 0xe9 : $0 < 0x80 ? $0 : -1 }
        }

        #expect(try read(latin).head.title == "Café")
        #expect(try read(wide).head.title == "Café")
        #expect(try read(other, with: reader).head.title == "Café")
    }

    // MARK: Usual faults

    @Test(arguments: [1, 2, 7, 1000])
    func `A feed is read as others read it, whatever its bytes are`(
        step: Int
    ) throws {
        let declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#
        func bytes(_ title: [UInt8], before: String = declaration) -> [UInt8] {
            Array("\(before)<rss><channel><title>".utf8) + title
                + Array("</title></channel></rss>".utf8)
        }
        func title(_ bytes: [UInt8]) throws -> String? {
            try read(bytes, step: step, with: FeedReader(characters: characters)).head.title
        }

        let space = String(repeating: " \r\n\t", count: 700)
        #expect(try title(bytes(Array("A".utf8), before: space + declaration)) == "A")
        #expect(try title([0xef, 0xbb, 0xbf] + bytes(Array("é".utf8), before: "\n")) == "é")
        #expect(try title(bytes([0x41, 0x01, 0x42, 0x00, 0x43])) == "A B C")
        let numbers = "A&#1;B&#x0B;C&#xFFFF;D&#xD800;E&#38;F"
        #expect(try title(bytes(Array(numbers.utf8))) == "A B C D E&F")
        #expect(try title(bytes([0x43, 0x61, 0x66, 0xe9])) == "Café")
        let mixed: [UInt8] = [0x93, 0xe2, 0x82, 0xac, 0xe2, 0x82, 0x41, 0x81]
        #expect(try title(bytes(mixed)) == "“€â‚A\u{FFFD}")
        #expect(try title(bytes([0xef, 0xbf, 0xbf, 0x41])) == "\u{FFFD}A")
        let utf16 = #"<?xml version="1.0" encoding="utf-16"?>"#
        #expect(try title(bytes(Array("é😀".utf8), before: utf16)) == "é😀")
        let ascii = #"<?xml version='1.0' encoding='us-ascii'?>"#
        #expect(try title(bytes(Array("é".utf8), before: ascii)) == "é")
    }

    @Test func `A feed that names no character set is in that of its server`() throws {
        func title(_ text: [UInt8], _ charset: String) throws -> String? {
            let reader = FeedReader(charset: charset, characters: characters)
            return try read(text, with: reader).head.title
        }
        let rss = Array("<rss><channel><title>Caf".utf8)
        let end = Array("</title></channel></rss>".utf8)
        let (latin, own) = (rss + [0xe9] + end, rss + [0x80] + end)
        let utf8 = rss + Array("é".utf8) + end

        #expect(try title(latin, "ISO-8859-1") == "Café")
        #expect(try title(own, "windows-1252") == "Caf€")
        #expect(try title(utf8, "utf-8") == "Café")
        #expect(try title(utf8, "none") == "Café")
        let declared = Array("<?xml version='1.0' encoding='UTF-8'?>".utf8)
        #expect(try title(declared + utf8, "ISO-8859-1") == "Café")
        #expect(try title([0xef, 0xbb, 0xbf] + utf8, "ISO-8859-1") == "Café")
    }

    /// Windows-1252, as far as it is needed.
    private func characters(_ name: String) -> [Int32]? {
        guard name.uppercased() == "WINDOWS-1252" else { return nil }
        let signs: [Int: Int32] = [
            0x80: 0x20ac, 0x81: -1, 0x82: 0x201a, 0x93: 0x201c, 0x94: 0x201d,
        ]
        return (0..<256).map { signs[$0] ?? Int32($0) }
    }

    @Test(arguments: [
        ("../e/1.mp3", "http://a/e/1.mp3"), ("//b/x", "http://b/x"), ("x.mp3", "http://a/f/x.mp3"),
        ("/x?y=../z", "http://a/x?y=../z"), ("https://b/1.mp3", "https://b/1.mp3"),
        (" a b.mp3 ", "http://a/f/a%20b.mp3"),
    ]) func `A feed has files that are relative to its own place`(url: String, absolute: String)
        throws
    {
        let text = "<rss><channel><item><enclosure url='\(url)'/></item></channel></rss>"

        let entries = try read(Array(text.utf8), with: FeedReader(at: "http://a/f/feed?x")).entries

        #expect(entries.first?.enclosures.map(\.url) == [absolute])
    }

    @Test func `A feed has files that are relative to the base of their elements`() throws {
        let text = """
            <feed xml:base="/x/"><entry xml:base="y/"><id>1</id><content xml:base="no/">
            <p xml:base="never/"/></content><link rel="enclosure" href="1.ogg"/>
            <link xml:base="http://b/" rel="enclosure" href="2.ogg"/></entry>
            <entry><id>2</id><link rel="enclosure" href="3.ogg"/></entry>
            <entry xml:base="file:///etc/"><id>3</id><link rel="enclosure" href="4.ogg"/></entry></feed>
            """

        let entries = try read(Array(text.utf8), with: FeedReader(at: "http://a/feed")).entries

        #expect(
            entries.map { $0.enclosures.map(\.url) } == [
                ["http://a/x/y/1.ogg", "http://b/2.ogg"], ["http://a/x/3.ogg"],
                ["http://a/x/4.ogg"],
            ])
    }

    // MARK: Entities

    @Test(arguments: [
        "<!DOCTYPE rss PUBLIC 'a' 'http://127.0.0.1:9/x.dtd'>",
        "<!DOCTYPE rss [<!ENTITY nbsp '&#160;'><!ENTITY % x SYSTEM 'file:///etc/passwd'> %x;]>", "",
    ]) func `A feed may use entities that are not declared, which are left out`(type: String) throws
    {
        let (head, _) = try read("\(type)<rss><channel><title>a&eacute;b</title></channel></rss>")

        #expect(head.title == "ab")
    }

    // MARK: Refusal

    @Test(arguments: [
        "<!DOCTYPE html><html><head><meta charset=x><title>Log in</title>",
        "\n<HTML lang=en><body>Log in<p></HTML>", "<html><body/></html>",
    ]) func `A web page is not a feed`(text: String) {
        #expect(refusal(of: text)?.code == .webPage)
    }

    @Test(arguments: [
        ("", FeedError.Code.notFeed), ("<opml/>", .notFeed), ("hello", .damaged),
        ("<rss><channel><item>", .damaged), ("<rss></channel></rss>", .damaged),
    ]) func `A feed that is damaged or something else is refused`(
        text: String, code: FeedError.Code
    ) {
        #expect(refusal(of: text)?.code == code)
    }

    @Test func `A damaged feed gives the entries before the damage`() {
        let reader = FeedReader()
        var entries: [FeedEntry] = []

        #expect(throws: FeedError.self) {
            try reader.read(
                Array("<rss><channel><item><guid>1</guid></item><item></x>".utf8).span,
                into: &entries)
        }
        #expect(entries.map(\.guid) == ["1"])
    }

    @Test func `A feed with a billion laughs is refused`() {
        var type = "<!ENTITY l0 'lol'>"
        for number in 1...9 {
            type +=
                "<!ENTITY l\(number) '" + String(repeating: "&l\(number - 1);", count: 10) + "'>"
        }
        let text = "<!DOCTYPE rss [\(type)]><rss><channel><title>&l9;</title></channel></rss>"

        #expect(refusal(of: text)?.code == .entities)
    }

    @Test func `A feed of 512 levels is refused, and one of 200 is not`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        func feed(_ depth: Int) -> String { "<rss><channel>\(nested(depth))</channel></rss>" }

        #expect(refusal(of: feed(512))?.code == .tooLarge)
        _ = try read(feed(200))
    }

    @Test func `A feed longer than 16 MiB is refused without keeping it`() {
        let reader = FeedReader()
        var entries: [FeedEntry] = []
        let text = String(repeating: "x", count: 1000)
        let item = "<item><title>\(text)</title><description>\(text)</description></item>"
        let piece = Array((item + "<a>" + String(repeating: text, count: 60) + "</a>").utf8)
        var size = 0
        var refusal: FeedError?

        try? reader.read(Array("<rss><channel>".utf8).span, into: &entries)
        while refusal == nil, size < 50 << 20 {
            do throws(FeedError) {
                try reader.read(piece.span, into: &entries)
                size += piece.count
            } catch {
                refusal = error
            }
        }

        #expect(refusal?.code == .tooLarge)
        #expect(size <= FeedReader.sizeLimit)
        #expect(entries.count > 200)
        #expect(entries.allSatisfy { $0.title?.count == 512 })
    }

    @Test func `A feed with an endless tag is refused before it is 16 MiB long`() {
        let reader = FeedReader()
        var entries: [FeedEntry] = []
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
        var size = 0

        try? reader.read(Array("<rss a='".utf8).span, into: &entries)
        #expect(throws: FeedError.self) {
            while size < 4 << 20 {
                try reader.read(piece.span, into: &entries)
                size += piece.count
            }
        }
        #expect(size <= 2 << 20)
    }

    // MARK: Helpers

    @Test func `A feed has eight files of an entry at most, each once`() throws {
        let files = (0..<20).map { "<enclosure url=\"http://a/\($0 / 2).mp3\"/>" }.joined()

        let entries = try read(
            "<rss><channel><item><guid>1</guid>\(files)</item></channel></rss>"
        ).1

        #expect(entries.first?.enclosures.map(\.url) == (0..<8).map { "http://a/\($0).mp3" })
    }

    private func read(_ text: String, step: Int = 1000) throws -> (FeedHead, [FeedEntry]) {
        try read(Array(text.utf8), step: step)
    }

    private func read(
        _ bytes: [UInt8], step: Int = 1000, with reader: FeedReader = FeedReader()
    ) throws -> (head: FeedHead, entries: [FeedEntry]) {
        var entries: [FeedEntry] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            let piece = Array(bytes[start..<min(start + step, bytes.count)])
            try reader.read(piece.span, into: &entries)
        }
        try reader.finish(into: &entries)
        return (reader.head, entries)
    }

    private func refusal(of text: String) -> FeedError? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error as? FeedError
        }
    }
}

enum Feeds {
    static let rss = """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
            xmlns:atom="http://www.w3.org/2005/Atom"><channel>
        <title>Slack
          Water &amp;amp; Tide</title><atom:link rel="self" href="https://example.org/self"/>
        <link>https://example.org/</link><ttl>90</ttl>
        <image><title>not this</title><link>https://example.org/image</link></image>
        <skipHours><hour>24</hour><hour>5</hour><hour>77</hour></skipHours>
        <skipDays><day>Saturday</day></skipDays>
        <itunes:new-feed-url>https://new.example.org/feed</itunes:new-feed-url>
        <item><title><![CDATA[<b>Two</b> &lt; three]]></title><guid isPermaLink="false"> a-2 </guid>
        <pubDate>Wed, 25 Nov 2026 00:00:00 +0100</pubDate><itunes:duration>1:02:03</itunes:duration>
        <description>&lt;p&gt;long&lt;/p&gt;</description>
        <enclosure url=" https://example.org/2.mp3?a=1&amp;b=2" type="Audio/MPEG" length="17"/>
        <enclosure url="file:///etc/passwd" type="audio/mpeg" length="1"/></item>
        <item><title>One</title><guid>a-1</guid><link>https://example.org/1</link></item>
        </channel></rss>
        """
}

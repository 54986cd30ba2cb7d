import UndersongBase
import UndersongXML

/// The elements of a feed: which of them mean something, and what.
final class FeedElements: XMLElements {
    typealias Refusal = FeedError

    /// The destinations of text.
    private enum Field {
        case title, link, minutesToLive, newURL, hour, day
        case entryGUID, entryTitle, entryLink, published, updated, duration
    }

    private enum Context: Equatable {
        case start, root, feed, hours, days, entry, end
    }

    /// The maximum length of a field in bytes.
    private static let fieldLimit = 4096
    private static let titleLimit = 512
    private static let enclosureLimit = 8

    private(set) var head = FeedHead()
    private var isAtom = false
    private var context = Context.start
    /// The place of the entry.
    private var parent = Context.feed
    private var entry = FeedEntry()
    private var updated: Double?
    private var entries: [FeedEntry] = []
    private var entryCount = 0
    private var field: Field?
    private var text: [UInt8] = []
    private var isTooLong = false
    /// The number of elements that have begun inside of a field, or inside of one that means
    /// nothing.
    private var nested = 0
    private var isSkipping = false
    private let url: String
    private var depth = 0
    /// The URLs that `xml:base` names in elements that have not ended, with the depths of these.
    private var bases: [(depth: Int, url: String)] = []

    /// `url` is where the document is.
    init(at url: String) { self.url = url }

    var wantsText: Bool { field != nil }

    func removeEntries() -> [FeedEntry] {
        defer { entries = [] }
        return entries
    }

    // MARK: Elements

    func begin(_ element: XMLElement) throws(FeedError) {
        depth += 1
        if let base = element["xml:base"].flatMap({ resolved($0) }) {
            bases.append((depth, base))
        }
        guard field == nil, !isSkipping else { return nested += 1 }
        let name = Self.plain(element.name)
        switch context {
        case .start: try beginRoot(name)
        case .root: beginInRoot(name)
        case .feed: beginInFeed(name, element)
        case .hours: name == "hour" ? beginField(.hour) : skip()
        case .days: name == "day" ? beginField(.day) : skip()
        case .entry: beginInEntry(name, element)
        case .end: skip()
        }
    }

    func add(_ text: Span<UInt8>) {
        guard self.text.count + text.count <= Self.fieldLimit * 4 else { return isTooLong = true }
        self.text.append(contentsOf: text)
    }

    func end(_ element: XMLElement) {
        if bases.last?.depth == depth { bases.removeLast() }
        depth -= 1
        if nested > 0 { return nested -= 1 }
        if isSkipping { return isSkipping = false }
        if let field {
            self.field = nil
            return store(field)
        }
        switch context {
        case .hours, .days: context = .feed
        case .entry: endEntry()
        case .feed where !isAtom: context = .root
        default: context = .end
        }
    }

    private func skip() { isSkipping = true }

    private func beginField(_ new: Field) {
        field = new
        text.removeAll(keepingCapacity: true)
        isTooLong = false
    }

    private func beginRoot(_ name: String) throws(FeedError) {
        switch name.lowercased() {
        case "rss", "rdf:rdf": context = .root
        case "feed":
            isAtom = true
            context = .feed
        case "html": throw .webPage
        default: throw FeedError(.notFeed, "It is not a feed: Its root element is \(name)")
        }
    }

    private func beginInRoot(_ name: String) {
        switch name {
        case "channel": context = .feed
        // RSS 1.0 has its entries beside the channel.
        case "item": beginEntry()
        default: skip()
        }
    }

    private func beginInFeed(_ name: String, _ element: XMLElement) {
        switch name {
        case "item" where !isAtom, "entry" where isAtom: beginEntry()
        case "title" where head.title == nil: beginField(.title)
        case "link" where isAtom:
            if Self.relation(element) == "alternate" { head.link = element["href"] }
            skip()
        case "link" where head.link == nil: beginField(.link)
        case "ttl": beginField(.minutesToLive)
        case "itunes:new-feed-url": beginField(.newURL)
        case "skipHours": context = .hours
        case "skipDays": context = .days
        default: skip()
        }
    }

    private func beginInEntry(_ name: String, _ element: XMLElement) {
        switch name {
        case "guid", "id": beginField(.entryGUID)
        case "title" where entry.title == nil: beginField(.entryTitle)
        case "pubDate", "published", "dc:date": beginField(.published)
        case "updated": beginField(.updated)
        case "itunes:duration": beginField(.duration)
        case "enclosure", "media:content":
            addEnclosure(element["url"], element)
            skip()
        case "link", "atom:link":
            guard element["href"] != nil else { return beginField(.entryLink) }
            beginLink(Self.relation(element), element)
        default: skip()
        }
    }

    private func beginLink(_ relation: String, _ element: XMLElement) {
        switch relation {
        case "enclosure": addEnclosure(element["href"], element)
        case "alternate": entry.link = element["href"]
        default: break
        }
        skip()
    }

    private static func relation(_ element: XMLElement) -> String {
        element["rel"]?.lowercased() ?? "alternate"
    }

    /// The name with the prefixes that mean nothing taken off.
    private static func plain(_ name: String) -> String {
        if name.hasPrefix("atom:"), name != "atom:link" { return String(name.dropFirst(5)) }
        return name
    }

    // MARK: Entries

    private func beginEntry() {
        parent = context
        context = .entry
        entry = FeedEntry()
        updated = nil
    }

    private func endEntry() {
        context = parent
        entry.published = entry.published ?? updated
        guard entry.key != nil, entryCount < FeedReader.entryLimit else { return }
        entryCount += 1
        entries.append(entry)
    }

    private func addEnclosure(_ url: String?, _ element: XMLElement) {
        guard let url = url.flatMap({ resolved($0) }), url.utf8.count <= Self.fieldLimit,
            entry.enclosures.count < Self.enclosureLimit,
            !entry.enclosures.contains(where: { $0.url == url })
        else { return }
        let type = element["type"].map { FeedText.trimmed($0.prefix { $0 != ";" }).lowercased() }
        let length = element["length"].flatMap { Int64(FeedText.trimmed($0)) }
        entry.enclosures.append(
            Enclosure(
                url: url, type: type.flatMap { $0.isEmpty ? nil : $0 },
                length: length.flatMap { $0 > 0 ? $0 : nil }))
    }

    /// The absolute URL that a reference means here.
    private func resolved(_ reference: String) -> String? {
        FeedText.resolved(FeedText.trimmed(reference), at: bases.last?.url ?? url)
    }

    // MARK: Fields

    private func store(_ field: Field) {
        let value = FeedText.trimmed(String(decoding: text, as: UTF8.self))
        let isTitle = field == .title || field == .entryTitle
        guard !value.isEmpty, isTitle || !isTooLong && value.utf8.count <= Self.fieldLimit else {
            return
        }
        switch field {
        case .title: head.title = FeedText.title(value, limit: Self.titleLimit)
        case .link: head.link = value
        case .minutesToLive:
            head.minutesToLive = Double(value).flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
        case .newURL: head.newURL = FeedText.isWebURL(value) ? FeedText.escaped(value) : nil
        case .hour:
            // Midnight is 24 in old feeds.
            if let hour = Int(value), 0...24 ~= hour { head.skippedHours |= 1 << (hour % 24) }
        case .day:
            if let day = DateScanner.weekday(value) { head.skippedDays |= 1 << day }
        case .entryGUID: entry.guid = value
        case .entryTitle: entry.title = FeedText.title(value, limit: Self.titleLimit)
        case .entryLink: entry.link = value
        case .published: entry.published = date(value) ?? entry.published
        case .updated: updated = date(value) ?? updated
        case .duration: entry.duration = FeedText.duration(value)
        }
    }

    private func date(_ text: String) -> Double? { CalendarDate(feed: text)?.secondsSince1970 }
}

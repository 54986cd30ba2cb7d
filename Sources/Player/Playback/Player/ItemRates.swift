/// The playback rates that a listener has chosen: for each podcast, and for all other items by their
/// length. So music does not play at the rate of the podcast before it.
package struct ItemRates: Hashable, Sendable {
    /// The kind of items that a rate is chosen for.
    package enum Kind: Hashable, Sendable {
        /// Items of less than 20 minutes, and live streams.
        case short
        /// Items of 20 minutes or more, such as audiobooks.
        case long
        /// The episodes of a feed.
        case feed(Int)
    }

    private var rates: [Kind: Double] = [:]

    package init() {}

    /// The rate of a kind of items. Until one is chosen for a feed, it has that of long items.
    package subscript(kind: Kind) -> Double {
        get {
            if let rate = rates[kind] { return rate }
            if case .feed = kind { return rates[.long] ?? 1 }
            return 1
        }
        set { rates[kind] = newValue }
    }
}

extension ItemRates {
    /// The rates as they are kept, such as `long 1.5, feed 3 1.25`; nil if none was chosen.
    package var text: String? {
        guard !rates.isEmpty else { return nil }
        return rates.map { "\($0.key.text) \($0.value)" }.sorted().joined(separator: ", ")
    }

    /// Reads `text`. What is not understood is left out.
    package init(text: String?) {
        for entry in text?.split(separator: ",") ?? [] {
            let words = entry.split(separator: " ")
            guard let rate = words.last.flatMap({ Double($0) }), 0.5...2 ~= rate,
                let kind = Kind(words.dropLast())
            else { continue }
            rates[kind] = rate
        }
    }
}

extension ItemRates.Kind {
    fileprivate var text: String {
        switch self {
        case .short: "short"
        case .long: "long"
        case .feed(let number): "feed \(number)"
        }
    }

    fileprivate init?(_ words: ArraySlice<Substring>) {
        switch (words.first, words.count) {
        case ("short", 1): self = .short
        case ("long", 1): self = .long
        case ("feed", 2):
            guard let number = words.last.flatMap({ Int($0) }) else { return nil }
            self = .feed(number)
        default: return nil
        }
    }
}

/// Finds the rate at which an item plays.
struct RateChooser: Sendable {
    /// A rate that was chosen for an item of which the kind is not known until its file is opened.
    struct Choice: Equatable {
        /// The item; nil for the next one to become current.
        var item: ItemID?
        var rate: Double
    }

    var rates: ItemRates
    var choice: Choice?
    let memory: any FileMemory

    /// The rate of an item, as far as its kind is known.
    func rate(of item: QueueItem) -> Double {
        if let choice, choice.item ?? item.id == item.id { return choice.rate }
        return rates[kind(of: item) ?? .short]
    }

    /// The kind of an item; nil as long as its length is not known, from its file or a playlist.
    func kind(of item: QueueItem) -> ItemRates.Kind? {
        if let feed = memory.feed(of: item.source.path) { return .feed(feed) }
        let whole = item.facts?.duration?.seconds
        guard let end = item.exactEnd?.seconds ?? whole else {
            if item.facts?.isFromFile == true { return .short }
            guard let left = memory.resumePosition(of: item.source.path) else { return nil }
            return ResumePolicy.isLong(left.duration) ? .long : .short
        }
        return ResumePolicy.isLong(end - item.start.seconds) ? .long : .short
    }
}

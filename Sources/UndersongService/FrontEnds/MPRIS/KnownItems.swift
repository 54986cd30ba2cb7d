import AudioSession
import Playback

/// What is known of items beside what the queue has: tags, and pictures.
struct KnownItems {
    private struct Facts {
        var tags: [String: String] = [:]
        var artURL: String?
        /// Whether its file was looked at for that.
        var isLookedUp = false
    }

    private var facts: [ItemID: Facts] = [:]

    /// The item's tags by lower-case names.
    func tags(of item: ItemID) -> [String: String] { facts[item]?.tags ?? [:] }

    /// The URL of its picture.
    func artURL(of item: ItemID) -> String? { facts[item]?.artURL }

    /// Takes in what the player knows, and forgets items that are not shown any more.
    mutating func update(_ report: SessionReport, _ page: QueuePage) {
        let shown = Set(page.items.map(\.id) + (report.current.map { [$0.id] } ?? []))
        facts = facts.filter { shown.contains($0.key) }
        for (id, description) in report.descriptions where shown.contains(id) {
            facts[id, default: Facts()].tags = description.tags
        }
    }

    /// Whether the file of `item` is to be looked at; it is from now on.
    mutating func begin(_ item: QueueItem) -> Bool {
        guard facts[item.id]?.isLookedUp != true else { return false }
        facts[item.id, default: Facts()].isLookedUp = true
        return true
    }

    /// Takes in what the file of `item` says. Returns whether that is something new.
    mutating func complete(
        _ item: QueueItem, _ tags: [String: String], artURL: String?
    ) -> Bool {
        guard var known = facts[item.id] else { return false }
        let isNew = known.artURL != artURL || known.tags.isEmpty && !tags.isEmpty
        known.artURL = artURL
        if known.tags.isEmpty { known.tags = tags }
        facts[item.id] = known
        return isNew
    }
}

import UndersongAudioSession
import UndersongPlayback

/// Facts about items besides the queue's own: tags and pictures.
struct KnownItems {
    private struct Facts {
        var tags: [String: String] = [:]
        var artURL: String?
        /// True if its file has been read for that.
        var isLookedUp = false
    }

    private var facts: [ItemID: Facts] = [:]

    /// The item's tags by lower-case names.
    func tags(of item: ItemID) -> [String: String] { facts[item]?.tags ?? [:] }

    /// The URL of the item's picture.
    func artURL(of item: ItemID) -> String? { facts[item]?.artURL }

    /// Adds what the player knows, and forgets items that are no longer shown.
    mutating func update(_ report: SessionReport, _ page: QueuePage) {
        let shown = Set(page.items.map(\.id) + (report.current.map { [$0.id] } ?? []))
        facts = facts.filter { shown.contains($0.key) }
        for (id, description) in report.descriptions where shown.contains(id) {
            facts[id, default: Facts()].tags = description.tags
        }
    }

    /// Returns true if the file of `item` still has to be read; it counts as read from now on.
    mutating func begin(_ item: QueueItem) -> Bool {
        guard facts[item.id]?.isLookedUp != true else { return false }
        facts[item.id, default: Facts()].isLookedUp = true
        return true
    }

    /// Adds what the file of `item` contains. Returns whether anything is new.
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

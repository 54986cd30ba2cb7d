import UndersongPlayback

/// The queue as clients see it: positions in play order, and when what is at each of them changed.
struct MPDQueue {
    /// The version, which grows with every change.
    private(set) var version = 1
    /// The items in play order.
    private(set) var ids: [ItemID] = []
    /// The version since which each position has what it has.
    private var versions: [Int32] = []
    /// The priorities that clients have given; 0 for the others.
    private var priorities: [ItemID: Int] = [:]
    /// The tags that clients have given to streams.
    private var tags: [ItemID: [MPDTag: [String]]] = [:]

    /// The number of items.
    var count: Int { ids.count }

    /// Follows the order of the queue.
    mutating func update(_ new: [ItemID]) {
        guard new != ids else { return }
        advance()
        let stamp = Int32(version)
        versions = new.indices.map { index in
            index < ids.count && ids[index] == new[index] ? versions[index] : stamp
        }
        ids = new
        guard !priorities.isEmpty || !tags.isEmpty else { return }
        let known = Set(new)
        priorities = priorities.filter { known.contains($0.key) }
        tags = tags.filter { known.contains($0.key) }
    }

    /// Notes that more is known of items; of all for nil.
    mutating func touch(_ items: Set<ItemID>? = nil) {
        let touched = ids.indices.filter { items?.contains(ids[$0]) ?? true }
        guard !touched.isEmpty else { return }
        advance()
        for index in touched { versions[index] = Int32(version) }
    }

    /// The positions that have changed since `version`, within `range`. All have if the version is
    /// not one of this queue's yet.
    func changes(since version: Int, in range: Range<Int>) -> [Int] {
        guard version <= self.version else { return Array(range) }
        return range.filter { Int(versions[$0]) > version }
    }

    /// The position of an item; nil if the queue does not have it.
    func position(of id: Int) -> Int? {
        guard let id = ItemID(exactly: id) else { return nil }
        return ids.firstIndex(of: id)
    }

    /// The item with a number, and its position.
    ///
    /// - Throws: The queue does not have it.
    func item(_ number: Int) throws(MPDError) -> (id: ItemID, position: Int) {
        guard let position = position(of: number) else { throw .noSuchSong }
        return (ids[position], position)
    }

    /// The positions of a range.
    ///
    /// - Throws: It begins after the end of the queue.
    func positions(_ range: MPDRange) throws(MPDError) -> Range<Int> {
        guard let positions = range.clipped(to: count) else { throw .badRange }
        return positions
    }

    /// The priority of an item, from 0 to 255.
    func priority(of id: ItemID) -> Int { priorities[id] ?? 0 }

    /// Gives items a priority.
    mutating func set(_ priority: Int, of items: [ItemID]) {
        for id in items { priorities[id] = priority == 0 ? nil : priority }
        touch(Set(items))
    }

    /// The tags that clients have given to an item.
    func tags(of id: ItemID) -> [MPDTag: [String]] { tags[id] ?? [:] }

    /// Gives an item a text of a tag.
    mutating func add(_ tag: MPDTag, _ text: String, to id: ItemID) {
        tags[id, default: [:]][tag, default: []].append(text)
        touch([id])
    }

    /// Removes the texts of a tag that clients have given to an item; all of them for nil.
    mutating func removeTag(_ tag: MPDTag?, of id: ItemID) {
        if let tag { tags[id]?[tag] = nil } else { tags[id] = nil }
        touch([id])
    }

    /// The order after positions were moved to `target`, the position of the first of them then.
    func moving(_ range: Range<Int>, to target: Int) -> [ItemID] {
        var order = ids
        let moved = Array(order[range])
        order.removeSubrange(range)
        order.insert(contentsOf: moved, at: target)
        return order
    }

    /// The order in which the items after `current` with a priority come first, the highest ones
    /// first of all, and the others stay as they are.
    func byPriority(after current: Int) -> [ItemID] {
        guard current < ids.count else { return ids }
        let rest = ids[(current + 1)...].enumerated().sorted { first, second in
            let (left, right) = (priority(of: first.element), priority(of: second.element))
            return left == right ? first.offset < second.offset : left > right
        }
        return ids[...current] + rest.map(\.element)
    }

    private mutating func advance() {
        version = version == Int(Int32.max) ? 1 : version + 1
    }
}

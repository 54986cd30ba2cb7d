/// The order of a queue's items. It stores only their ids, four bytes each, so that a million of
/// them take 4 MB. An edit moves the ids that follow; looking up a index that is not near the hint
/// is a linear search, which takes less than a millisecond for a million ids.
struct ItemList: Sendable {
    private(set) var ids: [ItemID] = []

    init(_ ids: [ItemID] = []) { self.ids = ids }

    var count: Int { ids.count }

    /// The index of `id`, looked for around `hint` first.
    func index(of id: ItemID, near hint: Int) -> Int? {
        let near = (hint - 1..<hint + 3).clamped(to: 0..<ids.count)
        for index in near where ids[index] == id { return index }
        return ids.firstIndex(of: id)
    }

    mutating func insert(_ new: [ItemID], at index: Int) { ids.insert(contentsOf: new, at: index) }

    mutating func remove(at index: Int) { ids.remove(at: index) }

    mutating func remove(_ id: ItemID) {
        if let index = ids.firstIndex(of: id) { ids.remove(at: index) }
    }

    mutating func remove(_ old: Set<ItemID>) { ids.removeAll(where: old.contains) }

    /// Moves the item at `index` so that it ends up at `target`.
    mutating func move(from index: Int, to target: Int) {
        ids.insert(ids.remove(at: index), at: target)
    }

    mutating func shuffle(from index: Int, using generator: inout some RandomNumberGenerator) {
        ids[index...].shuffle(using: &generator)
    }
}

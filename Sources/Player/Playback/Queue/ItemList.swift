/// The order of a queue's items. It stores only their ids, four bytes each, so that a million of
/// them take 4 MB. An edit moves the ids that follow; looking up a place that is not near the hint
/// is a linear search, which takes less than a millisecond for a million ids.
struct ItemList: Sendable {
    private(set) var ids: [ItemID] = []

    init(_ ids: [ItemID] = []) { self.ids = ids }

    var count: Int { ids.count }

    /// The place of `id`, looked for around `hint` first.
    func place(of id: ItemID, near hint: Int) -> Int? {
        let near = (hint - 1..<hint + 3).clamped(to: 0..<ids.count)
        for place in near where ids[place] == id { return place }
        return ids.firstIndex(of: id)
    }

    mutating func insert(_ new: [ItemID], at place: Int) { ids.insert(contentsOf: new, at: place) }

    mutating func remove(at place: Int) { ids.remove(at: place) }

    mutating func remove(_ id: ItemID) {
        if let place = ids.firstIndex(of: id) { ids.remove(at: place) }
    }

    mutating func remove(_ old: Set<ItemID>) { ids.removeAll(where: old.contains) }

    /// Moves the item at `place` so that it ends up at `target`.
    mutating func move(from place: Int, to target: Int) {
        ids.insert(ids.remove(at: place), at: target)
    }

    mutating func shuffle(from place: Int, using generator: inout some RandomNumberGenerator) {
        ids[place...].shuffle(using: &generator)
    }
}

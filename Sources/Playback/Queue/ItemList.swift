/// The order of a queue's items. It holds their ids only, four bytes each, so that a million of them
/// are 4 MB: an edit moves the ids behind it, and a place that is not where it was looked for last
/// is found by going through them, which takes less than a millisecond for a million.
struct ItemList: Sendable {
    private(set) var ids: [ItemID] = []

    init(_ ids: [ItemID] = []) { self.ids = ids }

    var count: Int { ids.count }

    /// Where `id` stands; it is looked for around `hint` first.
    func place(of id: ItemID, near hint: Int) -> Int? {
        for place in max(0, hint - 1)..<max(0, min(hint + 3, ids.count)) where ids[place] == id {
            return place
        }
        return ids.firstIndex(of: id)
    }

    mutating func insert(_ new: [ItemID], at place: Int) { ids.insert(contentsOf: new, at: place) }

    mutating func remove(at place: Int) { ids.remove(at: place) }

    mutating func remove(_ id: ItemID) {
        if let place = ids.firstIndex(of: id) { ids.remove(at: place) }
    }

    mutating func remove(_ old: Set<ItemID>) { ids.removeAll(where: old.contains) }

    /// Takes the item at `place` out and puts it back so that it stands at `target`.
    mutating func move(from place: Int, to target: Int) {
        ids.insert(ids.remove(at: place), at: target)
    }

    mutating func shuffle(from place: Int, using generator: inout some RandomNumberGenerator) {
        ids[place...].shuffle(using: &generator)
    }
}

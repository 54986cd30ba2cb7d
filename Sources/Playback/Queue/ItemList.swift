/// Holds items in an order and finds their places by id in constant time.
///
/// An edit numbers anew only the items between it and the nearer end: adding at the end costs only
/// what is added, and so does taking the first one away, but for moving the memory behind it.
struct ItemList: Sendable {
    private(set) var items: [QueueItem] = []
    /// Each item's place plus `origin`.
    private var numbers: [ItemID: Int] = [:]
    private var origin = 0

    func place(of id: ItemID) -> Int? { numbers[id].map { $0 - origin } }

    mutating func insert(_ new: [QueueItem], at place: Int) {
        let isNearFront = place < items.count - place
        items.insert(contentsOf: new, at: place)
        if isNearFront {
            origin -= new.count
            number(0..<place + new.count)
        } else {
            number(place..<items.count)
        }
    }

    mutating func remove(at place: Int) {
        numbers[items.remove(at: place).id] = nil
        if place < items.count - place {
            origin += 1
            number(0..<place)
        } else {
            number(place..<items.count)
        }
    }

    /// Takes the item at `place` out and puts it back so that it stands at `target`.
    mutating func move(from place: Int, to target: Int) {
        items.insert(items.remove(at: place), at: target)
        number(min(place, target)..<max(place, target) + 1)
    }

    mutating func shuffle(from place: Int, using generator: inout some RandomNumberGenerator) {
        items[place...].shuffle(using: &generator)
        number(place..<items.count)
    }

    /// Brings the items into the order of `ids`, which must be all of theirs.
    mutating func arrange(_ ids: [ItemID]) {
        items = ids.compactMap { id in place(of: id).map { items[$0] } }
        number(0..<items.count)
    }

    mutating func update(at place: Int, _ change: (inout QueueItem) -> Void) {
        change(&items[place])
    }

    private mutating func number(_ places: Range<Int>) {
        for place in places { numbers[items[place].id] = origin + place }
    }
}

import UndersongPlayback

/// Values that items are sorted by.
extension QueueSortKey {
    /// The value by which an item is compared.
    struct Value: Sendable {
        /// Folded for `NaturalOrder`.
        var text: [UInt8] = []
        var seconds = 0.0
    }

    /// The item's value; nil if it has none.
    func value(of item: QueueItem) -> Value? {
        switch self {
        case .path:
            Value(
                text: NaturalOrder.folded(item.source.path.bytes), seconds: item.start.seconds)
        case .title: Value(text: NaturalOrder.folded(Array(item.displayTitle.utf8)))
        case .artist: item.facts?.artist.map { Self.value($0, item.facts?.album ?? "") }
        case .album:
            item.facts?.album.map { Self.value($0, item.source.path.description) }
        case .length:
            (item.end ?? item.facts?.duration).map {
                Value(seconds: $0.seconds - item.start.seconds)
            }
        }
    }

    /// A value that is compared by `second` where `first` is alike.
    private static func value(_ first: String, _ second: String) -> Value {
        let separator: [UInt8] = [0]
        return Value(
            text: NaturalOrder.folded(Array(first.utf8)) + separator
                + NaturalOrder.folded(Array(second.utf8)))
    }

    /// The items in the order of their values.
    func sorted(_ ids: [ItemID], _ values: [ItemID: Value]) -> [ItemID] {
        let known = ids.enumerated().compactMap { place, id in
            values[id].map { (id: id, place: place, value: $0) }
        }
        let sorted = known.sorted { first, second in
            if let isFirst = NaturalOrder.precedes(first.value.text[...], second.value.text[...]) {
                return isFirst
            }
            return (first.value.seconds, first.place) < (second.value.seconds, second.place)
        }
        return sorted.map(\.id) + ids.filter { values[$0] == nil }
    }
}

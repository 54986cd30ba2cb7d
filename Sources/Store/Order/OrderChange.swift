import Playback

/// How one order becomes another, and back: a row of the journal. The way there may be left out,
/// when the whole order is written at the same time.
struct OrderChange: Equatable {
    /// The patches of both lists in one direction, and what the order is like at its end.
    struct Way: Equatable {
        var ids: ListPatch
        var original: ListPatch
        /// Whether there is an original order at its end.
        var hasOriginal: Bool
    }

    var forward: Way
    var backward: Way

    /// Nil when both are of the same items in the same order.
    init?(from old: QueueOrder, to new: QueueOrder) {
        let ids = ListDifference(from: old.ids, to: new.ids)
        let original = ListDifference(from: old.original ?? [], to: new.original ?? [])
        let isSame = (old.original == nil) == (new.original == nil)
        guard !(ids.isEmpty && original.isEmpty && isSame) else { return nil }
        forward = Way(
            ids: ids.forward, original: original.forward, hasOriginal: new.original != nil)
        backward = Way(
            ids: ids.backward, original: original.backward, hasOriginal: old.original != nil)
    }
}

extension OrderChange.Way {
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(hasOriginal ? 1 : 0)
        ids.write(to: &writer)
        original.write(to: &writer)
        return writer.bytes
    }

    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let flag = reader.number(), let ids = ListPatch(from: &reader),
            let original = ListPatch(from: &reader), reader.isAtEnd
        else { return nil }
        self.init(ids: ids, original: original, hasOriginal: flag == 1)
    }
}

/// An order while many changes are made to it.
struct PartedOrder {
    var ids: PartedList
    var original: PartedList?

    init(_ order: QueueOrder) {
        ids = PartedList(order.ids)
        original = order.original.map { PartedList($0) }
    }

    init(ids: PartedList, original: PartedList?) {
        self.ids = ids
        self.original = original
    }

    /// Whether the change is one for this order: if not, the order is of no more use. Hands the ids
    /// that it drops from the play order to `dropped`.
    mutating func apply(
        _ way: OrderChange.Way, dropped: (ArraySlice<ItemID>) -> Void = { _ in }
    ) -> Bool {
        var other = original ?? PartedList()
        guard ids.apply(way.ids, dropped: dropped), other.apply(way.original) else { return false }
        original = way.hasOriginal ? other : nil
        return true
    }

    func order(current: ItemID?) -> QueueOrder {
        QueueOrder(ids: ids.ids, original: original?.ids, current: current)
    }
}

import Playback

/// What the file holds: the record, and where in the journal that is.
struct DurableState {
    private(set) var record = PlayerRecord()
    var state = StoredState()
    private(set) var journal = Journal()

    /// Takes a record over, but for its order's place in the journal.
    mutating func take(_ record: PlayerRecord) {
        self.record = record
        state.current = record.order.current
        state.position = record.position.isRational ? record.position : .zero
        state.wantsPlayback = record.wantsPlayback
        state.settings = record.settings
    }

    /// Whether nothing was ever kept.
    var isNew: Bool { state == StoredState() }

    // MARK: Writing

    /// Writes the change that has led here from `old`.
    mutating func write(
        _ change: OrderChange?, _ kind: ChangeRow.Kind, _ name: String?, from old: DurableState,
        to db: Database
    ) throws {
        guard change != nil || kind == .undo else { return }
        let change = change ?? OrderChange(unchanged: record.order)
        // A change as large as the order: the whole order takes no more room.
        let size = change.forward.ids.size + change.forward.original.size
        let isLarge = size > max(1 << 14, record.order.ids.count / 2)
        state.sequence += 1
        state.token = .random(in: .min ... .max)
        let row = ChangeRow(
            sequence: state.sequence, token: state.token, previous: old.state.token, kind: kind,
            name: name, undoes: kind == .undo ? journal.lastEdit : nil,
            forward: isLarge ? nil : change.forward.bytes, backward: change.backward.bytes,
            current: old.state.current, position: old.state.position)
        try ChangeTable(db: db).write(row)
        journal.add(row)
        if isLarge { try writeOrder(to: db) }
    }

    /// Writes everything into a file that has nothing.
    mutating func start(with record: PlayerRecord, lastNumber: Int, in db: Database) throws {
        take(record)
        state.sequence = 1
        state.token = .random(in: .min ... .max)
        state.lastNumber = lastNumber
        state.hasGarbage = true
        try writeOrder(to: db)
        try StateTable(db: db).write(state)
    }

    /// Writes the whole order.
    mutating func writeOrder(to db: Database) throws {
        let size = try OrderTable(db: db).write(
            record.order, sequence: state.sequence, token: state.token)
        journal.didWriteSnapshot(at: state.sequence, size: size)
    }

    mutating func didRemoveChanges(before sequence: Int) { journal.didRemove(before: sequence) }

    // MARK: Reading

    /// What the file holds; an empty record when it is new. Errors: it is damaged.
    static func read(_ db: Database) throws -> DurableState {
        var durable = DurableState()
        guard let state = try StateTable(db: db).read() else {
            guard try ItemTable(db: db).highestNumber() == 0 else { throw OrderTable.damage }
            return durable
        }
        durable.state = state
        var order = PartedOrder(QueueOrder())
        var place = (sequence: 0, token: Int64(0))
        if let whole = try OrderTable(db: db).read() {
            order = whole.order
            place = (whole.sequence, whole.token)
            durable.journal.didWriteSnapshot(at: whole.sequence, size: whole.size)
        }
        try ChangeTable(db: db).read(from: 0) { row in
            if row.sequence > durable.journal.snapshot.sequence {
                guard row.sequence == place.sequence + 1, row.previous == place.token,
                    let forward = row.forward.flatMap(OrderChange.Way.init), order.apply(forward)
                else { throw OrderTable.damage }
                place = (row.sequence, row.token)
            }
            durable.journal.add(row)
        }
        guard place == (state.sequence, state.token) else { throw OrderTable.damage }
        durable.state.lastNumber = max(state.lastNumber, try ItemTable(db: db).highestNumber())
        durable.record = PlayerRecord(
            order: order.order(current: state.current), position: state.position,
            wantsPlayback: state.wantsPlayback, settings: state.settings)
        return durable
    }

    /// What the order was before the last edit that can be taken back, without what was consumed
    /// since: what has gone from it by no edit. Errors: that cannot be read.
    func beforeLastEdit(_ db: Database) throws -> (order: QueueOrder, position: CMTime)? {
        guard let edit = journal.lastEdit else { return nil }
        var order = PartedOrder(record.order)
        var consumed = ItemSet()
        var before: (current: ItemID?, position: CMTime) = (nil, .zero)
        try ChangeTable(db: db).read(from: edit, isBackward: true) { row in
            guard let backward = OrderChange.Way(row.backward) else { throw OrderTable.damage }
            var added = ItemSet()
            guard order.apply(backward, dropped: { added.insert($0) }) else {
                throw OrderTable.damage
            }
            if row.kind == .keep {
                consumed.insert(backward.ids.inserted.lazy.filter { !added.contains($0) })
            }
            before = (row.current, row.position)
        }
        let whole = order.order(current: before.current)
        guard !consumed.isEmpty else { return (whole, before.position) }
        consumed.remove(record.order.ids)
        return whole.without(consumed, at: before.position)
    }
}

extension OrderChange {
    /// The change that leaves an order as it is.
    fileprivate init(unchanged order: QueueOrder) {
        forward = Way(ids: ListPatch(), original: ListPatch(), hasOriginal: order.original != nil)
        backward = forward
    }
}

extension QueueOrder {
    /// The order without some of its items; when the current one is among them, the one behind it
    /// becomes current, from its beginning.
    fileprivate func without(
        _ consumed: ItemSet, at position: CMTime
    ) -> (order: QueueOrder, position: CMTime) {
        var order = QueueOrder(
            ids: ids.filter { !consumed.contains($0) },
            original: original?.filter { !consumed.contains($0) }, current: current)
        guard let current, consumed.contains(current), let place = ids.firstIndex(of: current)
        else {
            return (order, position)
        }
        order.current = ids[place...].first { !consumed.contains($0) }
        return (order, .zero)
    }
}

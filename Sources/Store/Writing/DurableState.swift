import Playback

/// The contents of the file: the record, and which edits can be undone.
struct DurableState {
    /// How many edits can be undone.
    private static let editLimit = 20

    private(set) var record = PlayerRecord()
    var state = StoredState()
    /// The changes that can be undone, latest last.
    private(set) var edits: [Int] = []

    init() {}

    init(_ state: StoredState, _ order: QueueOrder, edits: [Int] = [], highestNumber: Int) {
        self.state = state
        self.edits = edits
        self.state.lastNumber = max(state.lastNumber, highestNumber)
        var order = order
        order.current = state.current
        record = PlayerRecord(
            order: order, position: state.position, wantsPlayback: state.wantsPlayback,
            settings: state.settings)
    }

    /// Replaces the record, except for the rows of its order.
    mutating func take(_ record: PlayerRecord) {
        self.record = record
        state.isShuffled = record.order.original != nil
        state.current = record.order.current
        state.position = record.position.isRational ? record.position : .zero
        state.wantsPlayback = record.wantsPlayback
        state.settings = record.settings
    }

    /// Whether nothing has ever been kept.
    var isNew: Bool { state == StoredState() }

    /// The state in the file; nil if nothing has ever been kept.
    var written: StoredState? { isNew ? nil : state }

    // MARK: Writing

    /// What a record is written for.
    enum Change { case keep, edit, undo }

    /// What a change of the order leaves unused.
    struct Leftovers {
        /// Items that may have left the queue for good.
        var items: [ItemID] = []
        /// Whether an edit can no longer be undone.
        var hasLostEdit = false
        /// How many rows were added to the past.
        var past = 0
    }

    /// Writes the change of the order from `old` to the current one.
    mutating func writeOrder(
        _ change: Change, from old: DurableState, to db: Database
    ) throws -> Leftovers {
        let (before, after) = (old.record.order, record.order)
        let isSame = before.ids == after.ids && before.original == after.original
        guard !isSame || change == .undo else { return Leftovers() }
        state.sequence += 1
        let hasLostEdit = try writeEdit(change, from: old, to: db)
        var writer = OrderWriter(
            db, sequence: state.sequence, lastEdit: edits.last ?? 0, consumes: change == .keep,
            total: state.total)
        if !isSame { try writer.write(after, after: before) }
        state.total = writer.total
        return Leftovers(
            items: writer.unnamed, hasLostEdit: hasLostEdit, past: writer.kept)
    }

    private mutating func writeEdit(
        _ change: Change, from old: DurableState, to db: Database
    ) throws -> Bool {
        let table = EditTable(db: db)
        switch change {
        case .keep: return false
        case .edit:
            let current = old.record.order.current
            try table.write(
                EditRow(
                    sequence: state.sequence, current: current,
                    place: current.flatMap { try EntryTable(db: db).row($0)?.place },
                    position: old.state.position, isShuffled: old.state.isShuffled))
            edits.append(state.sequence)
            guard edits.count > Self.editLimit else { return false }
            try table.remove(edits.removeFirst())
            return true
        case .undo:
            guard let edit = edits.popLast() else { return false }
            try table.remove(edit)
            return true
        }
    }

    /// Forgets the earliest of the undoable edits.
    mutating func forgetEdit(in db: Database) throws {
        if !edits.isEmpty { try EditTable(db: db).remove(edits.removeFirst()) }
    }

    /// Writes everything into an empty file.
    mutating func start(with record: PlayerRecord, lastNumber: Int, in db: Database) throws {
        take(record)
        state.lastNumber = lastNumber
        state.hasGarbage = true
        _ = try writeOrder(.keep, from: DurableState(), to: db)
        try StateTable(db: db).write(state, inPlaceOf: nil)
    }

    // MARK: Reading

    /// Reads the contents of the file; an empty record if it is new. Errors: it is damaged.
    static func read(_ db: Database) throws -> DurableState {
        guard try Schema.version(of: db) == Schema.version else {
            return try EarlierFile(db: db).read()
        }
        let highest = try ItemTable(db: db).highestNumber()
        guard let state = try StateTable(db: db).read() else {
            guard highest == 0 else { throw EntryTable.damage }
            return DurableState()
        }
        let (order, total) = try EntryTable(db: db).order(isShuffled: state.isShuffled)
        guard total == state.total else { throw EntryTable.damage }
        return DurableState(
            state, order, edits: try EditTable(db: db).sequences(), highestNumber: highest)
    }

    /// The order before the last undoable edit, without what has been consumed since or left the
    /// queue other than by an edit. Errors: it cannot be read.
    func beforeLastEdit(_ db: Database) throws -> (order: QueueOrder, position: CMTime)? {
        guard let edit = edits.last else { return nil }
        let row = try EditTable(db: db).row(edit)
        var places = try EntryTable(db: db).order(before: edit, isShuffled: row.isShuffled)
        var order = places.order
        guard let current = row.current, let place = row.place else { return (order, row.position) }
        // If the current item was consumed, the one after it is current, from its beginning.
        order.current = places.first(from: place)
        return (order, order.current == current ? row.position : .zero)
    }
}

import UndersongPlayback

/// Builds a new file from a damaged one, with whatever can be read from that.
struct Salvage {
    /// The losses besides the undo history, for people to read.
    private(set) var losses: [String] = []

    /// Nil if nothing can be read from it.
    private let old: Database?
    private let new: Database
    private var found = ItemSet()

    /// Reads as much as possible from the file in `folder`.
    ///
    /// - Throws: An error if the new file cannot be written.
    init(of folder: StoreFolder, to new: Database) throws {
        old = try? Database(folder.database, for: .salvage)
        self.new = new
        let whole = old.flatMap { try? DurableState.read($0) }
        let remains = old.flatMap { try? StateTable(db: $0).read() }
        let state = whole ?? remains?.state
        var order = whole?.record.order
        if order == nil, let old {
            let ids = OrderTable(db: old).readableOrder()
            if !ids.isEmpty || remains?.runsTotal == 0 { order = QueueOrder(ids: ids) }
        }
        try new.transaction(isDurable: true) {
            if try !carryItems() { try carryPages(of: folder) }
            try carryOthers()
            try writeRecord(order ?? QueueOrder(), state)
        }
        let gone = order?.ids.count { !found.contains($0) } ?? 0
        if let order, gone > 0 {
            losses.append("\(gone) of \(order.ids.count) items")
        } else if whole == nil {
            losses.append(order == nil ? "the queue" : "the last edits")
        }
        if state == nil { losses.append("the position and the settings") }
    }

    // MARK: Rows

    /// Carries over the items to which the page tree leads. Returns whether these are all.
    private mutating func carryItems() throws -> Bool {
        try old?.readRows(of: "SELECT * FROM items") { try carryItem($0) } ?? false
    }

    /// Carries over the items on pages to which the tree no longer leads: each becomes the only
    /// page of a table in a small database. These may include deleted rows, which are garbage like
    /// all that nothing names.
    private mutating func carryPages(of folder: StoreFolder) throws {
        let empty = try Database(":memory:", for: .peeking)
        try empty.execute(ItemTable.schema)
        let header = empty.image.prefix(4096)
        try folder.readPages { page in
            // The kind of a page with rows of a table.
            guard page[0] == 0x0d, let table = try? Database(image: header + page) else { return }
            _ = try table.readRows(of: "SELECT * FROM items") { try carryItem($0) }
        }
    }

    private mutating func carryItem(_ row: Statement) throws {
        guard let item = ItemTable.item(row), !found.contains(item.id) else { return }
        try ItemTable(db: new).write(CollectionOfOne(item))
        found.insert(CollectionOfOne(item.id))
    }

    private mutating func carryOthers() throws {
        guard let old else { return }
        for (table, name) in [
            ("positions", "positions in files"), ("history", "entries of the history"),
            ("analyses", "analyses"), ("episodes", "episodes"), ("records", "records"),
        ] {
            guard let lost = try new.carryRows(of: table, from: old) else { continue }
            losses.append("\(lost) \(name)")
        }
    }

    // MARK: The record

    private func writeRecord(_ order: QueueOrder, _ state: DurableState?) throws {
        var record = state?.record ?? PlayerRecord()
        // At the end of the queue nothing would play, though nobody asked for that.
        let isAtEnd = state.map { $0.record.order.current == nil } ?? false
        let current = record.order.current.flatMap { found.contains($0) ? $0 : nil }
        record.order = QueueOrder(
            ids: order.ids.filter(found.contains), original: order.original?.filter(found.contains))
        record.order.current = current ?? (isAtEnd ? nil : record.order.ids.first)
        if current == nil { record.position = .zero }
        var durable = DurableState()
        durable.hasGarbage = true
        // Higher ids may have been assigned and lost without a trace.
        let named = max(order.ids.max()?.number ?? 0, try ItemTable(db: new).highestNumber)
        durable.lastNumber =
            max(named, state?.lastNumber ?? 0) + (state == nil ? 1_000_000 : 0)
        _ = try durable.write(record, as: .keep, to: new)
    }
}

import Playback

/// Carries over into a new file what can still be read from a damaged one.
struct Salvage {
    /// What could not be carried over, for people to read.
    private(set) var lost = ""

    /// Nil if nothing can be read from it.
    private let old: Connection?
    private let new: Connection
    private var found = ItemSet()
    private var failures = 0

    /// Reads as much as possible from `old`. Errors: the new file cannot be written.
    init(from old: Connection?, in folder: StoreFolder, to new: Connection) throws {
        self.old = old
        self.new = new
        let whole = try? old?.read { try DurableState.read($0) }
        let state = try? old?.read { db in
            try Schema.version(of: db) == Schema.version
                ? StateTable(db: db).read() : EarlierFile(db: db).state()
        }
        let order = whole?.record.order ?? Self.order(old, state)
        try carryItems(upTo: Self.lastNumber(old, state, order))
        if failures > 0 || old == nil { try carryPages(of: folder) }
        try carryOthers()
        try writeRecord(order ?? QueueOrder(), state)
        describe(order, hasState: state != nil, isWhole: whole != nil)
    }

    // MARK: The order

    /// The entries whose rows can be read, or the order that an earlier version left; nil if
    /// nothing is left of it.
    private static func order(_ old: Connection?, _ state: StoredState?) -> QueueOrder? {
        let order = try? old?.read { db in
            guard try Schema.version(of: db) == Schema.version else {
                return try EarlierFile(db: db).order()
            }
            return EntryTable(db: db).readableOrder()
        }
        guard let order, !order.ids.isEmpty || state?.total.count == 0 else { return nil }
        return order
    }

    private static func lastNumber(
        _ old: Connection?, _ state: StoredState?, _ order: QueueOrder?
    ) -> Int {
        let rows = (try? old?.read { try ItemTable(db: $0).highestNumber() }) ?? 0
        let named = order.map { ($0.ids + ($0.original ?? [])).max()?.number ?? 0 } ?? 0
        return max(rows, named, state?.lastNumber ?? 0)
    }

    // MARK: Rows

    private mutating func carryItems(upTo last: Int) throws {
        // A range that cannot be read is split in halves, down to the damaged rows.
        var ranges = [0..<last + 1]
        while let range = ranges.popLast() {
            guard !range.isEmpty else { continue }
            let items = try? old?.read { try ItemTable(db: $0).items(in: range, limit: 4096) }
            if let items {
                try carry(items.items)
                if let next = items.next { ranges.append(next..<range.upperBound) }
            } else {
                failures += 1
                guard range.count > 1, failures < 10_000 else { continue }
                let middle = range.lowerBound + range.count / 2
                ranges += [middle..<range.upperBound, range.lowerBound..<middle]
            }
        }
    }

    /// Carries over the items on pages that the tree no longer leads to. These may include deleted
    /// rows, which are garbage like all that nothing names.
    private mutating func carryPages(of folder: StoreFolder) throws {
        var batch: [QueueItem] = []
        try folder.readPages { page in
            batch += RawPage.items(on: page).filter { !found.contains($0.id) }
            guard batch.count >= 4096 else { return }
            try carry(batch)
            batch = []
        }
        try carry(batch)
    }

    private mutating func carry(_ items: [QueueItem]) throws {
        try new.write(isDurable: false) { try ItemTable(db: $0).write(items) }
        found.insert(items.lazy.map(\.id))
    }

    private func carryOthers() throws {
        var positions: [(FilePath, ResumePoint)] = []
        _ = try? old?.read { db in
            try PositionTable(db: db).read { positions.append(($0, $1)) }
        }
        var history: [HistoryEntry] = []
        _ = try? old?.read { db in
            try HistoryTable(db: db).read {
                history.append($0)
                return true
            }
        }
        try new.write(isDurable: false) { db in
            for (path, position) in positions {
                try PositionTable(db: db).write(position, of: path)
            }
            for entry in history.reversed() { try HistoryTable(db: db).add(entry) }
        }
    }

    // MARK: The record

    private func writeRecord(_ order: QueueOrder, _ state: StoredState?) throws {
        var kept = order.keeping(found)
        let current = state?.current.flatMap { found.contains($0) ? $0 : nil }
        // At the end of the queue nothing would play, though nobody asked for that.
        let isAtEnd = state.map { $0.current == nil } ?? false
        kept.current = current ?? (isAtEnd ? nil : kept.ids.first)
        let position = current == nil ? CMTime.zero : state?.position ?? .zero
        let record = PlayerRecord(
            order: kept, position: position, wantsPlayback: state?.wantsPlayback ?? false,
            settings: state?.settings ?? PlayerSettings())
        var durable = DurableState()
        // Higher ids may have been assigned and lost without a trace.
        let last = Self.lastNumber(new, state, order) + (state == nil ? 1_000_000 : 0)
        try new.write(isDurable: true) { db in
            try durable.start(with: record, lastNumber: last, in: db)
        }
    }

    private mutating func describe(_ order: QueueOrder?, hasState: Bool, isWhole: Bool) {
        let ids = order?.ids ?? []
        let gone = ids.count { !found.contains($0) }
        var losses: [String] = []
        if order == nil {
            losses.append("the queue")
        } else if gone > 0 {
            losses.append("\(gone) of \(ids.count) items")
        } else if !isWhole {
            losses.append("the last edits")
        }
        if !hasState { losses.append("the position and the settings") }
        losses.append("the undo history")
        lost = losses.joined(separator: ", ")
    }
}

extension QueueOrder {
    fileprivate func keeping(_ items: ItemSet) -> QueueOrder {
        QueueOrder(
            ids: ids.filter(items.contains), original: original?.filter(items.contains))
    }
}

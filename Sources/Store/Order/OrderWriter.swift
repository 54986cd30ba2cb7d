import Playback

/// Applies one change of the order to the rows of the queue's entries.
struct OrderWriter {
    let table: EntryTable
    /// The number of the change.
    let sequence: Int
    /// The last edit that can be undone after the change; 0 for none. Rows that are older than it
    /// belong to an order that may be restored.
    let lastEdit: Int
    /// Whether the items that leave the queue were consumed, which no undo brings back.
    let consumes: Bool
    /// The total of all rows.
    private(set) var total: EntryTotal
    /// Items that left the queue and that no undo brings back.
    private(set) var unnamed: [ItemID] = []
    /// How many rows were kept in the past.
    private(set) var kept = 0

    /// The distance of neighbours' places in a new order, so that very many items fit between two.
    private static let distance: Int64 = 1 << 32
    /// How many neighbours on either side are moved if there is no room.
    private static let neighbours = 256

    init(
        _ db: Database, sequence: Int, lastEdit: Int, consumes: Bool, total: EntryTotal
    ) {
        table = EntryTable(db: db)
        self.sequence = sequence
        self.lastEdit = lastEdit
        self.consumes = consumes
        self.total = total
    }

    /// Writes the differences between `old` and `new`.
    mutating func write(_ new: QueueOrder, after old: QueueOrder) throws {
        let ids = ListDifference(from: old.ids, to: new.ids)
        let original = ListDifference(from: old.original ?? [], to: new.original ?? [])
        var inserted = ItemSet()
        for step in ids.steps { inserted.insert(new.ids[step.new]) }
        let gone = ids.steps.flatMap { old.ids[$0.old].filter { !inserted.contains($0) } }
        let isLarge = ids.count + original.count > max(1000, new.ids.count / 2)
        if isLarge || (old.original == nil) != (new.original == nil) {
            try rewrite(new, without: gone)
        } else if let places = try self.places(ids, old.ids, new.ids, \.place),
            let originals = try self.places(
                original, old.original ?? [], new.original ?? [], { $0.original ?? 0 })
        {
            try write(places, originals, without: gone)
        } else {
            try rewrite(new, without: gone)
        }
        if consumes { for id in gone { try table.forget(id) } }
    }

    // MARK: Some rows

    /// The places for the items that a step inserts; nil if there is no room.
    private func places(
        _ difference: ListDifference, _ old: [ItemID], _ new: [ItemID],
        _ place: (EntryRow) -> Int64
    ) throws -> [ItemID: Int64]? {
        var places: [ItemID: Int64] = [:]
        for step in difference.steps where !step.new.isEmpty {
            var step = step
            var found = try self.places(step, old, place)
            if found == nil, difference.steps.count == 1 {
                // Its neighbours move.
                let front = min(Self.neighbours, step.old.lowerBound)
                let end = min(Self.neighbours, old.count - step.old.upperBound)
                step.old = step.old.lowerBound - front..<step.old.upperBound + end
                step.new = step.new.lowerBound - front..<step.new.upperBound + end
                found = try self.places(step, old, place)
            }
            guard let found else { return nil }
            for (id, place) in zip(new[step.new], found) { places[id] = place }
        }
        return places
    }

    private func places(
        _ step: ListDifference.Step, _ old: [ItemID], _ place: (EntryRow) -> Int64
    ) throws -> [Int64]? {
        func neighbour(_ index: Int) throws -> Int64? {
            guard old.indices.contains(index) else { return nil }
            guard let row = try table.row(old[index]) else { throw EntryTable.damage }
            return place(row)
        }
        let count = Int64(step.new.count)
        let before = try neighbour(step.old.lowerBound - 1)
        let after = try neighbour(step.old.upperBound)
        var distance = Self.distance
        var start = before ?? 0
        if let after {
            if before == nil { start = after - distance * (count + 1) }
            distance = (after - start) / (count + 1)
        }
        guard distance > 0 else { return nil }
        return (1...count).map { start + distance * $0 }
    }

    private mutating func write(
        _ places: [ItemID: Int64], _ originals: [ItemID: Int64], without gone: [ItemID]
    ) throws {
        for id in gone {
            if let row = try table.row(id), try !end(row) { unnamed.append(id) }
            try table.remove(id)
        }
        for id in Set(places.keys).union(originals.keys) {
            let old = try table.row(id)
            guard let place = places[id] ?? old?.place else { throw EntryTable.damage }
            if let old { _ = try end(old) }
            let row = EntryRow(
                id: id, place: place, original: originals[id] ?? old?.original, since: sequence)
            try table.write(row)
            total.add(row)
        }
    }

    /// Ends the row's validity with this change. Returns whether it is kept in the past.
    private mutating func end(_ row: EntryRow) throws -> Bool {
        total.remove(row)
        guard row.since < lastEdit else { return false }
        try table.keep(row, until: sequence)
        kept += 1
        return !consumes
    }

    // MARK: All rows

    private mutating func rewrite(_ new: QueueOrder, without gone: [ItemID]) throws {
        if lastEdit > 0 { kept += try table.keepAll(before: lastEdit, until: sequence) }
        // Some of them may be kept; the search for garbage will find out.
        if consumes || kept < total.count { unnamed += gone }
        try table.removeAll()
        total = EntryTotal()
        // In the order of their ids, which is how the rows are stored.
        let places = Self.placesByID(new.ids)
        let originals = Self.placesByID(new.original ?? [])
        guard originals.isEmpty || originals.count == places.count else { throw EntryTable.damage }
        for (index, (id, place)) in places.enumerated() {
            let original = originals.isEmpty ? nil : originals[index].place
            let row = EntryRow(id: id, place: place, original: original, since: sequence)
            try table.write(row)
            total.add(row)
        }
    }

    private static func placesByID(_ ids: [ItemID]) -> [(id: ItemID, place: Int64)] {
        var places = zip(ids, 1...).map { (id: $0, place: Int64($1) * distance) }
        var isSorted = true
        for index in places.indices.dropFirst() where places[index - 1].id > places[index].id {
            isSorted = false
            break
        }
        if !isSorted { places.sort { $0.id < $1.id } }
        return places
    }
}

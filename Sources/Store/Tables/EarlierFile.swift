import Playback

/// A file of version 1 to 4, which stored the whole order of the queue at one change, in parts,
/// with a journal of later changes, and had a column for each setting.
struct EarlierFile {
    /// The settings of each version, in the order that its checksum covers them.
    private static let settings: [Int64: [String]] = [
        1: [
            "volume", "is_muted", "rate", "repeat_mode", "is_shuffled", "is_single", "is_consuming",
            "item_end_action", "replay_gain", "crossfade", "resumes_items", "skip_back",
        ],
        2: ["output_device", "unplug_policy", "mixing", "inhibits_sleep"],
        3: [],
        4: ["replay_gain_preamp"],
    ]

    private enum List: Int64 { case ids, original }

    /// The order's state at one change.
    private struct Place: Equatable {
        var sequence: Int
        var token: Int64
    }

    let db: Database

    /// The contents of the file, except for the undoable edits. Errors: it is damaged.
    func read() throws -> DurableState {
        guard let (state, place) = try placedState() else {
            guard try ItemTable(db: db).highestNumber() == 0 else { throw EntryTable.damage }
            return DurableState()
        }
        let (order, last) = try placedOrder()
        guard last == place else { throw EntryTable.damage }
        return DurableState(
            state, order, highestNumber: try ItemTable(db: db).highestNumber())
    }

    /// Removes the earlier tables, and brings those that remain to this version's schema.
    func removeTables(version: Int64) throws {
        for table in ["order_parts", "order_changes", "state", "grdb_migrations"] {
            try db.execute("DROP TABLE IF EXISTS \(table)")
        }
        guard version < 3 else { return }
        for column in [
            "tag_title TEXT", "duration_value INTEGER", "duration_timescale INTEGER",
            "is_duration_exact INTEGER",
        ] {
            try db.execute("ALTER TABLE items ADD COLUMN \(column)")
        }
    }

    // MARK: The state

    /// Nil if there is none. Errors: it is damaged.
    func state() throws -> StoredState? { try placedState()?.state }

    private func placedState() throws -> (state: StoredState, place: Place)? {
        let row = try db.statement("SELECT * FROM state WHERE id = 1")
        guard try row.next() else { return nil }
        defer { row.rewind() }
        var places: [String: Int32] = [:]
        for place in 0..<row.columnCount { places[row.name(place)] = place }
        func value<Value: SQLiteValue>(_ name: String) throws -> Value {
            guard let place = places[name] else { throw StateTable.damage }
            return row[place]
        }
        let timescale: Int = try value("position_timescale")
        guard let timescale = CMTimeScale(exactly: timescale) else { throw StateTable.damage }
        var state = try StoredState(
            current: value("current"),
            position: CMTime(value: value("position_value"), timescale: timescale),
            wantsPlayback: value("wants_playback"), lastNumber: value("last_number"),
            hasGarbage: value("has_garbage"))
        let place = try Place(sequence: value("sequence"), token: value("token"))
        var sum = Checksum()
        sum.add(Int64(place.sequence))
        sum.add(place.token)
        sum.add(state.current.map { Int64($0.number) })
        sum.add(state.position.value)
        sum.add(Int64(state.position.timescale))
        sum.add(state.wantsPlayback ? Int64(1) : 0)
        for version in 1...max(1, try Schema.version(of: db)) {
            for name in Self.settings[version] ?? [] {
                let stored: SettingValue? = try value(name)
                sum.add(stored)
                let setting = SettingTable.rows.first { $0.names.column.name == name }
                guard setting?.restore(stored, in: &state.settings) ?? true else {
                    throw StateTable.damage
                }
            }
            guard version == 1 else { continue }
            sum.add(Int64(state.lastNumber))
            sum.add(state.hasGarbage ? Int64(1) : 0)
        }
        guard try sum.value == value("checksum") else { throw StateTable.damage }
        return (state, place)
    }

    // MARK: The order

    /// The order, without a current item. Errors: it is damaged.
    func order() throws -> QueueOrder { try placedOrder().order }

    private func placedOrder() throws -> (order: QueueOrder, place: Place) {
        var (order, place) = try wholeOrder()
        let row = try db.statement(
            "SELECT * FROM order_changes WHERE sequence > ? ORDER BY sequence")
        row.bind(place.sequence)
        defer { row.rewind() }
        while try row.next() {
            guard row.changeChecksum == row[11], row[0] == place.sequence + 1,
                row[2] == place.token
            else { throw EntryTable.damage }
            var reader = ByteReader(row[6])
            guard let flag = reader.number(), reader.patch(&order.ids) else {
                throw EntryTable.damage
            }
            var original = order.original ?? []
            guard reader.patch(&original), reader.isAtEnd else { throw EntryTable.damage }
            order.original = flag == 1 ? original : nil
            place = Place(sequence: row[0], token: row[1])
        }
        return (order, place)
    }

    private func wholeOrder() throws -> (QueueOrder, Place) {
        var order = QueueOrder()
        var place: Place?
        var (part, missing) = (0, 0)
        let row = try db.statement("SELECT * FROM order_parts ORDER BY list, part")
        defer { row.rewind() }
        while try row.next() {
            let here = Place(sequence: row[3], token: row[4])
            var reader = ByteReader(row[5])
            guard row.partChecksum == row[6], here == place ?? here,
                let list = List(rawValue: row[0]), let count = reader.count(),
                let ids = reader.ids(count), reader.isAtEnd
            else { throw EntryTable.damage }
            place = here
            if list == .original, order.original == nil, missing == 0 {
                (order.original, part) = ([], 0)
            }
            guard row[1] == part else { throw EntryTable.damage }
            part += 1
            missing = row[2] - part
            if list == .ids { order.ids += ids } else { order.original? += ids }
        }
        guard missing == 0 else { throw EntryTable.damage }
        return (order, place ?? Place(sequence: 0, token: 0))
    }
}

extension Statement {
    /// The correct checksum of a part of the order.
    fileprivate var partChecksum: Int64 {
        var sum = Checksum()
        for column: Int32 in 0..<5 { sum.add(self[column] as Int64) }
        sum.add(self[5] as [UInt8])
        return sum.value
    }

    /// The correct checksum of a change of the order.
    fileprivate var changeChecksum: Int64 {
        var sum = Checksum()
        for column: Int32 in 0..<4 { sum.add(self[column] as Int64) }
        sum.add(self[4] as String?)
        sum.add(self[5] as Int64?)
        sum.add(isNull(6) ? Int64(0) : 1)
        if !isNull(6) { sum.add(self[6] as [UInt8]) }
        sum.add(self[7] as [UInt8])
        sum.add(self[8] as Int64?)
        sum.add(self[9] as Int64)
        sum.add(self[10] as Int64)
        return sum.value
    }
}

/// Reads integers of seven bits per byte, and item ids, each as the difference from the one before.
/// Returns nil for invalid input, and never traps.
private struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func number() -> Int? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while place < bytes.count, shift < 42 {
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return Int(value) }
            shift += 7
        }
        return nil
    }

    /// Reads a count of elements, each at least one byte long.
    mutating func count() -> Int? { number().flatMap { $0 <= bytes.count - place ? $0 : nil } }

    mutating func ids(_ count: Int) -> [ItemID]? {
        var ids: [ItemID] = []
        var last = 0
        for _ in 0..<count {
            guard let folded = number() else { return nil }
            last += (folded >> 1) ^ -(folded & 1)
            guard let id = ItemID(exactly: last) else { return nil }
            ids.append(id)
        }
        return ids
    }

    /// Reads a change of a list and applies it. Returns false if it does not fit this list.
    mutating func patch(_ list: inout [ItemID]) -> Bool {
        guard let steps = count() else { return false }
        var place = 0
        for _ in 0..<steps {
            guard let skipped = number(), let dropped = number(), let length = count(),
                let inserted = ids(length), skipped + dropped <= list.count - place
            else { return false }
            place += skipped
            list.replaceSubrange(place..<place + dropped, with: inserted)
            place += inserted.count
        }
        return true
    }
}

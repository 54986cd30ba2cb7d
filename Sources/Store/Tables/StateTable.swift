import Playback

/// What is kept of a player besides the order of its items. A scheduled stop is not kept: it was
/// meant for a certain moment.
struct StoredState: Equatable {
    /// How often the order has changed.
    var sequence = 0
    /// The total of the queue's rows.
    var total = EntryTotal()
    /// Whether there is an order before shuffling.
    var isShuffled = false
    var current: ItemID?
    var position = CMTime.zero
    var wantsPlayback = false
    var settings = PlayerSettings()
    /// The highest id ever assigned.
    var lastNumber = 0
    /// Whether there may be items that nothing names.
    var hasGarbage = false
}

/// The row with the state, and the settings, one row each.
struct StateTable {
    private typealias Settings = [(name: String, value: SettingValue?)]

    let db: Database

    /// Writes the state, and the settings that differ from `old`.
    func write(_ state: StoredState, inPlaceOf old: StoredState?) throws {
        let settings: Settings = SettingTable.rows.map {
            ($0.names.column.name, $0.storedValue(in: state.settings))
        }
        if state.settings != old?.settings {
            try db.execute("DELETE FROM settings")
            let statement = try db.statement("INSERT INTO settings VALUES (?, ?)")
            for (name, value) in settings { try statement.run(name, value) }
        }
        try db.statement(
            "INSERT OR REPLACE INTO state VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ).run(
            state.sequence, state.total.count, state.total.checksums, state.isShuffled,
            state.current, state.position.value, Int(state.position.timescale),
            state.wantsPlayback, state.lastNumber, state.hasGarbage, state.checksum(settings))
    }

    /// Nil if there is none yet. Errors: it is damaged.
    func read() throws -> StoredState? {
        let settings = try readSettings()
        let row = try db.statement("SELECT * FROM state WHERE id = 1")
        guard try row.next() else { return nil }
        defer { row.rewind() }
        guard let timescale = CMTimeScale(exactly: row[7] as Int) else { throw Self.damage }
        var state = StoredState(
            sequence: row[1], total: EntryTotal(count: row[2], checksums: row[3]),
            isShuffled: row[4], current: row[5],
            position: CMTime(value: row[6], timescale: timescale), wantsPlayback: row[8],
            lastNumber: row[9], hasGarbage: row[10])
        guard state.checksum(settings) == row[11] else { throw Self.damage }
        for (name, value) in settings {
            // An unknown one is from a later version.
            let setting = SettingTable.rows.first { $0.names.column.name == name }
            guard setting?.restore(value, in: &state.settings) ?? true else { throw Self.damage }
        }
        return state
    }

    private func readSettings() throws -> Settings {
        let row = try db.statement("SELECT name, value FROM settings ORDER BY rowid")
        var settings: Settings = []
        while try row.next() { settings.append((row[0], row[1])) }
        return settings
    }

    static var damage: SQLiteError { .damage("the state is damaged") }
}

extension StoredState {
    /// A checksum of the whole state.
    fileprivate func checksum(_ settings: [(name: String, value: SettingValue?)]) -> Int64 {
        var sum = Checksum()
        sum.add(Int64(sequence))
        sum.add(Int64(total.count))
        sum.add(total.checksums)
        sum.add(isShuffled ? Int64(1) : 0)
        sum.add(current.map { Int64($0.number) })
        sum.add(position.value)
        sum.add(Int64(position.timescale))
        sum.add(wantsPlayback ? Int64(1) : 0)
        sum.add(Int64(lastNumber))
        sum.add(hasGarbage ? Int64(1) : 0)
        for (name, value) in settings {
            sum.add(name)
            sum.add(value)
        }
        return sum.value
    }
}

extension Checksum {
    mutating func add(_ value: SettingValue?) {
        switch value {
        case .number(let number): add(number.bitPattern)
        case .flag(let isOn): add(isOn ? Int64(1) : 0)
        case .text(let text): add(text)
        case nil: add(String?.none)
        }
    }
}

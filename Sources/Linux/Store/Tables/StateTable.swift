import UndersongPlayback

/// The row with what is kept of a player besides the order of its items, and its settings, one row
/// each. A scheduled stop is not kept: it was meant for a certain moment.
struct StateTable {
    let db: Database

    static var damage: SQLiteError { .damage("the state is damaged") }

    /// Writes the state, and the settings if they differ from those of `old`.
    func write(_ state: inout DurableState, inPlaceOf old: DurableState) throws {
        state.isNew = false
        if old.isNew || state.record.settings != old.record.settings {
            try db.execute("DELETE FROM settings")
            state.settingsTotal = try SettingTable.rows(in: .file).reduce(0) { total, row in
                let value = row.storedValue(in: state.record.settings)
                return try total
                    &+ db.insert(into: "settings", row.name, value)
            }
        }
        try db.insert(
            into: "state", 1, state.sequence, state.runsTotal, state.settingsTotal,
            state.record.order.original != nil, state.record.order.current, state.record.position,
            state.record.wantsPlayback, state.lastNumber, state.hasGarbage)
    }

    /// The state, without the order and the edits, and the sum of the checksums of its runs; nil if
    /// there is none yet. Errors: it is damaged.
    func read() throws -> (state: DurableState, runsTotal: Int)? {
        let (settings, total) = try readSettings()
        let row = try db.statement("SELECT * FROM state WHERE id = 1")
        guard try row.next() else { return nil }
        defer { row.rewind() }
        guard row.checksum != nil, row[3] == total else { throw Self.damage }
        var state = DurableState()
        state.isNew = false
        state.sequence = row[1]
        state.settingsTotal = total
        state.record = PlayerRecord(
            order: QueueOrder(original: row[4] ? [] : nil, current: row[5]), position: row[6],
            wantsPlayback: row[7], settings: settings)
        state.lastNumber = row[8]
        state.hasGarbage = row[9]
        return (state, row[2])
    }

    private func readSettings() throws -> (settings: PlayerSettings, total: Int) {
        var (settings, total) = (PlayerSettings(), 0)
        let row = try db.statement("SELECT * FROM settings")
        defer { row.rewind() }
        while try row.next() {
            guard let checksum = row.checksum else { throw Self.damage }
            total &+= checksum
            // An unknown one is from a later version.
            let name: String = row[0]
            let setting = SettingTable.rows(in: .file).first { $0.name == name }
            guard setting?.restore(row[1], in: &settings) ?? true else { throw Self.damage }
        }
        return (settings, total)
    }
}

import UndersongBase
import UndersongPlayback

/// The row with the state of a player besides the order of its items. A scheduled stop is not kept:
/// it was meant for a certain moment.
struct StateTable {
    static let schema = """
        -- One row, with the sum of the checksums of all runs; the settings are JSON.
        CREATE TABLE state (
            id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, runs_total INTEGER NOT NULL,
            settings TEXT NOT NULL, is_shuffled INTEGER NOT NULL, current INTEGER,
            position TEXT NOT NULL, wants_playback INTEGER NOT NULL, last_number INTEGER NOT NULL,
            has_garbage INTEGER NOT NULL, checksum INTEGER NOT NULL);
        """

    let db: Database

    static var damage: SQLiteError { .damage("the state is damaged") }

    /// Writes the state.
    func write(_ state: inout DurableState, inPlaceOf old: DurableState) throws {
        state.isNew = false
        if old.isNew || state.record.settings != old.record.settings {
            let values = SettingTable.rows(in: .file).map {
                ($0.name, $0.storedValue(in: state.record.settings))
            }
            state.settings = JSONLine.text(of: Dictionary(uniqueKeysWithValues: values))
        }
        try db.insert(
            into: "state", 1, state.sequence, state.runsTotal, state.settings,
            state.record.order.original != nil, state.record.order.current, state.record.position,
            state.record.wantsPlayback, state.lastNumber, state.hasGarbage)
    }

    /// The state, without the order and the edits, and the sum of the checksums of its runs; nil if
    /// there is none yet.
    ///
    /// - Throws: An error if it is damaged.
    func read() throws -> (state: DurableState, runsTotal: Int)? {
        let row = try db.statement("SELECT * FROM state WHERE id = 1")
        guard try row.next() else { return nil }
        defer { row.rewind() }
        guard row.checksum != nil else { throw Self.damage }
        var state = DurableState()
        state.isNew = false
        state.sequence = row[1]
        state.settings = row[3]
        state.record = PlayerRecord(
            order: QueueOrder(original: row[4] ? [] : nil, current: row[5]), position: row[6],
            wantsPlayback: row[7], settings: try Self.settings(state.settings))
        state.lastNumber = row[8]
        state.hasGarbage = row[9]
        return (state, row[2])
    }

    /// The settings in a JSON object, by their names. Those that it lacks have their defaults.
    private static func settings(_ json: String) throws -> PlayerSettings {
        guard let values = StoredValue<[String: SettingValue?]>(json: json).value else {
            throw damage
        }
        var settings = PlayerSettings()
        for row in SettingTable.rows(in: .file) {
            guard let value = values[row.name] else { continue }
            guard row.restore(value, in: &settings) else { throw damage }
        }
        return settings
    }
}

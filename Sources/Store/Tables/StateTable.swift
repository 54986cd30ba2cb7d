import Playback

/// What is kept of a player beside the order of its items. A stop that is to come once is not: it
/// was asked for with a moment in mind.
struct StoredState: Equatable {
    /// Which change of the order it goes with, counted from 0.
    var sequence = 0
    /// Tells that change from another one of the same number, in a file that has lost some.
    var token: Int64 = 0
    var current: ItemID?
    var position = CMTime.zero
    var wantsPlayback = false
    var settings = PlayerSettings()
    /// The highest id that was ever given.
    var lastNumber = 0
    /// Whether there may be items that nothing names.
    var hasGarbage = false
}

/// The one row with the state. Each setting has a column of its own.
struct StateTable {
    private static let own = [
        "sequence", "token", "current", "position_value", "position_timescale", "wants_playback",
        "last_number", "has_garbage", "checksum",
    ]
    private static let insertion = {
        let columns = ["id"] + own + SettingTable.rows.map(\.names.column.name)
        let places = Array(repeating: "?", count: columns.count - 1)
        return """
            INSERT OR REPLACE INTO state (\(columns.joined(separator: ", ")))
            VALUES (1, \(places.joined(separator: ", ")))
            """
    }()

    let db: Database

    func write(_ state: StoredState) throws {
        let statement = try db.statement(Self.insertion)
        statement.bind(
            state.sequence, state.token, state.current, state.position.value,
            Int(state.position.timescale), state.wantsPlayback, state.lastNumber, state.hasGarbage,
            state.checksum(of: SettingTable.rows))
        for (place, row) in zip(Int32(Self.own.count + 1)..., SettingTable.rows) {
            row.storedValue(in: state.settings).bind(to: statement, at: place)
        }
        while try statement.next() {}
    }

    /// Nil when there is none yet. Errors: it is damaged.
    func read() throws -> StoredState? {
        let statement = try db.statement("SELECT * FROM state WHERE id = 1")
        guard try statement.next() else { return nil }
        defer { statement.rewind() }
        guard let state = StoredState(statement) else {
            throw SQLiteError.damage("the state is damaged")
        }
        return state
    }
}

extension StoredState {
    /// Nil when the row is damaged. A file of an earlier version that cannot be written does not have
    /// all settings.
    fileprivate init?(_ row: Statement) {
        var places: [String: Int32] = [:]
        for place in 0..<row.columnCount { places[row.name(place)] = place }
        func number(_ name: String) -> Int64 { places[name].map { row[$0] } ?? 0 }
        guard let timescale = CMTimeScale(exactly: number("position_timescale")) else { return nil }
        sequence = Int(number("sequence"))
        token = number("token")
        current = places["current"].flatMap { row[$0] }
        position = CMTime(value: number("position_value"), timescale: timescale)
        wantsPlayback = number("wants_playback") != 0
        lastNumber = Int(number("last_number"))
        hasGarbage = number("has_garbage") != 0
        var known: [SettingRow] = []
        for setting in SettingTable.rows {
            guard let place = places[setting.names.column.name] else { continue }
            guard setting.restore(row[place], in: &settings) else { return nil }
            known.append(setting)
        }
        guard number("checksum") == checksum(of: known) else { return nil }
    }

    /// Covers all that is kept; of the settings, `rows`.
    fileprivate func checksum(of rows: [SettingRow]) -> Int64 {
        var sum = Checksum()
        sum.add(Int64(sequence))
        sum.add(token)
        sum.add(current.map { Int64($0.number) })
        sum.add(position.value)
        sum.add(Int64(position.timescale))
        sum.add(wantsPlayback ? Int64(1) : 0)
        sum.add(rows, of: 1, in: settings)
        sum.add(Int64(lastNumber))
        sum.add(hasGarbage ? Int64(1) : 0)
        // What a later version has is added to what there was.
        for version in 2..<Int(Schema.version) + 1 { sum.add(rows, of: version, in: settings) }
        return sum.value
    }
}

extension Checksum {
    /// Adds the settings that a version of the file was the first to have.
    mutating func add(_ rows: [SettingRow], of version: Int, in settings: PlayerSettings) {
        for row in rows where row.names.column.version == version {
            switch row.storedValue(in: settings) {
            case .number(let number): add(number.bitPattern)
            case .flag(let isOn): add(isOn ? Int64(1) : 0)
            case .text(let text): add(text)
            case nil: add(String?.none)
            }
        }
    }
}

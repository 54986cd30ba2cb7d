import GRDB
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
        let statement = try db.cachedStatement(sql: Self.insertion)
        let numbers: [Int64?] = [
            Int64(state.sequence), state.token, state.current.map { Int64($0.number) },
            state.position.value, Int64(state.position.timescale), state.wantsPlayback ? 1 : 0,
            Int64(state.lastNumber), state.hasGarbage ? 1 : 0,
            state.checksum(of: SettingTable.rows),
        ]
        for (place, number) in zip(Int32(1)..., numbers) { statement.bind(number, at: place) }
        for (place, row) in zip(Int32(numbers.count + 1)..., SettingTable.rows) {
            statement.bind(row.storedValue(in: state.settings), at: place)
        }
        try statement.run()
    }

    /// Nil when there is none yet. Errors: it is damaged.
    func read() throws -> StoredState? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM state WHERE id = 1")
        guard try statement.nextRow() else { return nil }
        defer { statement.rewind() }
        guard let state = StoredState(statement) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the state is damaged")
        }
        return state
    }
}

extension StoredState {
    /// Nil when the row is damaged. A file of an earlier version that cannot be written does not have
    /// all settings.
    fileprivate init?(_ row: Statement) {
        var places: [String: Int32] = [:]
        for (place, name) in zip(Int32(0)..., row.columnNames) { places[name] = place }
        func number(_ name: String) -> Int64 { places[name].map(row.number) ?? 0 }
        guard let timescale = CMTimeScale(exactly: number("position_timescale")) else { return nil }
        sequence = Int(number("sequence"))
        token = number("token")
        current = places["current"].flatMap(row.optionalNumber).flatMap {
            ItemID(exactly: Int($0))
        }
        position = CMTime(value: number("position_value"), timescale: timescale)
        wantsPlayback = number("wants_playback") != 0
        lastNumber = Int(number("last_number"))
        hasGarbage = number("has_garbage") != 0
        var known: [SettingRow] = []
        for setting in SettingTable.rows {
            guard let place = places[setting.names.column.name] else { continue }
            guard setting.restore(row.value(of: setting, place), in: &settings) else { return nil }
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

extension Statement {
    fileprivate func bind(_ value: SettingValue?, at place: Int32) {
        switch value {
        case .number(let number): bind(number, at: place)
        case .flag(let isOn): bind(isOn ? Int64(1) : 0, at: place)
        case .text(let text): bind(text, at: place)
        case nil: bind(Int64?.none, at: place)
        }
    }

    fileprivate func value(of setting: SettingRow, _ place: Int32) -> SettingValue? {
        switch setting.storedValue(in: PlayerSettings()) {
        case .number: .number(double(place))
        case .flag: .flag(number(place) != 0)
        case .text, nil: text(place).map { .text($0) }
        }
    }
}

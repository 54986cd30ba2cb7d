import UndersongLocation

/// What is kept of locations: the places that are watched, the rules, the settings, and the newest
/// fixes. A damaged row is as good as none.
struct LocationTable {
    /// How many fixes are kept.
    static let fixLimit = 100

    /// The names of the rows of `location_state`.
    private enum Name: String, CaseIterable {
        case status
        case hasAskedForUpgrade = "has_asked_for_upgrade"
        case isUpdating = "is_updating"
        case accuracy
        case backgroundAccuracy = "background_accuracy"
        case distance
        case source, host, port
        case keepsFixes = "keeps_fixes"
    }

    static let schema = """
        -- The places that are watched, and where the machine was seen from there.
        CREATE TABLE IF NOT EXISTS places (
            name TEXT PRIMARY KEY, latitude REAL NOT NULL, longitude REAL NOT NULL,
            radius REAL NOT NULL, state TEXT NOT NULL, checksum INTEGER NOT NULL);
        -- What is done when a place is entered or left, in this order.
        CREATE TABLE IF NOT EXISTS place_rules (
            number INTEGER PRIMARY KEY, event TEXT NOT NULL, place TEXT NOT NULL,
            command TEXT NOT NULL, value, checksum INTEGER NOT NULL);
        -- The newest fixes, if they are kept; times are seconds since 1970.
        CREATE TABLE IF NOT EXISTS fixes (
            number INTEGER PRIMARY KEY, latitude REAL NOT NULL, longitude REAL NOT NULL,
            accuracy REAL NOT NULL, altitude REAL NOT NULL, vertical_accuracy REAL NOT NULL,
            speed REAL NOT NULL, course REAL NOT NULL, time REAL NOT NULL, source TEXT NOT NULL,
            checksum INTEGER NOT NULL);
        -- The user's decision and settings.
        CREATE TABLE IF NOT EXISTS location_state (
            name TEXT PRIMARY KEY, value, checksum INTEGER NOT NULL);
        """

    let db: Database

    // MARK: Writing

    func write(_ change: LocationChange) throws {
        switch change {
        case .record(let record): try write(record)
        case .settings(let settings): try write(settings)
        case .rules(let rules):
            try db.execute("DELETE FROM place_rules")
            for (index, rule) in rules.enumerated() { try write(rule, number: index + 1) }
        case .fix(let fix): try add(fix)
        case .noFixes: try db.execute("DELETE FROM fixes")
        }
    }

    private func write(_ record: LocationDesk.Record) throws {
        try set(.status, record.status.rawValue)
        try set(.hasAskedForUpgrade, record.hasAskedForUpgrade)
        try db.execute("DELETE FROM places")
        for place in record.regions { try write(place) }
    }

    private func write(_ place: LocationDesk.Record.Region) throws {
        try db.insert(
            into: "places", place.region.identifier, place.region.center.latitude,
            place.region.center.longitude, place.region.radius, place.state.rawValue)
    }

    private func write(_ settings: LocationSettings) throws {
        try set(.isUpdating, settings.isUpdating)
        try set(.accuracy, settings.accuracy.value)
        try set(.backgroundAccuracy, settings.backgroundAccuracy?.value)
        try set(.distance, settings.distance)
        try set(.keepsFixes, settings.keepsFixes)
        var (host, port): (String?, Int?)
        if case .gpsd(let name, let number) = settings.source { (host, port) = (name, number) }
        try set(.source, host == nil ? "geoclue" : "gpsd")
        try set(.host, host)
        try set(.port, port)
    }

    private func write(_ rule: LocationRule, number: Int) throws {
        let (event, place) = (rule.event.rawValue, rule.place)
        switch rule.command {
        case .pause: try add(number, event, place, "pause", nil as String?)
        case .resume: try add(number, event, place, "resume", nil as String?)
        case .load(let name): try add(number, event, place, "load", name)
        case .volume(let volume): try add(number, event, place, "volume", volume)
        }
    }

    private func add(
        _ number: Int, _ event: String, _ place: String, _ command: String,
        _ value: some SQLiteValue
    ) throws {
        try db.insert(into: "place_rules", number, event, place, command, value)
    }

    private func add(_ fix: LocationFix) throws {
        let number: Int = try db.value("SELECT max(number) FROM fixes") ?? 0
        try db.insert(
            into: "fixes", number + 1, fix.coordinate.latitude, fix.coordinate.longitude,
            fix.horizontalAccuracy, fix.altitude, fix.verticalAccuracy, fix.speed, fix.course,
            fix.time, fix.source.rawValue)
        try db.statement("DELETE FROM fixes WHERE number <= ?").run(number + 1 - Self.fixLimit)
    }

    private func set(_ name: Name, _ value: some SQLiteValue) throws {
        try db.insert(into: "location_state", name.rawValue, value)
    }

    // MARK: Reading

    /// All undamaged rows.
    func read() throws -> StoredLocations {
        var stored = StoredLocations()
        let status: Int? = try value(.status)
        stored.record = LocationDesk.Record(
            status: status.flatMap(LocationAuthorization.Status.init) ?? .notDetermined,
            hasAskedForUpgrade: try value(.hasAskedForUpgrade) ?? false,
            regions: try rows("SELECT * FROM places ORDER BY name", Self.place))
        stored.rules = try rows("SELECT * FROM place_rules ORDER BY number", Self.rule)
        stored.fixes = try rows("SELECT * FROM fixes ORDER BY number", Self.fix)
        stored.settings = try settings()
        return stored
    }

    private func settings() throws -> LocationSettings {
        var settings = LocationSettings()
        settings.isUpdating = try value(.isUpdating) ?? false
        settings.accuracy = try value(.accuracy).map { LocationAccuracy($0) } ?? .best
        let background: Double?? = try value(.backgroundAccuracy)
        settings.backgroundAccuracy = background?.map { LocationAccuracy($0) }
        settings.distance = try value(.distance) ?? 0
        settings.keepsFixes = try value(.keepsFixes) ?? false
        if try value(.source) == "gpsd", let host: String = try value(.host) {
            settings.source = .gpsd(host: host, port: try value(.port) ?? 2947)
        }
        return settings
    }

    private func value<Value: SQLiteValue>(_ name: Name) throws -> Value? {
        let row = try db.statement("SELECT * FROM location_state WHERE name = ?")
        row.bind(name.rawValue)
        defer { row.rewind() }
        guard try row.next(), row.checksum != nil else { return nil }
        return row[1]
    }

    private func rows<Value>(_ sql: String, _ make: (Statement) -> Value?) throws -> [Value] {
        let row = try db.statement(sql)
        defer { row.rewind() }
        var values: [Value] = []
        while try row.next() { if let value = make(row) { values.append(value) } }
        return values
    }

    /// Nil if the row is damaged, as below.
    private static func place(_ row: Statement) -> LocationDesk.Record.Region? {
        guard row.checksum != nil, let state = RegionState(rawValue: row[4]) else { return nil }
        let center = Coordinate(latitude: row[1], longitude: row[2])
        return LocationDesk.Record.Region(
            region: CircularRegion(identifier: row[0], center: center, radius: row[3]),
            state: state)
    }

    private static func rule(_ row: Statement) -> LocationRule? {
        guard row.checksum != nil, let event = LocationRule.Event(rawValue: row[1]) else {
            return nil
        }
        let (place, name): (String, String) = (row[2], row[3])
        let command: LocationRule.Command? =
            switch name {
            case "pause": .pause
            case "resume": .resume
            case "load": .load(row[4])
            case "volume": .volume(row[4])
            default: nil
            }
        return command.map { LocationRule(event, place, $0) }
    }

    private static func fix(_ row: Statement) -> LocationFix? {
        guard row.checksum != nil, let source = LocationSourceKind(rawValue: row[9]) else {
            return nil
        }
        return LocationFix(
            Coordinate(latitude: row[1], longitude: row[2]), horizontalAccuracy: row[3],
            altitude: row[4], verticalAccuracy: row[5], speed: row[6], course: row[7],
            time: row[8], arrival: 0, source: source)
    }

    /// Copies the undamaged rows of another file, as far as it can be read.
    func carry(from old: Database) throws {
        _ = try old.readRows(of: "SELECT * FROM places") { row in
            if let place = Self.place(row) { try write(place) }
        }
        _ = try old.readRows(of: "SELECT * FROM place_rules") { row in
            if let rule = Self.rule(row) { try write(rule, number: row[0]) }
        }
        _ = try old.readRows(of: "SELECT * FROM fixes") { row in
            if let fix = Self.fix(row) { try add(fix) }
        }
        _ = try old.readRows(of: "SELECT * FROM location_state") { row in
            guard row.checksum != nil, let name = Name(rawValue: row[0]) else { return }
            try set(name, row[1] as Cell)
        }
    }
}

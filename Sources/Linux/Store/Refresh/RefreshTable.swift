import UndersongBackground

/// What is kept of background fetches, refreshes and processing. A damaged row is as good as none.
struct RefreshTable {
    /// How many runs are kept.
    static let runLimit = 1000

    private enum Name {
        static let interval = "interval"
        static let isShutDown = "is_shut_down"
        static let isDenied = "is_denied"
        static let badge = "badge"
        static let boot = "boot"
        static let workingDays = "working_days"
        static let weekendDays = "weekend_days"
        static let today = "today"
        static let lastOpenDay = "last_open_day"
        static let sightings = "sightings"
    }

    let db: Database

    func write(_ change: RefreshScheduler.Change) throws {
        switch change {
        case .request(let request): try write(request)
        case .noRequest(let identifier):
            try db.statement("DELETE FROM requests WHERE identifier = ?").run(identifier)
        case .run(let run): try write(run)
        case .usage(let usage): try write(usage)
        case .interval(let interval): try write(interval.stored, as: Name.interval)
        case .isShutDown(let isShutDown): try write(isShutDown, as: Name.isShutDown)
        case .isDenied(let isDenied): try write(isDenied, as: Name.isDenied)
        case .badge(let badge): try write(badge, as: Name.badge)
        }
    }

    func write(_ request: RefreshRequest) throws {
        try db.insert(
            into: "requests", request.identifier, request.kind.rawValue, request.earliestBeginDate,
            request.requiresNetworkConnectivity, request.requiresExternalPower, request.submitted,
            request.submittedBoot)
    }

    func write(_ run: RefreshRun) throws {
        try db.insert(
            into: "task_runs", run.number, run.identifier, run.kind.rawValue, run.cause.rawValue,
            run.began, run.beganBoot, run.seconds, run.result?.rawValue, run.new, run.bytes)
        try db.statement("DELETE FROM task_runs WHERE number <= ?").run(
            run.number - Self.runLimit)
    }

    func write(_ entry: UsagePattern.Entry) throws {
        try db.insert(
            into: "usage", entry.halfHour, entry.opens, entry.news, entry.stretch, entry.openDay,
            entry.newsDay)
    }

    private func write(_ usage: UsagePattern) throws {
        try db.execute("DELETE FROM usage")
        for entry in usage.entries { try write(entry) }
        try write(usage.workingDays, as: Name.workingDays)
        try write(usage.weekendDays, as: Name.weekendDays)
        try write(usage.today, as: Name.today)
        try write(usage.lastOpenDay, as: Name.lastOpenDay)
        try write(usage.sightings.stored, as: Name.sightings)
    }

    /// Notes the start of the machine to which `..._boot` belongs.
    func write(boot: String) throws { try write(boot, as: Name.boot) }

    func write(_ value: some SQLiteValue, as name: String) throws {
        try db.insert(into: "refresh_state", name, value)
    }

    // MARK: Reading

    /// All that the scheduler needs. `boot` is the current start of the machine.
    func memory(boot: String) throws -> RefreshScheduler.Memory {
        var memory = RefreshScheduler.Memory()
        memory.interval = try value(Name.interval).flatMap(FetchInterval.init(stored:)) ?? .never
        memory.isShutDown = try value(Name.isShutDown) ?? false
        memory.isDenied = try value(Name.isDenied) ?? false
        memory.badge = try value(Name.badge) ?? 0
        memory.isSameBoot = try value(Name.boot) == boot
        memory.requests = try rows("SELECT * FROM requests ORDER BY rowid", Self.request)
        memory.runs = try runs(limit: Self.runLimit)
        memory.usage = UsagePattern(
            try rows("SELECT * FROM usage", Self.entry),
            sightings: NewsSightings(stored: try value(Name.sightings) ?? ""),
            workingDays: try value(Name.workingDays) ?? 0,
            weekendDays: try value(Name.weekendDays) ?? 0, today: try value(Name.today),
            lastOpenDay: try value(Name.lastOpenDay))
        return memory
    }

    /// The last runs, the latest first.
    func runs(limit: Int) throws -> [RefreshRun] {
        try rows("SELECT * FROM task_runs ORDER BY number DESC LIMIT \(max(0, limit))", Self.run)
    }

    private func value<Value: SQLiteValue>(_ name: String) throws -> Value? {
        let row = try db.statement("SELECT * FROM refresh_state WHERE name = ?")
        row.bind(name)
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
    static func request(_ row: Statement) -> RefreshRequest? {
        guard row.checksum != nil, let kind = RefreshKind(rawValue: row[1]) else { return nil }
        var request = RefreshRequest(
            row[0], kind: kind, earliestBeginDate: row[2], requiresNetworkConnectivity: row[3],
            requiresExternalPower: row[4])
        request.submitted = row[5]
        request.submittedBoot = row[6]
        return request
    }

    static func run(_ row: Statement) -> RefreshRun? {
        guard row.checksum != nil, let kind = RefreshKind(rawValue: row[2]),
            let cause = RefreshCause(rawValue: row[3])
        else { return nil }
        let result: String? = row[7]
        return RefreshRun(
            number: row[0], identifier: row[1], kind: kind, cause: cause, began: row[4],
            beganBoot: row[5], seconds: row[6], result: result.flatMap(RefreshResult.init),
            new: row[8], bytes: row[9])
    }

    static func entry(_ row: Statement) -> UsagePattern.Entry? {
        guard row.checksum != nil else { return nil }
        return UsagePattern.Entry(
            halfHour: row[0], opens: row[1], news: row[2], stretch: row[3], openDay: row[4],
            newsDay: row[5])
    }
}

extension FetchInterval {
    /// The interval as it is stored: `never`, `minimum`, or seconds.
    var stored: String {
        switch self {
        case .never: "never"
        case .minimum: "minimum"
        case .seconds(let seconds): String(seconds)
        }
    }

    init?(stored: String) {
        switch stored {
        case "never": self = .never
        case "minimum": self = .minimum
        default:
            guard let seconds = Double(stored) else { return nil }
            self = .seconds(seconds)
        }
    }
}

extension NewsSightings {
    /// The sightings as they are stored: pairs of seconds, `1780293600-1780300800,…`.
    var stored: String {
        all.map { "\(Int($0.start.rounded()))-\(Int($0.end.rounded()))" }.joined(separator: ",")
    }

    init(stored: String) {
        self.init(
            stored.split(separator: ",").compactMap { text in
                let times = text.split(separator: "-").compactMap { Double($0) }
                return times.count == 2 ? Sighting(start: times[0], end: times[1]) : nil
            })
    }
}

extension Salvage {
    /// Carries over what is kept of background fetches, refreshes and processing.
    static func carryRefreshes(from old: Database, to new: Database) throws {
        let table = RefreshTable(db: new)
        _ = try old.readRows(of: "SELECT * FROM requests") { row in
            if let request = RefreshTable.request(row) { try table.write(request) }
        }
        _ = try old.readRows(of: "SELECT * FROM task_runs") { row in
            if let run = RefreshTable.run(row) { try table.write(run) }
        }
        _ = try old.readRows(of: "SELECT * FROM usage") { row in
            if let entry = RefreshTable.entry(row) { try table.write(entry) }
        }
        _ = try old.readRows(of: "SELECT * FROM refresh_state") { row in
            if row.checksum != nil { try table.write(row[1] as Cell, as: row[0]) }
        }
    }
}

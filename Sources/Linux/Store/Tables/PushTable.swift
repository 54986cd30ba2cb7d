/// A push as a row. Its payload is text: JSON is UTF-8.
package struct StoredPush: Hashable, Sendable {
    /// The service's number for it.
    package var number: Int
    /// The provider's identifier.
    package var identifier: String
    /// Its topic.
    package var topic: String
    /// When it arrived, in seconds since 1970.
    package var received: Double
    /// Its bytes.
    package var payload: String
    /// Its type; nil if the provider named none.
    package var type: String?
    /// Whether it needs no wake of the throttle.
    package var isUrgent: Bool
    /// How often it was given to a program.
    package var attempts: Int

    package init(
        number: Int, identifier: String, topic: String, received: Double, payload: String,
        type: String?, isUrgent: Bool, attempts: Int
    ) {
        self.number = number
        self.identifier = identifier
        self.topic = topic
        self.received = received
        self.payload = payload
        self.type = type
        self.isUrgent = isUrgent
        self.attempts = attempts
    }
}

/// How pushes reach this service, and what was counted of them.
package struct PushRegistration: Hashable, Sendable {
    /// The token by which senders name this service.
    package var token: String
    /// Where pushes come from besides the socket: `local` for nowhere, `ntfy` or `unifiedpush`.
    package var provider: String
    /// The URL of ntfy's topic; nil for other providers.
    package var url: String?
    /// The seconds until all wakes are available, at `time`.
    package var debt: Double
    /// When this was written, in seconds since 1970.
    package var time: Double
    /// Whether the service was shut down and not opened since.
    package var isShutDown: Bool
    /// Pushes that were handled.
    package var handled: Int
    /// Pushes in whose place a newer one has come.
    package var superseded: Int
    /// Pushes whose programs ended too often.
    package var abandoned: Int
    /// Repetitions.
    package var duplicates: Int
    /// Pushes that were not taken.
    package var refused: Int

    package init(token: String) {
        self.token = token
        provider = "local"
        (debt, time, isShutDown) = (0, 0, false)
        (handled, superseded, abandoned, duplicates, refused) = (0, 0, 0, 0, 0)
    }
}

/// What the file has of pushes.
package struct StoredPushes: Hashable, Sendable {
    /// The pushes that are not over, in the order of their numbers.
    package var waiting: [StoredPush] = []
    /// The identifiers of the others, by their numbers.
    package var finished: [Int: String] = [:]
    /// Nil if there is none.
    package var registration: PushRegistration?

    package init() {}
}

/// A change of what the file has of pushes.
package enum PushChange: Hashable, Sendable {
    /// A push has arrived.
    case add(StoredPush)
    /// A push was given to a program so many times.
    case attempts(Int, of: Int)
    /// A push is over: only its identifier stays.
    case finish(Int)
    /// How pushes reach this service, and what was counted.
    case register(PushRegistration)
}

/// Pushes, and how they reach this service.
struct PushTable {
    /// How many pushes that are over keep their identifiers.
    private static let memory = 1000

    /// A push that is over has no payload.
    static let schema = """
        CREATE TABLE IF NOT EXISTS pushes (
            number INTEGER PRIMARY KEY, identifier TEXT NOT NULL, topic TEXT NOT NULL,
            received REAL NOT NULL, payload TEXT, type TEXT, is_urgent INTEGER NOT NULL,
            attempts INTEGER NOT NULL, checksum INTEGER NOT NULL);
        -- One row: the token and the provider, the throttle, and what was counted.
        CREATE TABLE IF NOT EXISTS push_registration (
            id INTEGER PRIMARY KEY, token TEXT NOT NULL, provider TEXT NOT NULL, url TEXT,
            debt REAL NOT NULL, time REAL NOT NULL, is_shut_down INTEGER NOT NULL,
            handled INTEGER NOT NULL, superseded INTEGER NOT NULL, abandoned INTEGER NOT NULL,
            duplicates INTEGER NOT NULL, refused INTEGER NOT NULL, checksum INTEGER NOT NULL);
        """

    let db: Database

    // MARK: Writing

    func write(_ change: PushChange) throws {
        switch change {
        case .add(let push): try insert(push, payload: push.payload)
        case .attempts(let count, let number):
            guard var push = try push(number) else { return }
            push.attempts = count
            try insert(push, payload: push.payload)
        case .finish(let number):
            guard let push = try push(number) else { return }
            try insert(push, payload: nil)
            try db.statement("DELETE FROM pushes WHERE payload IS NULL AND number <= ?")
                .run(number - Self.memory)
        case .register(let registration): try insert(registration)
        }
    }

    private func insert(_ push: StoredPush, payload: String?) throws {
        try db.insert(
            into: "pushes", push.number, push.identifier, push.topic, push.received, payload,
            push.type, push.isUrgent, push.attempts)
    }

    private func insert(_ registration: PushRegistration) throws {
        try db.insert(
            into: "push_registration", 1, registration.token, registration.provider,
            registration.url, registration.debt, registration.time, registration.isShutDown,
            registration.handled, registration.superseded, registration.abandoned,
            registration.duplicates, registration.refused)
    }

    // MARK: Reading

    /// All undamaged rows.
    func read() throws -> StoredPushes {
        var pushes = StoredPushes()
        let row = try db.statement("SELECT * FROM pushes ORDER BY number")
        while try row.next() {
            guard row.checksum != nil else { continue }
            if let push = Self.push(row) {
                pushes.waiting.append(push)
            } else {
                pushes.finished[row[0]] = row[1]
            }
        }
        let last = try db.statement("SELECT * FROM push_registration")
        defer { last.rewind() }
        if try last.next(), last.checksum != nil { pushes.registration = Self.registration(last) }
        return pushes
    }

    /// Copies the undamaged rows of another file, as far as it can be read.
    func carry(from old: Database) throws {
        _ = try old.readRows(of: "SELECT * FROM pushes") { row in
            guard row.checksum != nil else { return }
            try db.insert(
                into: "pushes", row[0] as Int, row[1] as String, row[2] as String,
                row[3] as Double, row[4] as String?, row[5] as String?, row[6] as Bool,
                row[7] as Int)
        }
        _ = try old.readRows(of: "SELECT * FROM push_registration") { row in
            if row.checksum != nil { try insert(Self.registration(row)) }
        }
    }

    private func push(_ number: Int) throws -> StoredPush? {
        let row = try db.statement("SELECT * FROM pushes WHERE number = ?")
        row.bind(number)
        defer { row.rewind() }
        return try row.next() && row.checksum != nil ? Self.push(row) : nil
    }

    /// Nil if the push is over.
    private static func push(_ row: Statement) -> StoredPush? {
        let text: String? = row[4]
        return text.map { payload in
            StoredPush(
                number: row[0], identifier: row[1], topic: row[2], received: row[3],
                payload: payload, type: row[5], isUrgent: row[6], attempts: row[7])
        }
    }

    private static func registration(_ row: Statement) -> PushRegistration {
        var registration = PushRegistration(token: row[1])
        registration.provider = row[2]
        registration.url = row[3]
        (registration.debt, registration.time) = (row[4], row[5])
        registration.isShutDown = row[6]
        (registration.handled, registration.superseded) = (row[7], row[8])
        (registration.abandoned, registration.duplicates) = (row[9], row[10])
        registration.refused = row[11]
        return registration
    }
}

import FoundationEssentials
import UndersongBase
package import UndersongPlayback

/// A change of the records, which are small values by names.
package enum RecordChange: Sendable {
    /// A value as JSON, in place of the one that has the same key in the namespace.
    case keep(json: String, namespace: String, key: String)
    case remove(namespace: String, key: String)
    /// All values of the namespace go.
    case removeAll(namespace: String)

    /// A value, in place of the one that has the same key in the namespace.
    ///
    /// - Throws: An error if it cannot be encoded.
    package static func keep<Value: Encodable>(
        _ value: Value, in namespace: String, as key: String
    ) throws -> RecordChange {
        let json = String(decoding: try JSONLine.bytes(of: value), as: UTF8.self)
        return .keep(json: json, namespace: namespace, key: key)
    }

    /// The key of a number that is not negative. Such keys are in the order of their numbers.
    package static func key(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 19 - digits.utf8.count)) + digits
    }

    fileprivate var namespace: String {
        switch self {
        case .keep(_, let namespace, _), .remove(let namespace, _), .removeAll(let namespace):
            namespace
        }
    }
}

extension StateStore {
    /// The values in a namespace, in the order of their keys. Those that are damaged are left out and
    /// reported. None while the file cannot be read.
    package func records<Value: Decodable & Sendable>(
        _ type: Value.Type, in namespace: String
    ) async -> [(key: String, value: Value)] {
        (try? await readRecords(type, in: namespace)) ?? []
    }

    /// The values in a namespace, as above.
    ///
    /// - Throws: An error if the file cannot be read.
    func readRecords<Value: Decodable & Sendable>(
        _ type: Value.Type, in namespace: String
    ) async throws(QueueError) -> [(key: String, value: Value)] {
        let rows = try await ask("read the records of \(namespace)") {
            keeper throws(StoreTrouble) in
            try keeper.attempt { try RecordTable(db: $0.database).rows(in: namespace) }
        }
        let values = rows.compactMap { row in
            StoredValue<Value>(json: row.json ?? "").value.map { (key: row.key, value: $0) }
        }
        let damaged = rows.count - values.count
        if damaged > 0 {
            report(.leftOut("\(damaged) of \(rows.count) records of \(namespace)"))
        }
        return values
    }

    /// Writes the changes, all or none, after all earlier changes. They survive a power loss if
    /// `isDurable`, and the end of the process in any case. Without any, nothing is written.
    ///
    /// - Throws: An error if nothing was written.
    package func keep(
        _ changes: [RecordChange], isDurable: Bool
    ) async throws(QueueError) {
        guard let first = changes.first else { return }
        try await ask("keep the records of \(first.namespace)") { keeper throws(StoreTrouble) in
            try keeper.attempt { file in
                try file.write(isDurable: isDurable) { db in
                    let table = RecordTable(db: db)
                    for change in changes { try table.write(change) }
                }
            }
        }
    }
}

/// A value in a column, as JSON.
struct StoredValue<Value> {
    /// Nil if it cannot be decoded.
    let value: Value?

    init(_ value: Value) { self.value = value }
}

extension StoredValue where Value: Decodable {
    init(json: String) {
        value = try? JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }
}

/// A value that cannot be encoded is stored as NULL, which its column refuses.
extension StoredValue: SQLiteValue where Value: Codable {
    var cell: Cell {
        (try? JSONLine.bytes(of: value)).map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
    }

    init(_ cell: Cell) { self.init(json: String(cell)) }
}

/// The rows of the records.
struct RecordTable {
    static let schema = """
        -- Small values of any kind as JSON, by the namespace of their kind and their key.
        CREATE TABLE records (
            namespace TEXT, key TEXT, value TEXT NOT NULL, checksum INTEGER NOT NULL,
            PRIMARY KEY (namespace, key)) WITHOUT ROWID;
        """

    let db: Database

    func write(_ change: RecordChange) throws {
        switch change {
        case .keep(let json, let namespace, let key):
            try db.insert(into: "records", namespace, key, json)
        case .remove(let namespace, let key):
            try db.statement("DELETE FROM records WHERE namespace = ? AND key = ?")
                .run(namespace, key)
        case .removeAll(let namespace):
            try db.statement("DELETE FROM records WHERE namespace = ?").run(namespace)
        }
    }

    /// The rows of a namespace, in the order of their keys; a damaged one has no value.
    func rows(in namespace: String) throws -> [(key: String, json: String?)] {
        let row = try db.statement("SELECT * FROM records WHERE namespace = ? ORDER BY key")
        row.bind(namespace)
        defer { row.rewind() }
        var rows: [(key: String, json: String?)] = []
        while try row.next() { rows.append((row[1], row.checksum == nil ? nil : row[2])) }
        return rows
    }
}

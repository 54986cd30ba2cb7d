import UndersongBase
import UndersongLibrary

/// The library's open file. It belongs to the library's own thread.
final class LibraryFile {
    /// Increases with each change of the tables.
    private static let version = 1
    /// Files up to this size in bytes are checked before use, which takes some milliseconds.
    private static let quickSize = 4 << 20

    /// The size of a page: segments are read in fewer, larger pieces than by default.
    static let pageSize = 16384

    let database: Database
    private var writer: LibraryWriter

    /// Opens the file in a folder. A damaged file is set aside, which is passed to `report`; one that
    /// `isDamaged` is replaced in any case.
    ///
    /// - Throws: `SystemError`, `StoreTrouble`, `SQLiteError`.
    init(in path: String, isDamaged: Bool, report: (StoreNotice) -> Void) throws {
        let code = Folder.make(path)
        guard code == 0 else { throw SystemError(code) }
        let folder = StoreFolder(path, file: "library.sqlite")
        try folder.endReplacing()
        do {
            guard !isDamaged else { throw SQLiteError.damage("it was damaged when it was read") }
            database = try Self.open(folder, checks: folder.databaseSize <= Self.quickSize)
        } catch {
            guard (error as? SQLiteError)?.isDamage == true else { throw error }
            try Self.replace(folder, report: report)
            database = try Self.open(folder, checks: false)
        }
        writer = LibraryWriter(database)
    }

    private static func open(_ folder: StoreFolder, checks: Bool) throws -> Database {
        try StoreFolder.prepare(folder.database)
        guard !folder.hasLostDatabase else { throw SQLiteError.damage("the file is empty") }
        let database = try Database(folder.database, for: .writing, pageSize: Self.pageSize)
        if try isEmpty(database) { try create(in: database) }
        if checks { try database.check() }
        try Segment.check(in: database)
        return database
    }

    /// Returns true if the file is new and has no tables yet.
    private static func isEmpty(_ db: Database) throws -> Bool {
        let id: Int = try db.value("PRAGMA application_id") ?? 0
        if try id == 0 && db.value("SELECT count(*) FROM sqlite_schema") == 0 { return true }
        let found: Int = try db.value("PRAGMA user_version") ?? 0
        guard id == Schema.applicationID, found > 0 else {
            throw SQLiteError.damage("the file has no version")
        }
        guard found == version else {
            throw StoreTrouble(
                code: .otherVersion, reason: "the file has version \(found), not \(version)",
                since: 0)
        }
        return false
    }

    private static func create(in db: Database) throws {
        try db.transaction(isDurable: false) {
            try db.execute("PRAGMA application_id = \(Schema.applicationID)")
            for schema in [
                TrackTable.schema, NameTable.schema, Segment.schema, LibraryLists.schema,
            ] {
                try db.execute(schema)
            }
            try db.execute("PRAGMA user_version = \(version)")
        }
    }

    /// Puts a new file in place of a damaged one, with whatever could be carried over.
    private static func replace(_ folder: StoreFolder, report: (StoreNotice) -> Void) throws {
        folder.removeReplacement()
        try StoreFolder.prepare(folder.replacement)
        let new = try Database(folder.replacement, for: .writing, pageSize: pageSize)
        try create(in: new)
        let losses = try LibrarySalvage(of: folder, to: new).losses
        try new.checkpoint()
        new.close()
        let lost = losses.isEmpty ? "nothing" : losses.joined(separator: ", ")
        report(.setAside(path: try folder.setDatabaseAside(), lost: "\(lost) of the library"))
    }

    /// Makes changes, all or none. They survive a power loss if `isDurable`, and the end of the
    /// process in any case. Returns true with the result if the order of names may have changed.
    func write<Result>(
        isDurable: Bool, _ body: (inout LibraryWriter) throws -> Result
    ) throws -> (result: Result, hasNewNames: Bool) {
        // The names that it knows are in the file only if the changes are.
        var writer = self.writer
        (writer.hasNewNames, writer.trackChange) = (false, 0)
        let result = try database.transaction(isDurable: isDurable) { try body(&writer) }
        self.writer = writer
        return (result, writer.hasNewNames)
    }

    func close() {
        try? database.checkpoint()
        database.close()
    }
}

/// The folders and the saved queries of the library.
struct LibraryLists {
    static let schema = """
        CREATE TABLE folders (
            path BLOB PRIMARY KEY, position INTEGER NOT NULL, missing REAL,
            checksum INTEGER NOT NULL);
        CREATE TABLE queries (
            name TEXT PRIMARY KEY, query TEXT NOT NULL, checksum INTEGER NOT NULL);
        """

    let db: Database

    /// The folders, without the numbers of their tracks.
    ///
    /// - Throws: An error if a row is damaged.
    func folders() throws -> [(folder: LibraryFolder, position: Int)] {
        try rows("SELECT * FROM folders ORDER BY position") { row in
            (LibraryFolder(path: row[0], trackCount: 0, missingSince: row[2]), row[1])
        }
    }

    func write(_ path: FilePath, position: Int, missing: Double?) throws {
        try db.insert(into: "folders", path, position, missing)
    }

    func remove(_ path: FilePath) throws {
        try db.statement("DELETE FROM folders WHERE path = ?").run(path)
    }

    /// The saved queries, by name.
    ///
    /// - Throws: An error if a row is damaged.
    func queries() throws -> [SavedQuery] {
        try rows("SELECT * FROM queries ORDER BY name") { SavedQuery(name: $0[0], query: $0[1]) }
    }

    /// Writes a query, or removes it. Returns false if there was none to remove.
    func write(_ query: String?, as name: String) throws -> Bool {
        if let query {
            try db.insert(into: "queries", name, query)
            return true
        }
        try db.statement("DELETE FROM queries WHERE name = ?").run(name)
        return try db.value("SELECT changes()") == 1
    }

    private func rows<Value>(_ sql: String, _ value: (Statement) -> Value) throws -> [Value] {
        let row = try db.statement(sql)
        defer { row.rewind() }
        var values: [Value] = []
        while try row.next() {
            guard row.checksum != nil else { throw SQLiteError.damage("a list is damaged") }
            values.append(value(row))
        }
        return values
    }
}

/// Builds a new library from a damaged one: the tracks with all that is known of them, the folders and
/// the saved queries. What searches read is made of them.
struct LibrarySalvage {
    /// The losses, for people to read.
    private(set) var losses: [String] = []
    private let old: Database?
    private let new: Database
    private var writer: LibraryWriter
    private var rows: [TrackRow] = []
    private var found: Set<Int> = []

    /// Reads as much as possible from the file in `folder`.
    ///
    /// - Throws: An error if the new file cannot be written.
    init(of folder: StoreFolder, to new: Database) throws {
        old = try? Database(folder.database, for: .salvage)
        self.new = new
        writer = LibraryWriter(new)
        var damaged = 0
        try new.transaction(isDurable: true) {
            let isWhole =
                try old?.readRows(of: "SELECT * FROM tracks") { row in
                    if try !carry(row) { damaged += 1 }
                } ?? false
            if !isWhole { try carryPages(of: folder) }
            try writer.put(rows)
            try carryMissing()
            try carrySequence()
            if !isWhole {
                losses.append("some tracks")
            } else if damaged > 0 {
                losses.append("\(damaged) of \(found.count + damaged) tracks")
            }
            guard let old else { return }
            for (table, name) in [("folders", "folders"), ("queries", "saved queries")] {
                if let lost = try new.carryRows(of: table, from: old) {
                    losses.append("\(lost) \(name)")
                }
            }
        }
    }

    /// Carries a track over. Returns false if its row is damaged.
    private mutating func carry(_ statement: Statement) throws -> Bool {
        guard let row = TrackTable.row(statement, hasSince: false) else { return false }
        guard found.insert(row.track.id).inserted else { return true }
        rows.append(row)
        if rows.count >= Segment.length {
            try writer.put(rows)
            rows = []
        }
        return true
    }

    /// Carries over the tracks on pages to which the tree of pages no longer leads, as `Salvage` does
    /// with items.
    private mutating func carryPages(of folder: StoreFolder) throws {
        let size = LibraryFile.pageSize
        let empty = try Database(":memory:", for: .peeking)
        try empty.execute("PRAGMA page_size = \(size)")
        try empty.execute("CREATE TABLE tracks (id INTEGER PRIMARY KEY, \(TrackTable.columnList))")
        let header = empty.image.prefix(size)
        try folder.readPages(of: size) { page in
            // The kind of a page with rows of a table.
            guard page[0] == 0x0d, let table = try? Database(image: header + page) else { return }
            _ = try table.readRows(of: "SELECT * FROM tracks") { _ = try carry($0) }
        }
    }

    private mutating func carryMissing() throws {
        guard let old else { return }
        var missing: [Double: [Int]] = [:]
        _ = old.readRows(of: "SELECT id, since FROM missing") { row in
            let id: Int = row[0]
            if found.contains(id) { missing[row[1], default: []].append(id) }
        }
        for (since, ids) in missing { try writer.setMissing(ids, since: since) }
    }

    /// Keeps ids from being used again.
    private func carrySequence() throws {
        let last: Int? = try? old?.value("SELECT seq FROM sqlite_sequence WHERE name = 'tracks'")
        // Higher ids may have been assigned and lost without a trace.
        let next = max(last ?? 0, (found.max() ?? 0) + (last == nil ? 1_000_000 : 0))
        try new.execute(
            """
            DELETE FROM sqlite_sequence WHERE name = 'tracks';
            INSERT INTO sqlite_sequence VALUES ('tracks', \(next))
            """)
    }
}

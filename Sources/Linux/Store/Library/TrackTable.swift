import UndersongBase
import UndersongLibrary
import UndersongPlayback

/// A track with the state of its file when that was read.
struct TrackRow {
    var track: Track
    var stamp: ScanStamp

    /// The folder of its file, with a slash at its end, and the name in that.
    static func split(_ path: FilePath) -> (folder: [UInt8], name: [UInt8]) {
        let bytes = path.bytes
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return (Array(bytes[..<start]), Array(bytes[start...]))
    }
}

/// The tracks, each with all that is known of it and a checksum: everything else in the file, but for
/// folders and saved queries, can be made of them again.
struct TrackTable {
    /// The columns beside the id. `name` is a hash of the file's name, and `start` is -1 for a whole
    /// file.
    static let columnList = """
        folder INTEGER NOT NULL, name INTEGER NOT NULL, path BLOB NOT NULL, start REAL NOT NULL,
        end REAL, size INTEGER NOT NULL, modified INTEGER NOT NULL, device INTEGER NOT NULL,
        inode INTEGER NOT NULL, surroundings INTEGER NOT NULL, added REAL NOT NULL, played REAL,
        plays INTEGER NOT NULL, skips INTEGER NOT NULL, rating INTEGER, favourite INTEGER NOT NULL,
        tags BLOB NOT NULL, checksum INTEGER NOT NULL
        """
    static let schema = """
        CREATE TABLE tracks (id INTEGER PRIMARY KEY AUTOINCREMENT, \(columnList));
        CREATE UNIQUE INDEX tracks_file ON tracks (folder, name, start);
        -- By which a file that was moved is recognized if its new name is found first.
        CREATE INDEX tracks_stamp ON tracks (size, modified, added);
        -- The tracks whose files are missing, with what a moved file is recognized by.
        CREATE TABLE missing (
            id INTEGER PRIMARY KEY, since REAL NOT NULL, size INTEGER NOT NULL,
            modified INTEGER NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL);
        CREATE INDEX missing_stamp ON missing (size, modified);
        CREATE INDEX missing_inode ON missing (inode, device);
        CREATE INDEX missing_since ON missing (since);
        -- Files that are not music, so that they are not read again.
        CREATE TABLE others (
            folder INTEGER NOT NULL, name BLOB NOT NULL, size INTEGER NOT NULL,
            modified INTEGER NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL,
            surroundings INTEGER NOT NULL, PRIMARY KEY (folder, name)) WITHOUT ROWID;
        """

    let db: Database

    // MARK: Writing

    func write(_ row: TrackRow, in folder: Int) throws {
        let (track, stamp) = (row.track, row.stamp)
        try db.insert(
            into: "tracks", track.id, folder, Self.hash(TrackRow.split(track.path).name),
            Blob(track.path.bytes), track.part?.start ?? -1, track.part?.end,
            Int(stamp.size), Int(stamp.modified), Int(truncatingIfNeeded: stamp.device),
            Int(truncatingIfNeeded: stamp.inode), Int(truncatingIfNeeded: stamp.surroundings),
            track.added, track.lastPlayed, track.playCount, track.skipCount, track.rating,
            track.isFavourite, Blob(TagBytes(track.tags, track.sound).bytes))
        let statement = try db.statement("DELETE FROM missing WHERE id = ?")
        guard let since = track.missingSince else { return try statement.run(track.id) }
        try markMissing(track.id, since: since)
    }

    /// Marks a track as missing, if it is not yet.
    func markMissing(_ id: Int, since: Double) throws {
        try db.statement(
            """
            INSERT OR IGNORE INTO missing
            SELECT id, ?, size, modified, device, inode FROM tracks WHERE id = ?
            """
        ).run(since, id)
    }

    func remove(_ id: Int) throws {
        try db.statement("DELETE FROM tracks WHERE id = ?").run(id)
        try db.statement("DELETE FROM missing WHERE id = ?").run(id)
    }

    /// The hash of a name, by which its file is found: FNV-1a.
    private static func hash(_ name: [UInt8]) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return Int(truncatingIfNeeded: hash)
    }

    // MARK: Reading

    private static let columns = "SELECT tracks.*, since FROM tracks LEFT JOIN missing USING (id) "

    /// The row of a statement whose columns begin with those of the table; nil if it is damaged.
    /// `missingSince` is in the column after them, if there is one.
    static func row(_ row: Statement, hasSince: Bool) -> TrackRow? {
        let cells = row.allCells
        guard cells.count == (hasSince ? 20 : 19),
            case .integer(let checksum) = cells[18], Checksum(cells[..<18]).value == checksum,
            let (tags, sound) = TagBytes.read(Blob(cells[17]).bytes)
        else { return nil }
        let start = Double(cells[4])
        let track = Track(
            id: Int(cells[0]), path: FilePath(bytes: Blob(cells[3]).bytes),
            part: start < 0 ? nil : TrackPart(start: start, end: Double?(cells[5])), tags: tags,
            sound: sound, added: Double(cells[11]), modified: Double(Int(cells[7])) / 1e9,
            lastPlayed: Double?(cells[12]), playCount: Int(cells[13]), skipCount: Int(cells[14]),
            rating: Int?(cells[15]), isFavourite: Bool(cells[16]),
            missingSince: hasSince ? Double?(cells[19]) : nil)
        let stamp = ScanStamp(
            size: Int64(Int(cells[6])), modified: Int64(Int(cells[7])),
            device: UInt64(bitPattern: Int64(Int(cells[8]))),
            inode: UInt64(bitPattern: Int64(Int(cells[9]))),
            surroundings: UInt64(bitPattern: Int64(Int(cells[10]))))
        return TrackRow(track: track, stamp: stamp)
    }

    /// The rows of a condition on `tracks` and `missing`.
    ///
    /// - Throws: An error if one is damaged.
    private func rows<each Value: SQLiteValue>(
        _ condition: String, _ values: repeat each Value
    ) throws -> [TrackRow] {
        let statement = try db.statement(Self.columns + condition)
        statement.bind(repeat each values)
        defer { statement.rewind() }
        var rows: [TrackRow] = []
        while try statement.next() {
            guard let row = Self.row(statement, hasSince: true) else {
                throw SQLiteError.damage("a track is damaged")
            }
            rows.append(row)
        }
        return rows
    }

    /// The track with an id; nil if there is none.
    func row(_ id: Int) throws -> TrackRow? { try rows("WHERE tracks.id = ?", id).first }

    /// The tracks with ids in a range.
    func rows(_ ids: Range<Int>) throws -> [TrackRow] {
        try rows("WHERE tracks.id >= ? AND tracks.id < ?", ids.lowerBound, ids.upperBound)
    }

    /// The tracks of a file, by their start.
    func rows(of path: FilePath, in folder: Int) throws -> [TrackRow] {
        try rows(
            "WHERE folder = ? AND name = ? ORDER BY start", folder,
            Self.hash(TrackRow.split(path).name)
        ).filter { $0.track.path == path }
    }

    /// The tracks of the files directly in a folder.
    func rows(in folder: Int) throws -> [TrackRow] { try rows("WHERE folder = ?", folder) }

    /// The ids of the tracks directly in a folder that are not missing.
    func presentIDs(in folder: Int) throws -> [Int] {
        try ids(
            "SELECT id FROM tracks WHERE folder = ? AND id NOT IN (SELECT id FROM missing)", folder)
    }

    /// The missing tracks whose files may have been what is a file with this stamp now.
    func missingRows(like stamp: ScanStamp) throws -> [TrackRow] {
        try rows(
            "WHERE missing.size = ? AND missing.modified = ?", Int(stamp.size), Int(stamp.modified))
            + rows(
                "WHERE missing.inode = ? AND missing.device = ? AND missing.inode != 0",
                Int(truncatingIfNeeded: stamp.inode), Int(truncatingIfNeeded: stamp.device))
    }

    /// The ids of the tracks that were added since `time`, and whose files may be what was the file of
    /// the track `id` before.
    func idsLike(_ id: Int, addedSince time: Double) throws -> [Int] {
        try ids(
            """
            SELECT new.id FROM tracks AS old JOIN tracks AS new USING (size, modified)
            WHERE old.id = ? AND new.added >= ? AND new.id > old.id
            """, id, time)
    }

    /// The ids of at most `limit` tracks that are missing since before `time`.
    func missingIDs(before time: Double, limit: Int) throws -> [Int] {
        try ids("SELECT id FROM missing WHERE since < ? LIMIT ?", time, limit)
    }

    /// The number of all tracks.
    func count() throws -> Int { try db.value("SELECT count(*) FROM tracks") ?? 0 }

    private func ids<each Value: SQLiteValue>(
        _ sql: String, _ values: repeat each Value
    ) throws -> [Int] {
        let row = try db.statement(sql)
        row.bind(repeat each values)
        defer { row.rewind() }
        var ids: [Int] = []
        while try row.next() { ids.append(row[0]) }
        return ids
    }
}

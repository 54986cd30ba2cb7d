import UndersongBase
import UndersongLibrary
import UndersongPlayback

/// Finds tracks in the library's file, from which it reads on one thread at a time. It keeps the names
/// and folders, about 2 MB for 100,000 tracks.
struct LibraryReader: Sendable {
    let db: Database
    private let zone: LocalZone
    private var names = NameList()
    private var folders = NameList()
    /// The version of the names' order that was read.
    private var version: Int?
    /// The start of the random order, which the pages of one list have in common.
    private var seed = UInt64.random(in: .min ... .max)

    init(_ db: Database, zone: LocalZone) {
        self.db = db
        self.zone = zone
    }

    /// Calls `body` with one state of the file. `version` increases with each change of the names'
    /// order.
    mutating func read<Result>(
        version: Int, _ body: (inout LibraryReader) throws -> Result
    ) throws -> Result {
        try db.execute("BEGIN")
        defer { try? db.execute("COMMIT") }
        try names.update(from: "names", of: db) { String($0) }
        try folders.update(from: "directories", of: db) {
            FilePath(bytes: Blob($0).bytes).description
        }
        if self.version != version || names.ranks.count < names.count
            || folders.ranks.count < folders.count
        {
            try names.sort(by: "names", of: db)
            try folders.sort(by: "directories", of: db)
            self.version = version
        }
        return try body(&self)
    }

    private var tracks: TrackTable { TrackTable(db: db) }

    // MARK: Matches

    /// Passes the segments in which a query finds tracks to `body`, with these.
    private func forEachMatch(
        _ query: LibraryQuery, now: Double, _ parts: Segment.Parts = [],
        _ body: (Segment, SegmentBits) throws -> Void
    ) throws {
        let test = query.condition.map {
            SegmentTest($0, names: names, folders: folders, now: now, zone: zone)
        }
        try Segment.forEach(in: db, parts.union(test?.parts ?? [])) { segment in
            let all = SegmentBits.all.filter {
                segment.facts[$0].flags & TrackFacts.exists != 0
            }
            let found = try test?.matches(segment, all) { slots in
                let rows = try tracks.rows(Segment.ids(of: segment.number))
                return rows.map(\.track).filter { track in
                    let slot = track.id % Segment.length
                    return slots[slot >> 6] >> UInt64(slot & 63) & 1 == 1
                }
            }
            try body(segment, found ?? all)
        }
    }

    /// The ids of the tracks of a part of what a query finds, with the number and the length of all.
    mutating func find(
        _ query: LibraryQuery, _ range: Range<Int>, now: Double
    ) throws -> (ids: [Int], count: Int, seconds: Double) {
        if range.lowerBound == 0 { seed = .random(in: .min ... .max) }
        var matches = TrackOrder(query.order, names: names, folders: folders, seed: seed)
        try forEachMatch(query, now: now, matches.parts) { segment, found in
            found.forEach { matches.add(segment, $0) }
        }
        guard let limit = query.limit, limit < matches.count else {
            let part = try sorted(matches, range.clamped(to: 0..<matches.count))
            return (part.map { matches.id($0) }, matches.count, matches.seconds)
        }
        let first = try sorted(matches, 0..<limit)
        let seconds = first.reduce(0) { $0 + matches.seconds(of: $1) }
        return (first[range.clamped(to: 0..<limit)].map { matches.id($0) }, limit, seconds)
    }

    private func sorted(_ matches: TrackOrder, _ range: Range<Int>) throws -> [Int] {
        try matches.sorted(range) { ids, body in
            var index = 0
            while index < ids.count {
                // Ids follow each other, so a segment is read once.
                let segment = try Segment(ids[index] / Segment.length, of: db)
                while index < ids.count, ids[index] / Segment.length == segment.number {
                    body(segment, ids[index] % Segment.length)
                    index += 1
                }
            }
        }
    }

    // MARK: Groups

    /// The groups of what a query finds, as `LibraryStore.groups`.
    mutating func groups(
        by grouping: LibraryGrouping, _ query: LibraryQuery, newestFirst: Bool, _ range: Range<Int>,
        now: Double
    ) throws -> LibraryGroups {
        var groups = TrackGroups(grouping)
        if let limit = query.limit {
            let ids = Set(try find(query, 0..<limit, now: now).ids)
            try Segment.forEach(in: db, .marks) { segment in
                for slot in 0..<Segment.length
                where ids.contains(segment.number * Segment.length + slot) {
                    groups.add(segment, slot)
                }
            }
        } else {
            try forEachMatch(query, now: now, .marks) { segment, found in
                found.forEach { groups.add(segment, $0) }
            }
        }
        try groups.separate(isList: { names.isList($0) }, names: { try texts($0) }) { text in
            let row = try db.statement("SELECT id FROM names WHERE text = ?")
            row.bind(text)
            defer { row.rewind() }
            return try row.next() ? UInt32(clamping: row[0] as Int) : nil
        }
        let sorted = groups.sorted(newestFirst: newestFirst, rank: { names.rank($0) })
        let part = sorted[range.clamped(to: 0..<sorted.count)]
        return LibraryGroups(
            groups: try part.map { try $0.group(by: grouping) { try texts($0) } },
            count: sorted.count)
    }

    /// The texts of a list of names.
    private func texts(_ id: UInt32) throws -> [String] {
        guard id != 0 else { return [] }
        let row = try db.statement("SELECT text FROM names WHERE id = ?")
        row.bind(Int(id))
        defer { row.rewind() }
        guard try row.next() else { throw SQLiteError.damage("a name is missing") }
        return (row[0] as String).split(separator: "\0", omittingEmptySubsequences: false)
            .map(String.init)
    }

    // MARK: Tracks

    func tracks(_ ids: [Int]) throws -> [Track] {
        try ids.compactMap { try tracks.row($0)?.track }
    }

    /// The track of a file or of a part of one, by its start; one that is there, if there are several.
    func track(of path: FilePath, part: TrackPart?) throws -> Track? {
        guard let folder = try NameTable(db: db).knownFolder(TrackRow.split(path).folder) else {
            return nil
        }
        let rows = try tracks.rows(of: path, in: folder).filter { row in
            guard let start = part?.start, let own = row.track.part?.start else {
                return part == nil && row.track.part == nil
            }
            return abs(start - own) < 0.001
        }
        return (rows.first { $0.track.missingSince == nil } ?? rows.first)?.track
    }

    /// The tracks of files, whole or in parts, by their start.
    func tracks(of paths: [FilePath]) throws -> [Track] {
        let table = NameTable(db: db)
        return try paths.flatMap { path in
            let folder = try table.knownFolder(TrackRow.split(path).folder)
            return try folder.map { try tracks.rows(of: path, in: $0).map(\.track) } ?? []
        }
    }

    /// The tracks of the files directly in each of the folders, as far as these are known.
    func tracks(in folders: [FilePath]) throws -> [Track] {
        let table = NameTable(db: db)
        return try folders.flatMap { folder in
            let id = try table.knownFolder(NameTable.bounds(of: folder).first)
            return try id.map { try tracks.rows(in: $0).map(\.track) } ?? []
        }
    }

    /// The folders, in `folder` and all below it, with files that are tracks and not missing.
    func folders(in folder: FilePath) throws -> [FilePath] {
        try NameTable(db: db).folders(in: folder)
            .filter { try !tracks.presentIDs(in: $0.id).isEmpty }.map(\.path)
    }

    /// The number of tracks in a folder and all below it.
    func trackCount(in folder: FilePath) throws -> Int {
        let row = try db.statement(
            """
            SELECT count(*) FROM tracks WHERE folder IN (
                SELECT id FROM directories WHERE path >= ? AND path < ?)
            """)
        let bounds = NameTable.bounds(of: folder)
        row.bind(Blob(bounds.first), Blob(bounds.end))
        defer { row.rewind() }
        return try row.next() ? row[0] : 0
    }
}

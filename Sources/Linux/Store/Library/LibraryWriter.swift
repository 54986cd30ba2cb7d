import UndersongBase
import UndersongLibrary
import UndersongPlayback

/// Writes tracks and what searches read of them. It belongs to the library's own thread, within a
/// transaction.
struct LibraryWriter {
    /// The names that were looked up last.
    private static let cacheLimit = 4096

    let db: Database
    private var names: [String: UInt32] = [:]
    private var folders: [[UInt8]: Int] = [:]
    /// True if the order of names may have changed.
    var hasNewNames = false
    /// The number of tracks that were added, less those that were removed.
    var trackChange = 0

    init(_ db: Database) { self.db = db }

    private var tracks: TrackTable { TrackTable(db: db) }

    // MARK: Tracks

    /// Writes tracks in place of those with the same ids.
    mutating func put(_ rows: [TrackRow]) throws {
        var facts: [Int: TrackFacts] = [:]
        for row in rows {
            let folder = try folder(TrackRow.split(row.track.path).folder)
            try tracks.write(row, in: folder)
            facts[row.track.id] = try self.facts(of: row.track, in: folder)
        }
        try update(rows.map(\.track.id), [.marks, .texts], facts: true) { segment, ids in
            var texts: [Int: (title: [UInt8], name: [UInt8])] = [:]
            let tracks = Dictionary(rows.map { ($0.track.id, $0.track) }) { $1 }
            for id in ids {
                guard let track = tracks[id] else { continue }
                let slot = id % Segment.length
                segment.facts[slot] = facts[id] ?? TrackFacts()
                segment.marks[slot] = TrackMarks(track)
                let name = FilePath(bytes: TrackRow.split(track.path).name).description
                texts[slot] = (
                    Array((track.tags.title ?? "").folded.utf8), Array(name.folded.utf8)
                )
            }
            segment.texts.replace(texts)
        }
    }

    /// Writes what listeners have done with tracks.
    mutating func putMarks(_ rows: [TrackRow]) throws {
        for row in rows {
            try tracks.write(row, in: try folder(TrackRow.split(row.track.path).folder))
        }
        let tracks = Dictionary(rows.map { ($0.track.id, $0.track) }) { $1 }
        try update(rows.map(\.track.id), [.marks], facts: false) { segment, ids in
            for id in ids {
                if let track = tracks[id] { segment.marks[id % Segment.length] = TrackMarks(track) }
            }
        }
    }

    /// Changes what listeners have done with tracks. Returns those that exist, as they are now.
    mutating func change(_ ids: [Int], _ body: (inout Track) -> Void) throws -> [TrackRow] {
        var rows = try ids.compactMap { try tracks.row($0) }
        for index in rows.indices { body(&rows[index].track) }
        try putMarks(rows)
        return rows
    }

    /// Marks tracks as missing since a time, or as present again if it is nil.
    mutating func setMissing(_ ids: [Int], since: Double?) throws {
        for id in ids {
            if let since {
                try tracks.markMissing(id, since: since)
            } else {
                try db.statement("DELETE FROM missing WHERE id = ?").run(id)
            }
        }
        try update(ids, [.marks], facts: false) { segment, ids in
            for id in ids {
                let slot = id % Segment.length
                segment.marks[slot].flags &= ~TrackMarks.isMissing
                if since != nil { segment.marks[slot].flags |= TrackMarks.isMissing }
            }
        }
    }

    mutating func remove(_ ids: [Int]) throws {
        for id in ids { try tracks.remove(id) }
        trackChange -= ids.count
        try update(ids, [.marks, .texts], facts: true) { segment, ids in
            for id in ids {
                segment.facts[id % Segment.length] = TrackFacts()
                segment.marks[id % Segment.length] = TrackMarks()
            }
            segment.texts.replace(
                Dictionary(uniqueKeysWithValues: ids.map { ($0 % Segment.length, ([], [])) }))
        }
    }

    /// Changes the segments of tracks.
    private func update(
        _ ids: [Int], _ parts: Segment.Parts, facts: Bool,
        _ body: (inout Segment, [Int]) -> Void
    ) throws {
        for (number, ids) in Dictionary(grouping: Set(ids), by: { $0 / Segment.length }) {
            var segment = try Segment(number, of: db)
            body(&segment, ids)
            try segment.write(parts, facts: facts, to: db)
        }
    }

    // MARK: Names

    mutating func folder(_ path: [UInt8]) throws -> Int {
        if let id = folders[path] { return id }
        if folders.count >= Self.cacheLimit { folders = [:] }
        let id = try NameTable(db: db).folder(path, isChanged: &hasNewNames)
        folders[path] = id
        return id
    }

    private mutating func name(_ names: [String], sort: String? = nil) throws -> UInt32 {
        guard !names.isEmpty else { return 0 }
        let key = NameTable.text(names) + "\u{1}" + (sort ?? "")
        if let id = self.names[key] { return id }
        if self.names.count >= Self.cacheLimit { self.names = [:] }
        let id = UInt32(
            clamping: try NameTable(db: db).id(of: names, sort: sort, isChanged: &hasNewNames))
        self.names[key] = id
        return id
    }

    private mutating func facts(of track: Track, in folder: Int) throws -> TrackFacts {
        let tags = track.tags
        var facts = TrackFacts()
        func number(_ value: Int?) -> Int32 {
            value.map { Int32(clamping: $0) } ?? TrackFacts.unknown
        }
        facts.folder = UInt32(clamping: folder)
        facts.artists = try name(tags.artists, sort: tags.artistSort)
        let ownSort = tags.isCompilation ? nil : tags.artistSort
        facts.albumArtists = try name(
            track.albumArtists, sort: tags.albumArtists.isEmpty ? ownSort : tags.albumArtistSort)
        facts.album = try name(tags.album.map { [$0] } ?? [], sort: tags.albumSort)
        facts.genres = try name(tags.genres)
        facts.composers = try name(tags.composers)
        facts.date = number((tags.date ?? tags.originalDate).map(Self.day))
        facts.year = number(track.year)
        facts.disc = number(tags.disc)
        facts.number = number(tags.number)
        facts.flags = TrackFacts.exists
        if tags.isCompilation { facts.flags |= TrackFacts.isCompilation }
        if tags.hasCover { facts.flags |= TrackFacts.hasCover }
        guard let sound = track.sound else { return facts }
        facts.flags |= TrackFacts.hasSound
        facts.encoding = try name([sound.format.encoding])
        facts.sampleRate = number(sound.format.sampleRate)
        facts.channels = UInt16(clamping: sound.format.channels)
        facts.bitRate = number(sound.bitRate)
        facts.seconds = sound.seconds ?? .nan
        return facts
    }

    /// A date's year, month and day as one number: those that are unknown are 0.
    private static func day(_ date: String) -> Int {
        let parts = date.split(separator: "-").prefix(3).map { Int($0) ?? 0 }
        return parts.enumerated().reduce(0) { sum, part in
            sum + min(max(part.element, 0), part.offset == 0 ? 9999 : 99)
                * [10000, 100, 1][part.offset]
        }
    }
}

extension TrackMarks {
    init(_ track: Track) {
        added = track.added
        modified = track.modified
        played = track.lastPlayed ?? .nan
        plays = UInt32(clamping: track.playCount)
        skips = UInt32(clamping: track.skipCount)
        rating = UInt16(clamping: track.rating ?? 0)
        if track.isFavourite { flags |= Self.isFavourite }
        if track.missingSince != nil { flags |= Self.isMissing }
    }
}

extension Track {
    /// True if a listener has done something with it.
    fileprivate var hasMarks: Bool {
        rating != nil || isFavourite || playCount > 0 || skipCount > 0
    }

    /// True if a file with this part and these tags is the same song.
    fileprivate func isSameSong(_ part: TrackPart?, _ tags: TrackTags) -> Bool {
        self.part == part && self.tags.title == tags.title && self.tags.artists == tags.artists
            && self.tags.album == tags.album
    }
}

// MARK: - Scanned files

extension LibraryWriter {
    /// The seconds in which a file may be found under its new name before its old one is missing.
    private static let moveSeconds = 300.0

    /// Stores a batch of files.
    mutating func apply(_ batch: [ScannedFile], now: Double) throws {
        var (rows, gone): ([TrackRow], [Int]) = ([], [])
        var (adopted, paths): (Set<Int>, Set<FilePath>) = ([], [])
        let first = try nextID()
        var next = first
        for file in batch {
            let (path, name) = TrackRow.split(file.path)
            let folder = try self.folder(path)
            try db.statement("DELETE FROM others WHERE folder = ? AND name = ?")
                .run(folder, Blob(name))
            if file.tracks.isEmpty { try addOther(name, file.stamp, in: folder) }
            // A file may be twice in a batch.
            if !paths.insert(file.path).inserted { rows.removeAll { $0.track.path == file.path } }
            var known = try tracks.rows(of: file.path, in: folder)
            for (index, scanned) in file.tracks.enumerated() {
                // A sheet may name a start twice, and a part may not begin where another does.
                let start = scanned.part?.start
                guard !file.tracks[..<index].contains(where: { $0.part?.start == start }) else {
                    continue
                }
                var old = Self.remove(&known, like: scanned)
                if old == nil {
                    old = try moved(scanned, file, without: adopted)
                    if let old { adopted.insert(old.track.id) }
                }
                var track =
                    old?.track
                    ?? Track(
                        id: next, path: file.path, added: now,
                        modified: Double(file.stamp.modified) / 1e9)
                if old == nil { next += 1 }
                track.path = file.path
                track.part = scanned.part
                track.tags = scanned.tags
                track.sound = scanned.sound
                track.modified = Double(file.stamp.modified) / 1e9
                track.missingSince = nil
                rows.append(TrackRow(track: track, stamp: file.stamp))
            }
            gone += known.map(\.track.id)
        }
        try setMissing(gone, since: now)
        try put(rows)
        trackChange += rows.count { $0.track.id >= first }
    }

    /// Removes and returns the known track that a scanned one is: the part with the same start, or
    /// else with the same title and number.
    private static func remove(
        _ known: inout [TrackRow], like scanned: ScannedTrack
    ) -> TrackRow? {
        let index =
            known.firstIndex { $0.track.part?.start == scanned.part?.start }
            ?? known.firstIndex { row in
                scanned.part != nil && row.track.part != nil
                    && row.track.tags.title == scanned.tags.title
                    && row.track.tags.number == scanned.tags.number
            }
        return index.map { known.remove(at: $0) }
    }

    /// The missing track that a new one was before its file was moved; nil if there is none. It has
    /// the same title, artists and album, and its file the same size and date, or number.
    private func moved(
        _ scanned: ScannedTrack, _ file: ScannedFile, without adopted: Set<Int>
    ) throws -> TrackRow? {
        let candidates = try tracks.missingRows(like: file.stamp).filter { row in
            !adopted.contains(row.track.id) && row.track.isSameSong(scanned.part, scanned.tags)
        }
        let name = TrackRow.split(file.path).name
        return candidates.first { TrackRow.split($0.track.path).name == name } ?? candidates.first
    }

    /// Gives the files of new tracks to those that are missing now, if they were moved and were found
    /// under their new names first.
    private mutating func move(_ missing: [Int], now: Double) throws {
        for id in missing {
            let ids = try tracks.idsLike(id, addedSince: now - Self.moveSeconds)
            guard !ids.isEmpty, var old = try tracks.row(id) else { continue }
            let new = try ids.lazy.compactMap { try tracks.row($0) }.first { row in
                row.track.missingSince == nil && !row.track.hasMarks
                    && row.track.isSameSong(old.track.part, old.track.tags)
            }
            guard let new else { continue }
            try remove([new.track.id])
            old.stamp = new.stamp
            old.track.path = new.track.path
            old.track.missingSince = nil
            try put([old])
        }
    }

    private func addOther(_ name: [UInt8], _ stamp: ScanStamp, in folder: Int) throws {
        try db.statement("INSERT INTO others VALUES (?, ?, ?, ?, ?, ?, ?)").run(
            folder, Blob(name), Int(stamp.size), Int(stamp.modified),
            Int(truncatingIfNeeded: stamp.device), Int(truncatingIfNeeded: stamp.inode),
            Int(truncatingIfNeeded: stamp.surroundings))
    }

    /// The id of the next new track: higher than any that was ever used.
    private func nextID() throws -> Int {
        (try db.value("SELECT seq FROM sqlite_sequence WHERE name = 'tracks'") ?? 0) + 1
    }

    /// Marks files as missing. Those that are not music are forgotten.
    mutating func markMissing(_ files: [FilePath], since now: Double) throws {
        var ids: [Int] = []
        for file in files {
            let (path, name) = TrackRow.split(file)
            guard let folder = try NameTable(db: db).knownFolder(path) else { continue }
            try db.statement("DELETE FROM others WHERE folder = ? AND name = ?")
                .run(folder, Blob(name))
            ids += try tracks.rows(of: file, in: folder).map(\.track.id)
        }
        try setMissing(ids, since: now)
        try move(ids, now: now)
    }

    /// Marks the files in a folder and all below it as missing, but for those in other folders.
    mutating func markMissing(
        below folder: FilePath, butFor others: [FilePath], since now: Double
    ) throws {
        let names = NameTable(db: db)
        var kept: Set<Int> = []
        for other in others { kept.formUnion(try names.folders(in: other).map(\.id)) }
        for folder in try names.folders(in: folder) where !kept.contains(folder.id) {
            try db.statement("DELETE FROM others WHERE folder = ?").run(folder.id)
            let ids = try tracks.presentIDs(in: folder.id)
            try setMissing(ids, since: now)
            try move(ids, now: now)
        }
    }

    /// Marks files with these stamps as present, but not the parts that a CUE sheet does not name
    /// any more.
    mutating func markPresent(_ files: [FilePath: ScanStamp]) throws {
        var ids: [Int] = []
        for (file, stamp) in files {
            guard let folder = try NameTable(db: db).knownFolder(TrackRow.split(file).folder) else {
                continue
            }
            let rows = try tracks.rows(of: file, in: folder)
            ids += rows.filter { $0.stamp.hasContent(of: stamp) }.map(\.track.id)
        }
        try setMissing(ids, since: nil)
    }
}

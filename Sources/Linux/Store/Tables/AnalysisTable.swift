import UndersongBase
import UndersongPlayback

/// The results of decoding files as a whole, by their paths, whether or not they are in the queue.
struct AnalysisTable {
    /// The table of a file: the record as JSON, and what rows are looked up by.
    static let schema = """
        CREATE TABLE analyses (
            path TEXT PRIMARY KEY, date REAL NOT NULL, album TEXT, value TEXT NOT NULL,
            checksum INTEGER NOT NULL);
        CREATE INDEX analyses_album ON analyses (album) WHERE album IS NOT NULL;
        """

    /// The number of files that are remembered; those that were analyzed first are forgotten first.
    static let limit = 100_000

    let db: Database

    func write(_ record: AnalysisRecord, of path: FilePath) throws {
        try db.insert(
            into: "analyses", path, record.date, record.analysis?.album, StoredValue(record))
    }

    /// Nil if there is none or its row is damaged.
    func record(of path: FilePath) throws -> AnalysisRecord? {
        let row = try db.statement("SELECT * FROM analyses WHERE path = ?")
        row.bind(path)
        guard try row.next() else { return nil }
        defer { row.rewind() }
        return Self.record(row)
    }

    /// The record of a row; nil if the row is damaged.
    static func record(_ row: Statement) -> AnalysisRecord? {
        row.checksum == nil ? nil : (row[3] as StoredValue).value
    }

    /// The gains of a file with this content; nil if it was not measured.
    func gain(of path: FilePath, _ stamp: FileStamp) throws -> ReplayGain? {
        guard let record = try record(of: path), record.stamp == stamp,
            let analysis = record.analysis, let loudness = analysis.loudness
        else { return nil }
        let album = try analysis.album.flatMap { try albumLoudness($0) }
        return ReplayGain(measured: loudness, album: album)
    }

    /// The loudness of the files of an album together, which is the mean of their powers, by their
    /// lengths.
    private func albumLoudness(_ album: String) throws -> MeasuredLoudness? {
        let row = try db.statement("SELECT * FROM analyses WHERE album = ?")
        row.bind(album)
        var sum = AlbumLoudness()
        while try row.next() {
            if let analysis = Self.record(row)?.analysis { sum.add(analysis) }
        }
        return sum.loudness
    }

    /// Forgets the files that are too many.
    func trim() throws {
        try db.statement(
            """
            DELETE FROM analyses WHERE path IN (
                SELECT path FROM analyses ORDER BY date DESC LIMIT -1 OFFSET ?)
            """
        ).run(Self.limit)
    }
}

extension AnalysisRecord {
    /// Nil if the file could not be decoded to its end.
    fileprivate var analysis: FileAnalysis? {
        if case .analyzed(let analysis) = outcome { analysis } else { nil }
    }
}

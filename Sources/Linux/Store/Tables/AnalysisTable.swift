import UndersongBase
import UndersongPlayback

/// What decoding files as a whole has shown, by their paths, whether or not they are in the queue.
struct AnalysisTable {
    /// The table of a file; loudness is in LUFS, and a peak of 1 is full scale. `detail` has the
    /// damage, one clause a line, or the reason why the file cannot be played.
    static let schema = """
        CREATE TABLE analyses (
            path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL,
            date REAL NOT NULL, outcome TEXT NOT NULL, detail TEXT, crashes INTEGER NOT NULL,
            seconds REAL, loudness REAL, true_peak REAL, sample_peak REAL, album TEXT,
            checksum INTEGER NOT NULL);
        CREATE INDEX analyses_album ON analyses (album) WHERE album IS NOT NULL;
        """

    /// How many files are remembered; those that were analyzed first are forgotten first.
    static let limit = 100_000

    private enum Outcome: String {
        case analyzed, unplayable, crashed
    }

    let db: Database

    func write(_ record: AnalysisRecord, of path: FilePath) throws {
        var (outcome, detail, crashes) = (Outcome.analyzed, String?.none, 0)
        var analysis: FileAnalysis?
        switch record.outcome {
        case .analyzed(let found):
            analysis = found
            if !found.damage.isEmpty { detail = found.damage.joined(separator: "\n") }
        case .unplayable(let reason): (outcome, detail) = (.unplayable, reason)
        case .crashed(let count): (outcome, crashes) = (.crashed, count)
        }
        let loudness = analysis?.loudness
        try db.insert(
            into: "analyses", path, record.stamp.size, record.stamp.modified, record.date,
            outcome.rawValue, detail, crashes, analysis?.seconds, loudness?.integrated,
            loudness?.truePeak, loudness?.samplePeak, analysis?.album)
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
        guard row.checksum != nil, let kind = Outcome(rawValue: row[4]) else { return nil }
        let detail: String? = row[5]
        let outcome: AnalysisRecord.Outcome =
            switch kind {
            case .analyzed: .analyzed(analysis(row, damage: detail))
            case .unplayable: .unplayable(detail ?? "")
            case .crashed: .crashed(count: row[6])
            }
        return AnalysisRecord(
            stamp: FileStamp(size: row[1], modified: row[2]), date: row[3], outcome: outcome)
    }

    private static func analysis(_ row: Statement, damage: String?) -> FileAnalysis {
        let integrated: Double? = row[8]
        return FileAnalysis(
            loudness: integrated.map {
                MeasuredLoudness(integrated: $0, truePeak: row[9], samplePeak: row[10])
            }, seconds: row[7], album: row[11],
            damage: damage.map { $0.split(separator: "\n").map(String.init) } ?? [])
    }

    /// The gains of a file with this content; nil if it was not measured.
    func gain(of path: FilePath, _ stamp: FileStamp) throws -> ReplayGain? {
        guard let record = try record(of: path), record.stamp == stamp,
            case .analyzed(let analysis) = record.outcome, let loudness = analysis.loudness
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
            if case .analyzed(let analysis)? = Self.record(row)?.outcome { sum.add(analysis) }
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

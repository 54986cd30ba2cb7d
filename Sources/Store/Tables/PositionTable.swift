import Playback

/// The positions of files, by path.
struct PositionTable {
    let db: Database

    func write(_ position: ResumePoint, of path: FilePath) throws {
        try db.statement("INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?, ?)").run(
            path, position.seconds, position.duration, position.isFinished, position.lastPlayed,
            position.checksum(path))
    }

    /// Nil if there is none or its row is damaged.
    func position(of path: FilePath) throws -> ResumePoint? {
        let statement = try db.statement("SELECT * FROM positions WHERE path = ?")
        statement.bind(path)
        guard try statement.next() else { return nil }
        defer { statement.rewind() }
        return Self.row(statement)?.position
    }

    /// Passes all undamaged rows to `body`, as far as they can be read.
    func read(_ body: (FilePath, ResumePoint) throws -> Void) throws {
        let statement = try db.statement("SELECT * FROM positions")
        defer { statement.rewind() }
        while try statement.next() {
            if let row = Self.row(statement) { try body(row.path, row.position) }
        }
    }

    private static func row(_ row: Statement) -> (path: FilePath, position: ResumePoint)? {
        let path: FilePath = row[0]
        let position = ResumePoint(
            seconds: row[1], duration: row[2], isFinished: row[3], lastPlayed: row[4])
        return position.checksum(path) == row[5] ? (path, position) : nil
    }
}

extension ResumePoint {
    fileprivate func checksum(_ path: FilePath) -> Int64 {
        var sum = Checksum()
        sum.add(path)
        sum.add(seconds.bitPattern)
        sum.add(duration.bitPattern)
        sum.add(isFinished ? Int64(1) : 0)
        sum.add(lastPlayed.bitPattern)
        return sum.value
    }
}

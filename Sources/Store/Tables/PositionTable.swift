import GRDB
import GRDBSQLite
import Playback

/// The rows of files' positions, by their paths.
struct PositionTable {
    let db: Database

    func write(_ position: FilePosition, of path: FilePath) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?, ?)")
        statement.bind(path, at: 1)
        statement.bind(position.seconds, at: 2)
        statement.bind(position.duration, at: 3)
        statement.bind(position.isFinished ? 1 : 0, at: 4)
        statement.bind(position.lastPlayed, at: 5)
        statement.bind(position.checksum(path), at: 6)
        try statement.run()
    }

    /// Nil when there is none, or when its row is damaged.
    func position(of path: FilePath) throws -> FilePosition? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM positions WHERE path = ?")
        statement.bind(path, at: 1)
        guard try statement.nextRow() else { return nil }
        defer { statement.rewind() }
        return Self.row(statement)?.position
    }

    /// All rows behind `path` that are not damaged, and as far as they can be read.
    func read(_ body: (FilePath, FilePosition) throws -> Void) throws {
        let statement = try db.cachedStatement(sql: "SELECT * FROM positions")
        defer { statement.rewind() }
        while try statement.nextRow() {
            if let row = Self.row(statement) { try body(row.path, row.position) }
        }
    }

    private static func row(_ row: Statement) -> (path: FilePath, position: FilePosition)? {
        guard let path = row.path(0) else { return nil }
        let position = FilePosition(
            seconds: row.double(1), duration: row.double(2),
            isFinished: row.number(3) != 0, lastPlayed: row.double(4))
        return position.checksum(path) == row.number(5) ? (path, position) : nil
    }
}

extension FilePosition {
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

import UndersongBase
import UndersongLibrary
import UndersongPlayback

/// Finds files in the library's file that a scan compares with the disk.
///
/// It has a connection of its own: a scan runs when nothing else wants the processor, and who holds the
/// connection for queries would make those wait as long.
struct ScanReader: Sendable {
    let db: Database

    func knownFolders(in folder: FilePath) throws -> [FilePath] {
        let row = try db.statement(
            """
            SELECT EXISTS (
                SELECT 1 FROM tracks WHERE folder = ?1 AND id NOT IN (SELECT id FROM missing))
            OR EXISTS (SELECT 1 FROM others WHERE folder = ?1)
            """)
        return try NameTable(db: db).folders(in: folder).filter { folder in
            row.bind(folder.id)
            defer { row.rewind() }
            return try row.next() && row[0]
        }.map(\.path)
    }

    func knownFiles(in folder: FilePath) throws -> [FilePath: KnownFile] {
        let path = NameTable.bounds(of: folder).first
        guard let id = try NameTable(db: db).knownFolder(path) else { return [:] }
        var files: [FilePath: KnownFile] = [:]
        // A row whose checksum does not fit is found when its track is read or changed.
        try forEach(
            """
            SELECT path, tracks.size, tracks.modified, tracks.device, tracks.inode, surroundings,
                since IS NOT NULL
            FROM tracks LEFT JOIN missing USING (id) WHERE folder = ?
            """, id
        ) { bytes, file in
            let path = FilePath(bytes: bytes)
            // A part that a CUE sheet no longer names is missing beside others that are not.
            if file.isMissing, files[path] != nil { return }
            files[path] = file
        }
        try forEach(
            """
            SELECT name, size, modified, device, inode, surroundings, 0 FROM others
            WHERE folder = ?
            """, id
        ) { name, file in files[FilePath(bytes: path + name)] = file }
        return files
    }

    /// Calls `body` with the name in each row that `sql` finds in a folder, and with its file.
    private func forEach(
        _ sql: String, _ folder: Int, body: (_ name: [UInt8], KnownFile) -> Void
    ) throws {
        let row = try db.statement(sql)
        row.bind(folder)
        defer { row.rewind() }
        while try row.next() {
            func word(_ column: Int32) -> UInt64 { UInt64(bitPattern: Int64(row[column] as Int)) }
            let stamp = ScanStamp(
                size: Int64(row[1] as Int), modified: Int64(row[2] as Int), device: word(3),
                inode: word(4), surroundings: word(5))
            body((row[0] as Blob).bytes, KnownFile(stamp: stamp, isMissing: row[6]))
        }
    }
}

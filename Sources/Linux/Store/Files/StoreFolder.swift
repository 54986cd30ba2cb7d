import CUndersongLinux
import Glibc
import UndersongBase

/// The store's own folder, which is locked while it is used.
struct StoreFolder {
    let database: String
    /// The path at which the replacement of a file is built.
    var replacement: String { database + ".new" }

    init(_ path: String, file: String = "state.sqlite") { database = path + "/" + file }

    /// Opens a file that only its owner can read, and makes it if it is missing.
    ///
    /// - Throws: `SystemError`.
    static func open(_ path: String) throws -> Int32 {
        let file = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last }
        return file
    }
}

// MARK: The database's files

extension StoreFolder {
    private static let endings = ["", "-wal", "-shm"]

    /// Creates a database file, which SQLite would make readable by everyone.
    ///
    /// - Throws: `SystemError`.
    static func prepare(_ path: String) throws {
        let file = try open(path)
        fchmod(file, 0o600)
        close(file)
    }

    /// Completes the replacement of a file if the process that began it died.
    func endReplacing() throws {
        guard Self.exists(replacement) else { return }
        if Self.exists(database) { return removeReplacement() }
        try Self.move(replacement, to: database)
    }

    func removeReplacement() {
        for ending in Self.endings { unsafe unlink(replacement + ending) }
    }

    /// Sets the damaged file aside under a name with a number, and puts the new one in its place.
    /// Returns the path of the file set aside.
    func setDatabaseAside() throws -> String {
        var number = 1
        while Self.exists("\(database).damaged-\(number)") { number += 1 }
        let aside = "\(database).damaged-\(number)"
        for ending in Self.endings.reversed() where Self.exists(database + ending) {
            try Self.move(database + ending, to: aside + ending)
        }
        try Self.move(replacement, to: database)
        return aside
    }

    /// The size of the database in bytes.
    var databaseSize: Int { Self.size(database) + Self.size(database + "-wal") }

    /// True if the last process closed it properly: otherwise its log still exists.
    var isClosed: Bool { !Self.exists(database + "-wal") }

    /// True if the main file is missing or empty while others remain: SQLite would treat it as new
    /// and discard them.
    var hasLostDatabase: Bool { databaseSize > 0 && Self.size(database) < 512 }

    private static func size(_ path: String) -> Int {
        var information = stat()
        return unsafe stat(path, &information) == 0 ? Int(information.st_size) : 0
    }

    /// Passes each of the database's pages to `body`, without using SQLite.
    func readPages(of size: Int = 4096, _ body: ([UInt8]) throws -> Void) throws {
        let file = unsafe Glibc.open(database, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        var page = [UInt8](repeating: 0, count: size)
        while unsafe read(file, &page, page.count) == page.count { try body(page) }
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    private static func move(_ path: String, to other: String) throws {
        guard unsafe rename(path, other) == 0 else { throw SystemError.last }
    }
}

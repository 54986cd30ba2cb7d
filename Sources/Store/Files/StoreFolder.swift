import CLinux
import Glibc

/// The store's own folder and the lock on it. Only its owner can read it.
final class StoreFolder {
    /// Another process is using the folder; its process id, if known.
    struct Locked: Error { let holder: Int? }

    let path: String
    var database: String { path + "/state.sqlite" }
    /// Where the replacement of a damaged file is built.
    var replacement: String { database + ".new" }
    private let lock: Int32

    /// Creates the folder if it is missing, and locks it until `unlock`.
    /// Errors: `SystemError`, `Locked`.
    init(_ path: String) throws {
        self.path = path
        try Self.makeFolder(path)
        lock = try Self.lockFile(path + "/lock")
    }

    deinit { close(lock) }

    /// Releases the folder for other processes and other stores of this one.
    func unlock() {
        // Closing alone would leave the lock to a child process that is just being started.
        flock(lock, LOCK_UN)
    }

    private static func makeFolder(_ path: String) throws {
        var information = stat()
        if unsafe stat(path, &information) == 0 { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeFolder(String(path[..<slash]))
        }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError.last }
    }

    private static func lockFile(_ path: String) throws -> Int32 {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let error = SystemError.last
            defer { close(file) }
            throw error.code == EWOULDBLOCK ? Locked(holder: holder(file)) : error
        }
        // The holder is recorded only for people to read: a full disk is no reason to give up.
        let text = Array("\(getpid())\n".utf8)
        ftruncate(file, 0)
        _ = unsafe text.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
        return file
    }

    private static func holder(_ file: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(file, $0.baseAddress, $0.count, 0)
        }
        guard count > 0 else { return nil }
        return Int(String(decoding: bytes[..<count].prefix { $0 != 0x0a }, as: UTF8.self))
    }
}

extension StoreFolder {
    private static let endings = ["", "-wal", "-shm"]

    /// Creates a database file, which SQLite would make readable by everyone. Errors:
    /// `SystemError`.
    func prepare(_ path: String) throws {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last }
        fchmod(file, 0o600)
        close(file)
    }

    /// Completes the replacement of a damaged file if the process that began it died.
    func endReplacing() throws {
        guard Self.exists(replacement) else { return }
        if Self.exists(database) { return remove(replacement) }
        try Self.move(replacement, to: database)
    }

    func remove(_ path: String) {
        for ending in Self.endings { unsafe unlink(path + ending) }
    }

    /// Sets the damaged file aside and puts the new one in its place. Returns the damaged file's
    /// new path.
    func replaceDatabase() throws -> String {
        let numbers = 1...
        let aside = numbers.lazy.map { "\(self.database).damaged-\($0)" }.first { !Self.exists($0) }
        guard let aside else { throw SystemError(code: EEXIST) }
        for ending in Self.endings.reversed() where Self.exists(database + ending) {
            try Self.move(database + ending, to: aside + ending)
        }
        try Self.move(replacement, to: database)
        return aside
    }

    /// The size of the database in bytes.
    var databaseSize: Int { Self.size(database) + Self.size(database + "-wal") }

    /// Whether the last process closed it properly: otherwise its log still exists.
    var isClosed: Bool { !Self.exists(database + "-wal") }

    /// Whether the main file is missing or empty while others remain: SQLite would treat it as new
    /// and discard them.
    var hasLostDatabase: Bool { databaseSize > 0 && Self.size(database) < 512 }

    private static func size(_ path: String) -> Int {
        var information = stat()
        return unsafe stat(path, &information) == 0 ? Int(information.st_size) : 0
    }

    /// Passes each of the database's pages to `body`, without using SQLite.
    func readPages(_ body: ([UInt8]) throws -> Void) throws {
        let file = unsafe open(database, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        let length = 4096
        while true {
            let page = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
                count = max(0, unsafe read(file, buffer.baseAddress, length))
            }
            guard page.count == length else { return }
            try body(page)
        }
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    private static func move(_ path: String, to other: String) throws {
        guard unsafe rename(path, other) == 0 else { throw SystemError.last }
    }
}

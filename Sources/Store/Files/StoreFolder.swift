import CLinux
import Glibc

/// The folder that the store has for itself, and the lock on it. Only its owner can look into it.
final class StoreFolder {
    /// Another process has the folder: its id, where that can be told.
    struct Locked: Error { let holder: Int? }

    let path: String
    var database: String { path + "/state.sqlite" }
    /// Where a file is made that is to take the place of a damaged one.
    var replacement: String { database + ".new" }
    private let lock: Int32

    /// Makes the folder where there is none and locks it, until `unlock`.
    /// Errors: `SystemError`, `Locked`.
    init(_ path: String) throws {
        self.path = path
        try Self.makeFolder(path)
        lock = try Self.lockFile(path + "/lock")
    }

    deinit { close(lock) }

    /// Lets another process, or another store of this one, have it.
    func unlock() {
        // Closing alone would leave it to a child that is just being started.
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
        // Who has it is only for people to read: a full disk is no reason to leave it.
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

    /// Makes a database's file, which SQLite would make for everyone to read. Errors: `SystemError`.
    func prepare(_ path: String) throws {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last }
        fchmod(file, 0o600)
        close(file)
    }

    /// Ends what a process has begun that died while it put a new file in the place of a damaged one.
    func endReplacing() throws {
        guard Self.exists(replacement) else { return }
        if Self.exists(database) { return remove(replacement) }
        try Self.move(replacement, to: database)
    }

    func remove(_ path: String) {
        for ending in Self.endings { unsafe unlink(path + ending) }
    }

    /// Sets the damaged file aside and puts the new one in its place. Returns where the damaged one
    /// is now.
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

    /// How many bytes the database takes.
    var databaseSize: Int { Self.size(database) + Self.size(database + "-wal") }

    /// Whether the process that had it last has closed it: else its log is still there.
    var isClosed: Bool { !Self.exists(database + "-wal") }

    /// Whether the main file has nothing that the others belong to: SQLite would take it for a new
    /// one, and throw them away.
    var hasLostDatabase: Bool { databaseSize > 0 && Self.size(database) < 512 }

    private static func size(_ path: String) -> Int {
        var information = stat()
        return unsafe stat(path, &information) == 0 ? Int(information.st_size) : 0
    }

    /// Hands over the database's pages one after the other, without SQLite.
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

import CLinux
import Glibc

/// The folder that the store has for itself, and the lock on it. Only its owner can look into it.
final class StoreFolder {
    /// Another process has the folder: its id, where that can be told.
    struct Locked: Error { let holder: Int? }

    let path: String
    var database: String { path + "/state.sqlite" }
    private let lock: Int32

    /// Makes the folder where there is none and locks it for as long as this object lives.
    /// Errors: `SystemError`, `Locked`.
    init(_ path: String) throws {
        self.path = path
        try Self.makeFolder(path)
        lock = try Self.lockFile(path + "/lock")
    }

    deinit {
        // Closing alone leaves it to a child that is just being started.
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// Makes the database's file, which SQLite would make for everyone to read.
    func prepareDatabase() throws {
        let file = unsafe open(database, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last }
        fchmod(file, 0o600)
        close(file)
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

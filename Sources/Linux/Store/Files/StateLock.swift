import CUndersongLinux
import Glibc
import UndersongBase

/// The lock on a store's folder, which only its owner can read: the process that holds it has the
/// state, and no other writes it.
package final class StateLock: Sendable {
    /// Another process holds it; its process id, if known.
    struct Locked: Error { let holder: Int? }

    private let file: Int32

    /// Makes the folder if it is missing, and locks it until `unlock`.
    ///
    /// - Throws: `SystemError`, `Locked`.
    convenience init(_ folder: String) throws {
        let file = try Self.open(folder)
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let error = SystemError.last
            defer { close(file) }
            throw error.code == EWOULDBLOCK ? Locked(holder: Self.holder(in: file)) : error
        }
        self.init(locked: file)
    }

    /// Takes over the lock's file, which is locked.
    fileprivate init(locked file: Int32) {
        self.file = file
        // The holder is recorded only for people to read: a full disk is no reason to give up.
        let text = Array("\(getpid())\n".utf8)
        ftruncate(file, 0)
        _ = unsafe pwrite(file, text, text.count, 0)
    }

    deinit { close(file) }

    /// Releases the folder for other processes and other stores of this one.
    func unlock() {
        // Closing alone would leave the lock to a child process that is just being started.
        flock(file, LOCK_UN)
    }

    /// The process that has recorded itself as the holder; nil if there is none.
    package static func holder(in folder: String) -> Int? {
        let file = unsafe Glibc.open(folder + "/lock", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return holder(in: file)
    }

    private static func holder(in file: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = unsafe pread(file, &bytes, bytes.count, 0)
        return Int(String(decoding: bytes.prefix(max(0, count - 1)), as: UTF8.self))
    }

    /// Opens the lock's file, in a folder that is made if it is missing.
    fileprivate static func open(_ folder: String) throws -> Int32 {
        let code = Folder.make(folder)
        guard code == 0 else { throw SystemError(code) }
        return try StoreFolder.open(folder + "/lock")
    }

}

/// Waits for the lock on a store's folder.
package final class StateClaim: Sendable {
    private let file: Int32
    private let claim: FileClaim

    /// Begins to wait.
    ///
    /// - Throws: An error if the folder cannot be made, or not be locked by anyone.
    package init(_ folder: String) throws {
        let file = try StateLock.open(folder)
        guard let claim = FileClaim(file) else {
            let error = SystemError.last
            close(file)
            throw error
        }
        self.file = file
        self.claim = claim
    }

    /// True if this process has the lock.
    package var isLocked: Bool { claim.isLocked }

    /// Becomes readable when this process has the lock.
    package var descriptor: Int32 { claim.descriptor }

    /// Calls `body` once with the lock, when this process has it.
    package func whenLocked(_ body: @escaping @Sendable (StateLock) -> Void) {
        claim.whenLocked { [file] in body(StateLock(locked: file)) }
    }
}

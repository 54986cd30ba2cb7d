import CUndersongLinux
import CUndersongSQLite
import UndersongBase

/// The reason the store cannot keep anything, as events and `undersong why` report it to the user.
package struct StoreTrouble: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason, for programs.
    package enum Code: String, Sendable, CaseIterable {
        /// There is no folder for the store.
        case noFolder = "no-folder"
        /// Another process is using the folder.
        case locked
        /// The disk, or the user's quota, is full.
        case diskFull = "disk-full"
        /// The folder or the file cannot be written.
        case readOnly = "read-only"
        /// The file has another version than this program's.
        case otherVersion = "other-version"
        /// The file is damaged and could not be set aside.
        case damaged
        /// The file can be read now, and could not when the player began: nothing is written to it.
        case unread
        /// Reading or writing failed for another reason.
        case inputOutput = "input-output"
    }

    /// The kind of trouble.
    package var code: Code
    /// The folder of the queue; nil if there is none.
    package var folder: String?
    /// The reason, for people, in the system's words if it has any: `No space left on device`.
    package var reason: String
    /// The time at which it began, in seconds since 1970.
    package var since: Double
    /// The part of the state that is not kept.
    package var subject = "the queue"

    package var description: String {
        "cannot keep \(subject)\(folder.map { " in \($0)" } ?? ""): \(reason)"
    }
}

/// The store's notices to the player.
package enum StoreNotice: Equatable, Sendable {
    /// From now on nothing is durable; edits are refused.
    case troubleBegan(StoreTrouble)
    /// Everything is durable again.
    case troubleEnded
    /// A damaged file was set aside under another name. `lost` says what could not be carried over
    /// into a new one: `3 of 40 items, the undo history`.
    case setAside(path: String, lost: String)
    /// These were left out because they are damaged: `2 of 40 records of pushes`.
    case leftOut(String)
}

extension StoreTrouble {
    /// Creates the trouble that an error of the system, of SQLite or of the folder's lock means for
    /// the user. `since` is in seconds since 1970.
    init(_ error: any Error, in folder: String?, since: Double) {
        let (code, reason): (Code, String) =
            switch error {
            case let trouble as StoreTrouble: (trouble.code, trouble.reason)
            case let error as SystemError: (Self.code(error.code), error.reason)
            case let locked as StateLock.Locked:
                (
                    .locked,
                    "another service\(locked.holder.map { " (process \($0))" } ?? "") has it"
                )
            case let error as SQLiteError: Self.meaning(of: error)
            default: (.inputOutput, "\(error)")
            }
        self.init(code: code, folder: folder, reason: reason, since: since)
    }

    static var noFolder: StoreTrouble {
        StoreTrouble(code: .noFolder, reason: "there is no folder for it", since: 0)
    }

    /// The player began without what the file contains.
    static var unread: StoreTrouble {
        StoreTrouble(
            code: .unread,
            reason: "it could not be read when the service started, and is not overwritten; "
                + "the next service reads it",
            since: 0)
    }

    static func otherVersion(_ version: Int) -> StoreTrouble {
        StoreTrouble(
            code: .otherVersion,
            reason: "the file has version \(version), not \(Schema.version)", since: 0)
    }

    private static func code(_ error: Int32) -> Code {
        switch error {
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EROFS, EACCES, EPERM: .readOnly
        default: .inputOutput
        }
    }

    private static func meaning(of error: SQLiteError) -> (Code, String) {
        // SQLITE_IOERR_SHMSIZE: there is no room for the log's index.
        if error.extendedCode == SQLITE_IOERR | 19 << 8 {
            return (.diskFull, SystemError(ENOSPC).reason)
        }
        return switch error.code {
        case SQLITE_FULL: (.diskFull, SystemError(ENOSPC).reason)
        case SQLITE_READONLY: (.readOnly, "the file cannot be written")
        case SQLITE_CANTOPEN: (.readOnly, "the file cannot be opened")
        case SQLITE_CORRUPT, SQLITE_NOTADB: (.damaged, "the file is damaged")
        case SQLITE_BUSY, SQLITE_LOCKED: (.locked, "another process is using it")
        case SQLITE_IOERR: (.inputOutput, SystemError(EIO).reason)
        default: (.inputOutput, error.description)
        }
    }
}

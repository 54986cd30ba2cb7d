import CUndersongLinux
import CUndersongSQLite
import UndersongBase

extension StoreTrouble {
    /// What an error of the system, of SQLite or of the folder's lock means for the user. `since`
    /// is in seconds since 1970.
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

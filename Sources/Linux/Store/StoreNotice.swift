/// Why the store cannot keep anything, as events and `undersong why` report it to the user.
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
    /// When it began, in seconds since 1970.
    package var since: Double

    package var description: String {
        "cannot keep the queue\(folder.map { " in \($0)" } ?? ""): \(reason)"
    }
}

/// What the store reports on its own.
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

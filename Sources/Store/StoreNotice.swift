/// Why the store cannot keep what it is given, told to the user by events and `undersong why`.
package struct StoreTrouble: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason as a program reads it.
    package enum Code: String, Sendable, CaseIterable {
        /// There is no folder for it.
        case noFolder = "no-folder"
        /// Another process has the folder.
        case locked
        /// The disk, or what the user may have of it, is full.
        case diskFull = "disk-full"
        /// The folder or the file cannot be written.
        case readOnly = "read-only"
        /// A newer version of this program has made the file.
        case newerVersion = "newer-version"
        /// The file is damaged, and could not be set aside.
        case damaged
        /// Reading or writing has failed for another reason.
        case inputOutput = "input-output"
    }

    /// What kind of trouble it is.
    package var code: Code
    /// The folder that the queue is kept in; nil when there is none.
    package var folder: String?
    /// Why, in the system's words where it has some: `No space left on device`.
    package var reason: String
    /// When it began, in seconds since 1970.
    package var since: Double

    package var description: String {
        "cannot keep the queue\(folder.map { " in \($0)" } ?? ""): \(reason)"
    }
}

/// What the store has to tell without being asked.
package enum StoreNotice: Equatable, Sendable {
    /// From now on nothing is durable; edits are refused.
    case troubleBegan(StoreTrouble)
    /// Everything is durable again.
    case troubleEnded
    /// A damaged file was set aside under another name. `lost` says what could not be carried over
    /// into a new one: `3 of 40 items, edits to take back`.
    case setAside(path: String, lost: String)
}

import Glibc

/// Reports changes in a folder, which may itself not be there yet. One thread at a
/// time may use it.
package final class FolderWatch: Sendable {
    /// The changes to report.
    package enum Change: Sendable {
        /// Something comes into the folder.
        case arrival
        /// Something comes into it, leaves it, or is written.
        case any
        /// Something comes into the folder, or more is written to a file in it.
        case writing
    }

    /// Readable where there may be a change.
    package let descriptor: Int32
    private let folder: String
    private let change: Change

    /// Begins to watch `folder`, an absolute path; nil when the system has no means left for it.
    package init?(_ folder: String, for change: Change = .arrival) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        self.folder = folder
        self.change = change
        guard descriptor >= 0 else { return nil }
        watch()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// True if there may have been a change since `clear`.
    package var hasChanged: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }

    /// Makes the descriptor unreadable until the next change.
    package func clear() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
        // The folder may be what has come or gone.
        watch()
    }

    /// Watches the folder, or for one to come below the nearest above it that is there.
    private func watch() {
        var last: String?
        while true {
            let path = watchNearest()
            // The one below may have come just before this one was watched.
            guard path != folder, path != last else { return }
            last = path
        }
    }

    /// Watches the folder, or the nearest above it that can be watched. Returns that one; nil for none.
    private func watchNearest() -> String? {
        let arrival = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
        let leaving = UInt32(IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE)
        var mask =
            switch change {
            case .arrival: arrival
            case .any: arrival | leaving
            case .writing: arrival | UInt32(IN_MODIFY)
            }
        var path = folder
        while unsafe inotify_add_watch(descriptor, path, mask) < 0 {
            guard let end = path.lastIndex(of: "/"), path != "/" else { return nil }
            path = end == path.startIndex ? "/" : String(path[..<end])
            mask = arrival
        }
        return path
    }
}

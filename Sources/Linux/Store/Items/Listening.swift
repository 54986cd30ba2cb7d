import Synchronization
import UndersongBase
import UndersongPlayback

/// The resume points and history entries that are not in the file yet. Any thread may call it.
final class Listening: Sendable {
    struct Contents: Sendable {
        var positions: [FilePath: ResumePoint] = [:]
        var history: [PlayedEntry] = []
        /// The number of entries that have ever been added to the history.
        var added = 0

        var isEmpty: Bool { positions.isEmpty && history.isEmpty }
    }

    /// The most entries held while nothing can be written.
    private static let limit = 1000

    private let contents = Mutex(Contents())

    var unsaved: Contents { contents.withLock { $0 } }

    func keep(_ position: ResumePoint, of path: FilePath) {
        contents.withLock { contents in
            if contents.positions.count == Self.limit { contents.positions.removeAll() }
            contents.positions[path] = position
        }
    }

    func add(_ entry: PlayedEntry) {
        contents.withLock { contents in
            if contents.history.count == Self.limit { contents.history.removeFirst() }
            contents.history.append(entry)
            contents.added += 1
        }
    }

    /// These are in the file now; anything added since is not.
    func didSave(_ saved: Contents) {
        contents.withLock { contents in
            for (path, position) in saved.positions where contents.positions[path] == position {
                contents.positions[path] = nil
            }
            // The same may have been added again meanwhile, so that entries are counted, not compared.
            let later = contents.added - saved.added
            contents.history.removeFirst(max(0, contents.history.count - later))
        }
    }
}

import Synchronization

/// Where a long file was left.
package struct FilePosition: Equatable, Sendable {
    /// Seconds from the file's start to where it was heard last; 0 where it is finished.
    package var seconds: Double
    /// Seconds that it lasts.
    package var duration: Double
    /// Whether it was heard to its end, or near enough.
    package var isFinished: Bool
    /// Seconds since 1970 at which that was.
    package var lastPlayed: Double

    package init(seconds: Double, duration: Double, isFinished: Bool, lastPlayed: Double) {
        self.seconds = seconds
        self.duration = duration
        self.isFinished = isFinished
        self.lastPlayed = lastPlayed
    }
}

/// Remembers where files were left. Any thread may call it, also those of the sound path: it neither
/// blocks nor waits for the disk when it keeps, and answers from its memory or by one quick look.
package protocol FileMemory: AnyObject, Sendable {
    /// Where a file was left; nil where nothing is known of it.
    func resumePosition(of path: FilePath) -> FilePosition?
    /// Remembers where a file is now, in the place of what was known of it.
    func keepPosition(_ position: FilePosition, of path: FilePath)
}

/// Remembers for as long as the process lives.
package final class TransientFileMemory: FileMemory {
    private let positions = Mutex<[FilePath: FilePosition]>([:])

    package init() {}

    package func resumePosition(of path: FilePath) -> FilePosition? {
        positions.withLock { $0[path] }
    }

    package func keepPosition(_ position: FilePosition, of path: FilePath) {
        positions.withLock { $0[path] = position }
    }
}

import Synchronization
package import UndersongBase

/// The position at which playback of a long file stopped.
package struct ResumePoint: Equatable, Sendable {
    /// Seconds from the start of the file to the last position heard; 0 if the file was finished.
    package var seconds: Double
    /// The file's duration in seconds.
    package var duration: Double
    /// True if the file was heard to its end, or near enough.
    package var isFinished: Bool
    /// The time of that, in seconds since 1970.
    package var lastPlayed: Double

    package init(seconds: Double, duration: Double, isFinished: Bool, lastPlayed: Double) {
        self.seconds = seconds
        self.duration = duration
        self.isFinished = isFinished
        self.lastPlayed = lastPlayed
    }
}

/// Remembers positions in files. May be called on any thread, including those of the sound path:
/// saving neither blocks nor waits for the disk, and reading takes one quick lookup at most.
package protocol FileMemory: AnyObject, Sendable {
    /// The saved position in a file; nil if there is none.
    func resumePosition(of path: FilePath) -> ResumePoint?
    /// Saves the position in a file, replacing the previous one.
    func keepPosition(_ position: ResumePoint, of path: FilePath)
    /// The number of the feed of which the file, or what is at the URL, is an episode; nil if there
    /// is none.
    func feed(of path: FilePath) -> Int?
}

/// Remembers positions for the lifetime of the process.
package final class TransientFileMemory: FileMemory {
    private let positions = Mutex<[FilePath: ResumePoint]>([:])
    private let feeds: [FilePath: Int]

    /// `feeds` are those of which files are episodes.
    package init(feeds: [FilePath: Int] = [:]) { self.feeds = feeds }

    package func resumePosition(of path: FilePath) -> ResumePoint? {
        positions.withLock { $0[path] }
    }

    package func keepPosition(_ position: ResumePoint, of path: FilePath) {
        positions.withLock { $0[path] = position }
    }

    package func feed(of path: FilePath) -> Int? { feeds[path] }
}

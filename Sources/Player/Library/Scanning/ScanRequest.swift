package import UndersongBase

/// A scan: a folder of the library, or a part of one.
package struct ScanRequest: Hashable, Sendable {
    /// The folder of the library.
    package var root: FilePath
    /// The folder to scan: the root, or one below it.
    package var folder: FilePath
    /// True to scan the folders in it, too.
    package var isRecursive: Bool
    /// True to read files that have not changed, too.
    package var readsAll: Bool

    package init(
        root: FilePath, folder: FilePath? = nil, isRecursive: Bool = true, readsAll: Bool = false
    ) {
        self.root = root
        self.folder = folder ?? root
        self.isRecursive = isRecursive
        self.readsAll = readsAll
    }
}

/// The result of a scan.
package struct ScanOutcome: Hashable, Sendable {
    /// The ways in which a scan ends.
    package enum End: Hashable, Sendable {
        /// Everything was looked at.
        case complete
        /// The root of the library's folder is not there, as that of an unplugged disk.
        case rootIsMissing
        /// It was stopped.
        case stopped
        /// The store failed, as on a full disk; the reason.
        case failed(String)
    }

    package var end: End
    package var progress: LibraryScan
    /// Files and folders, and why they could not be read, at most 100.
    package var problems: [String]
    /// Why changes in the folder are not all noticed; nil if they are.
    package var watchProblem: String?

    package init(
        _ end: End, _ progress: LibraryScan = LibraryScan(), problems: [String] = [],
        watchProblem: String? = nil
    ) {
        self.end = end
        self.progress = progress
        self.problems = problems
        self.watchProblem = watchProblem
    }
}

package import UndersongBase

/// A file as a scan found it.
package struct ScannedFile: Hashable, Sendable {
    /// Its path.
    package var path: FilePath
    /// Its state when it was read.
    package var stamp: ScanStamp
    /// Its tracks: one for all of it, or those that a CUE sheet names, in their order. Empty if it is
    /// not music; it is remembered all the same, so that it is read again only when it has changed.
    package var tracks: [ScannedTrack]

    package init(path: FilePath, stamp: ScanStamp, tracks: [ScannedTrack]) {
        self.path = path
        self.stamp = stamp
        self.tracks = tracks
    }
}

/// A track as a scan found it.
package struct ScannedTrack: Hashable, Sendable {
    /// The part of the file that a CUE sheet names; nil for all of it.
    package var part: TrackPart?
    package var tags: TrackTags
    /// The format of the file's sound, with the length of the track.
    package var sound: TrackSound?

    package init(part: TrackPart? = nil, tags: TrackTags = TrackTags(), sound: TrackSound? = nil) {
        self.part = part
        self.tags = tags
        self.sound = sound
    }
}

/// The state of a file, by which a rescan sees that it has not changed, and a move what it was before.
package struct ScanStamp: Hashable, Sendable {
    /// Its size, in bytes.
    package var size: Int64
    /// The time of its last change, in nanoseconds since 1970.
    package var modified: Int64
    /// The number of its file system. A disk may have another one whenever it is mounted.
    package var device: UInt64
    /// Its number in its file system.
    package var inode: UInt64
    /// A checksum of what else its tracks depend on: the CUE sheet that names it, and the name of its
    /// folder's picture; 0 if there is neither.
    package var surroundings: UInt64

    package init(
        size: Int64, modified: Int64, device: UInt64 = 0, inode: UInt64 = 0,
        surroundings: UInt64 = 0
    ) {
        self.size = size
        self.modified = modified
        self.device = device
        self.inode = inode
        self.surroundings = surroundings
    }

    /// True if what was read at `other` is what would be read now: a disk that was mounted again has
    /// not changed.
    package func hasContent(of other: ScanStamp) -> Bool {
        size == other.size && modified == other.modified && surroundings == other.surroundings
    }
}

/// A file that the library knows.
package struct KnownFile: Hashable, Sendable {
    /// Its state when it was read.
    package var stamp: ScanStamp
    /// True if it was marked as missing.
    package var isMissing: Bool

    package init(stamp: ScanStamp, isMissing: Bool) {
        self.stamp = stamp
        self.isMissing = isMissing
    }
}

/// The part of the library's store that scans read and write.
package protocol ScanRecords: Sendable {
    /// The folders that directly contain files that are known and not missing: `folder` itself and
    /// those below it, in any order. Blocks the thread while it reads, as the next one.
    /// - Throws: An error if that cannot be read, as the next one.
    func knownFolders(in folder: FilePath) throws -> [FilePath]
    /// The known files directly in `folder`, missing ones and those without music included.
    func knownFiles(in folder: FilePath) throws -> [FilePath: KnownFile]
    /// Stores files that were read, new ones and known ones, which are not missing any more. A file
    /// that was moved keeps what its listeners have done with it.
    /// - Throws: An error that says why, such as a full disk; nothing of the batch is stored.
    func apply(_ batch: [ScannedFile]) async throws
    /// Marks known files as missing since `now`, in seconds since 1970.
    func markMissing(_ files: [FilePath], since now: Double) async throws
    /// Marks the known files in `folder` and all below it as missing since `now`.
    func markMissing(below folder: FilePath, since now: Double) async throws
    /// Marks known files, which have not changed, as no longer missing.
    func markPresent(_ files: [FilePath: ScanStamp]) async throws
}

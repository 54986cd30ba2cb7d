/// A change of the library, as events report it.
public struct LibraryEvent: Codable, Hashable, Sendable {
    /// The kinds of changes.
    public enum Change: String, Codable, CaseIterable, Sendable {
        /// A scan has begun, or has come further. It is reported every second at most.
        case scanning
        /// A scan has ended.
        case scanned
        /// A folder was added or removed, has gone or is there again, or is watched in another way.
        case folders
        /// Tracks were rated, or made favourites or not.
        case rated
        /// A track was played or skipped, and that was counted.
        case counted
        /// A query was saved or removed.
        case queries
        /// Tracks that were missing for 30 days were forgotten.
        case forgotten
    }

    /// The kind of change.
    public var change: Change
    /// The number of tracks in the library, missing ones included.
    public var trackCount: Int
    /// The progress of the scan; nil if none runs, unless it has just ended.
    public var scan: LibraryScan?
    /// The track that was rated or counted, if it is one.
    public var track: Int?

    package init(
        _ change: Change, trackCount: Int, scan: LibraryScan? = nil, track: Int? = nil
    ) {
        self.change = change
        self.trackCount = trackCount
        self.scan = scan
        self.track = track
    }
}

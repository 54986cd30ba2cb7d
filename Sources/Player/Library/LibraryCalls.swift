package import UndersongBase
package import UndersongPlayback

/// A folder whose music is in the library.
package struct LibraryFolder: Codable, Hashable, Sendable {
    /// Its path.
    package var path: FilePath
    /// The number of its tracks.
    package var trackCount: Int
    /// Since when it is not there, as an unplugged disk, in seconds since 1970; nil while it is.
    package var missingSince: Double?
    /// Why changes in it are found only by `library update` and every hour, such as a limit of
    /// inotify; nil if it is watched.
    package var watchProblem: String?

    package init(
        path: FilePath, trackCount: Int, missingSince: Double? = nil, watchProblem: String? = nil
    ) {
        self.path = path
        self.trackCount = trackCount
        self.missingSince = missingSince
        self.watchProblem = watchProblem
    }
}

/// The library as a whole.
package struct LibraryStatus: Codable, Hashable, Sendable {
    /// The folders, in the order in which they were added.
    package var folders: [LibraryFolder]
    /// The number of tracks, those that are missing included.
    package var trackCount: Int
    /// The scan that runs; nil if none does.
    package var scan: LibraryScan?
    /// True if something is left to scan, which waits until the service runs again: its time in the
    /// background was over.
    package var isWaiting: Bool?
    /// The last problems, latest first, at most 100: a file or folder, and why it could not be read.
    package var problems: [String]

    package init(
        folders: [LibraryFolder] = [], trackCount: Int = 0, scan: LibraryScan? = nil,
        isWaiting: Bool? = nil, problems: [String] = []
    ) {
        self.folders = folders
        self.trackCount = trackCount
        self.scan = scan
        self.isWaiting = isWaiting
        self.problems = problems
    }
}

/// The progress of a scan.
public struct LibraryScan: Codable, Hashable, Sendable {
    /// The files that were looked at.
    public var fileCount: Int
    /// The files that were read, since they are new or have changed.
    public var readCount: Int

    package init(fileCount: Int = 0, readCount: Int = 0) {
        self.fileCount = fileCount
        self.readCount = readCount
    }
}

/// Adds a folder to the library; it is scanned in the background.
package struct AddLibraryFolder: ControlCall, Hashable {
    package typealias Reply = LibraryStatus
    package static let method = "library.add"
    package var path: FilePath

    package init(_ path: FilePath) { self.path = path }
}

/// Removes a folder from the library. Its tracks are forgotten after 30 days, with their ratings,
/// unless it is added again.
package struct RemoveLibraryFolder: ControlCall, Hashable {
    package typealias Reply = LibraryStatus
    package static let method = "library.remove"
    package var path: FilePath

    package init(_ path: FilePath) { self.path = path }
}

/// Asks for the folders and the scan.
package struct GetLibrary: ControlCall, Hashable {
    package typealias Reply = LibraryStatus
    package static let method = "library.status"

    package init() {}
}

/// Scans a folder of the library, or all of them.
package struct UpdateLibrary: ControlCall, Hashable {
    package typealias Reply = LibraryStatus
    package static let method = "library.update"
    /// The folder, or one inside it; nil for all.
    package var path: FilePath?
    /// True to read files that have not changed, too.
    package var readsAll: Bool?

    package init(path: FilePath? = nil, readsAll: Bool? = nil) {
        self.path = path
        self.readsAll = readsAll
    }
}

/// The reason why a query may find too little.
package enum LibraryGap: String, Codable, CaseIterable, Sendable {
    /// A scan runs, which may find more.
    case scanning
    /// The library has no folders. Reported only if nothing is found.
    case noFolders
}

/// Tracks that a query finds.
package struct TrackList: Codable, Hashable, Sendable {
    package var tracks: [Track]
    /// The number that the query finds in all.
    package var count: Int
    /// Their length, in seconds, as far as it is known.
    package var seconds: Double
    /// The reason why these may be too few; nil if there is none.
    package var gap: Open<LibraryGap>?

    package init(
        tracks: [Track], count: Int, seconds: Double, gap: Open<LibraryGap>? = nil
    ) {
        self.tracks = tracks
        self.count = count
        self.seconds = seconds
        self.gap = gap
    }
}

/// Lists the tracks that a query finds, at most `FindTracks.limit`.
package struct FindTracks: QueryCall, Hashable {
    package typealias Reply = TrackList
    package static let method = "library.tracks"
    package static let limit = 1000
    package var page: QueryPage

    package init(_ page: QueryPage) { self.page = page }
}

/// Properties that tracks are grouped by.
package enum LibraryGrouping: String, Codable, CaseIterable, Sendable {
    /// The artists of the album, or else of the track. A compilation is by "Various Artists".
    case artist
    /// The album with its artist.
    case album
    case genre
    case year
    case composer

    /// The condition of tracks without it, which are listed as groups without a name.
    package var absence: LibraryQuery.Condition {
        switch self {
        case .artist: .text(.albumartist, .equals, "")
        case .album: .text(.album, .equals, "")
        case .genre: .text(.genre, .equals, "")
        case .composer: .text(.composer, .equals, "")
        case .year: .not(.number(.year, 0...9999))
        }
    }
}

/// Tracks that have something in common.
package struct LibraryGroup: Codable, Hashable, Sendable {
    /// The artist, album, genre, year or composer; nil for tracks without one.
    package var name: String?
    /// The artist of an album.
    package var artist: String?
    /// The year of an album.
    package var year: Int?
    package var trackCount: Int
    /// The length of its tracks, in seconds, as far as it is known.
    package var seconds: Double
    /// The time at which the newest of them was added, in seconds since 1970.
    package var added: Double
    /// The query that finds its tracks.
    package var query: String

    package init(
        name: String?, artist: String? = nil, year: Int? = nil, trackCount: Int, seconds: Double,
        added: Double, query: String
    ) {
        self.name = name
        self.artist = artist
        self.year = year
        self.trackCount = trackCount
        self.seconds = seconds
        self.added = added
        self.query = query
    }
}

/// Groups of tracks, in their order.
package struct LibraryGroups: Codable, Hashable, Sendable {
    package var groups: [LibraryGroup]
    package var count: Int
    /// The reason why these may be too few; nil if there is none.
    package var gap: Open<LibraryGap>?

    package init(groups: [LibraryGroup], count: Int, gap: Open<LibraryGap>? = nil) {
        self.groups = groups
        self.count = count
        self.gap = gap
    }
}

/// Lists the artists, albums, genres, years or composers of the tracks that a query finds, at most
/// 1000.
package struct GroupTracks: ControlCall, Hashable {
    package typealias Reply = LibraryGroups
    package static let method = "library.groups"
    package var by: LibraryGrouping
    /// The groups of the tracks that the query finds. Its members are among those of the call.
    package var page: QueryPage
    /// True for the latest additions first, otherwise they are in natural order.
    package var newestFirst: Bool?
    /// True for one of them, picked at random; `newestFirst`, `offset` and `limit` have no effect
    /// then.
    package var random: Bool?

    package init(
        by grouping: LibraryGrouping, _ page: QueryPage, newestFirst: Bool? = nil,
        random: Bool? = nil
    ) {
        by = grouping
        self.page = page
        self.newestFirst = newestFirst
        self.random = random
    }

    private enum CodingKeys: CodingKey {
        case by, newestFirst, random
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        by = try members.decode(LibraryGrouping.self, forKey: .by)
        page = try QueryPage(from: decoder)
        newestFirst = try members.decodeIfPresent(Bool.self, forKey: .newestFirst)
        random = try members.decodeIfPresent(Bool.self, forKey: .random)
    }

    package func encode(to encoder: any Encoder) throws {
        try page.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(by, forKey: .by)
        try members.encodeIfPresent(newestFirst, forKey: .newestFirst)
        try members.encodeIfPresent(random, forKey: .random)
    }
}

/// Rates tracks, or makes them favourites. Durable when answered.
package struct RateTracks: ControlCall, Hashable {
    package typealias Reply = RatedTracks
    package static let method = "library.rate"
    /// The tracks that it finds.
    package var query: String?
    /// The tracks with these ids. Without these and a query it is the current item's.
    package var tracks: [Int]?
    /// 1 to 5, 0 for none; nil to leave it.
    package var rating: Int?
    /// Nil to leave it.
    package var isFavourite: Bool?
    /// True to make a favourite of what is none, and the other way round.
    package var togglesFavourite: Bool?

    package init(
        query: String? = nil, tracks: [Int]? = nil, rating: Int? = nil, isFavourite: Bool? = nil,
        togglesFavourite: Bool? = nil
    ) {
        self.query = query
        self.tracks = tracks
        self.rating = rating
        self.isFavourite = isFavourite
        self.togglesFavourite = togglesFavourite
    }
}

/// The tracks that were rated.
package struct RatedTracks: Codable, Hashable, Sendable {
    package var count: Int
    /// The track, if it is one.
    package var track: Track?

    package init(count: Int, track: Track? = nil) {
        self.count = count
        self.track = track
    }
}

/// A saved query, which is a live list of tracks.
package struct SavedQuery: Codable, Hashable, Sendable {
    /// At most 100 bytes, without `/` and control characters.
    package var name: String
    package var query: String

    package init(name: String, query: String) {
        self.name = name
        self.query = query
    }

    /// The reason why no query can have a name; nil if one can.
    package static func problem(withName name: String) -> String? {
        guard 1...100 ~= name.utf8.count else { return "a name has 1 to 100 bytes" }
        let isOdd = name.unicodeScalars.contains { scalar in
            scalar == "/" || scalar.properties.generalCategory == .control
        }
        return isOdd ? "a name has no / and no control characters" : nil
    }
}

/// Saves a query under a name, instead of an earlier one; removes it if the query is nil. Durable when
/// answered.
package struct SaveQuery: ControlCall, Hashable {
    package typealias Reply = SavedQueries
    package static let method = "library.saveQuery"
    package var name: String
    package var query: String?

    package init(name: String, query: String?) {
        self.name = name
        self.query = query
    }
}

/// Lists the saved queries.
package struct ListQueries: ControlCall, Hashable {
    package typealias Reply = SavedQueries
    package static let method = "library.queries"

    package init() {}
}

/// The saved queries, by name.
package struct SavedQueries: Codable, Hashable, Sendable {
    package var queries: [SavedQuery]

    package init(queries: [SavedQuery]) { self.queries = queries }
}

/// Asks for the words of an item.
package struct GetLyrics: ControlCall, Hashable {
    package typealias Reply = ItemLyrics
    package static let method = "item.lyrics"
    /// The item; nil for the current one.
    package var item: Int?

    package init(item: Int? = nil) { self.item = item }
}

/// The words of an item; nil if it has none.
package struct ItemLyrics: Codable, Hashable, Sendable {
    package var item: Int
    package var lyrics: Lyrics?

    package init(item: Int, lyrics: Lyrics?) {
        self.item = item
        self.lyrics = lyrics
    }
}

import UndersongBase
import UndersongCommandOptions
import UndersongLibrary
import UndersongPlayback

/// The tracks and groups of the library, page by page: they may be many more than one answer has.
struct LibraryPages {
    let service: Service

    /// Passes what a query finds to `body`, at most `limit` tracks, and at least one page.
    func tracks(
        _ query: String, limit: Int? = nil, _ body: (TrackList) throws -> Void
    ) throws {
        try forEach(limit: limit ?? .max) { offset, limit in
            let page = try service.call(FindTracks(query, offset: offset, limit: limit))
            try body(page)
            return (page.tracks.count, page.count)
        }
    }

    /// Passes the groups of what a query finds to `body`, at most `limit`, and at least one page.
    func groups(
        by grouping: LibraryGrouping, _ query: String, newestFirst: Bool = false,
        limit: Int? = nil, _ body: (LibraryGroups) throws -> Void
    ) throws {
        try forEach(limit: limit ?? .max) { offset, limit in
            let page = try service.call(
                GroupTracks(
                    by: grouping, QueryPage(query, offset: offset, limit: limit),
                    newestFirst: newestFirst ? true : nil))
            try body(page)
            return (page.groups.count, page.count)
        }
    }

    /// All tracks that a query finds, at most `limit`, as one answer.
    func allTracks(_ query: String, limit: Int? = nil) throws -> TrackList {
        var all = TrackList(tracks: [], count: 0, seconds: 0)
        try tracks(query, limit: limit) { page in
            all.tracks += page.tracks
            (all.count, all.seconds, all.gap) = (page.count, page.seconds, page.gap)
        }
        return all
    }

    /// The tracks that a query finds, at most `limit`: those whose files are there, if there are any.
    /// The service says what is wrong with the others.
    func tracksToPlay(_ query: CheckedQuery, limit: Int? = nil) throws -> TrackList {
        let there = try allTracks(query.adding(.not(.flag(.missing))).text, limit: limit)
        return there.tracks.isEmpty ? try allTracks(query.text, limit: limit) : there
    }

    /// All groups of what a query finds, at most `limit`, as one answer.
    func allGroups(
        by grouping: LibraryGrouping, _ query: String, newestFirst: Bool = false, limit: Int? = nil
    ) throws -> LibraryGroups {
        var all = LibraryGroups(groups: [], count: 0)
        try groups(by: grouping, query, newestFirst: newestFirst, limit: limit) { page in
            all.groups += page.groups
            (all.count, all.gap) = (page.count, page.gap)
        }
        return all
    }

    /// The number of groups without a name, such as the albums of no name by each artist.
    func unnamedCount(by grouping: LibraryGrouping, _ text: String) throws -> Int {
        var query = try LibraryQuery(text)
        query.condition = .all([query.condition, grouping.absence].compactMap(\.self))
        return try service.call(GroupTracks(by: grouping, QueryPage(query.text, limit: 0))).count
    }

    /// Explains on the standard error why a query may have found too little.
    static func explain(_ gap: Open<LibraryGap>?) {
        switch gap?.known {
        case .scanning:
            complain("the library is being scanned; try again for more matches")
        case .noFolders:
            complain("the library has no folders; 'undersong library add FOLDER' adds one")
        case nil: break
        }
    }

    /// Requests pages up to `limit` elements. `request` gets an offset and a number of elements, and
    /// returns how many it has received, and how many there are.
    private func forEach(
        limit: Int, _ request: (_ offset: Int, _ limit: Int) throws -> (received: Int, count: Int)
    ) throws {
        var offset = 0
        while true {
            let (received, count) = try request(offset, min(limit - offset, FindTracks.limit))
            offset += received
            guard received > 0, offset < min(count, limit) else { return }
        }
    }
}

import UndersongCommandOptions
import UndersongLibrary
import UndersongPlayback

/// The kinds of rows of the library.
enum LibraryView: CaseIterable, Sendable {
    case artists, albums, newAlbums, genres, years, composers, tracks, lists

    /// The kinds of rows of what was opened.
    static let inside: [LibraryView] = [.artists, .albums, .tracks]

    /// The rows that a row of this kind opens; nil for a track.
    var opened: LibraryView? {
        switch self {
        case .artists, .years, .composers: .albums
        case .genres: .artists
        case .albums, .newAlbums, .lists: .tracks
        case .tracks: nil
        }
    }

    /// The property that the tracks are grouped by; nil for tracks and saved queries.
    var grouping: LibraryGrouping? {
        switch self {
        case .artists: .artist
        case .albums, .newAlbums: .album
        case .genres: .genre
        case .years: .year
        case .composers: .composer
        case .tracks, .lists: nil
        }
    }

    /// `12 artists`
    func count(_ count: Int) -> String {
        let (one, many) =
            switch self {
            case .artists: ("artist", "artists")
            case .albums: ("album", "albums")
            case .newAlbums: ("album, the newest first", "albums, the newest first")
            case .genres: ("genre", "genres")
            case .years: ("year", "years")
            case .composers: ("composer", "composers")
            case .tracks: ("track", "tracks")
            case .lists: ("list", "lists")
            }
        return "\(count) \(count == 1 ? one : many)"
    }
}

/// A row of the library.
enum LibraryRow: Equatable, Sendable {
    case group(LibraryGroup)
    case track(Track)
    case list(SavedQuery)

    /// Its name: `Homogenic`, `Björk - Jóga`.
    var name: String {
        switch self {
        case .group(let group): Columns.printable(group.name ?? "(none)")
        case .track(let track): track.name
        case .list(let list): Columns.printable(list.name)
        }
    }

    /// The query that finds its tracks in the whole library; nil for a track.
    fileprivate var query: String? {
        switch self {
        case .group(let group): group.query
        case .track: nil
        case .list(let list): list.query
        }
    }
}

/// A request for rows of the library.
struct LibraryRequest: Equatable, Sendable {
    var view: LibraryView
    var page: QueryPage
    /// Distinguishes the reply from those to other requests.
    var number: Int

    /// The places of the rows.
    var range: Range<Int> {
        let first = page.offset ?? 0
        return first..<first + (page.limit ?? FindTracks.limit)
    }
}

/// The reply to a request for rows of the library.
enum LibraryReply: Sendable {
    case rows([LibraryRow], count: Int, isScanning: Bool)
    /// The rows could not be found, for this reason.
    case problem(String)
}

/// A list of the library: what it shows, the rows of it that are known, and the cursor. Only one
/// request is under way at a time.
struct LibraryList {
    /// The least number of rows before and after the visible ones that are requested with them.
    private static let margin = 50

    /// Its name in the heading; empty for the whole library.
    let title: String
    private(set) var query: String
    private(set) var view: LibraryView
    /// The kinds of rows that it can show.
    let views: [LibraryView]
    private(set) var cursor = ListCursor()
    private(set) var count = 0
    private(set) var isScanning = false
    /// The reason why its rows are not known; nil if they are.
    private(set) var problem: String?
    private var rows: [LibraryRow] = []
    /// The places that the last reply was about; nil before it has come.
    private var known: Range<Int>?
    private var isStale = true
    private var awaited: LibraryRequest?
    /// True if the reply that is awaited is about rows that are not to be shown any more.
    private var dropsAwaited = false

    init(_ title: String, query: String = "", view: LibraryView, views: [LibraryView]) {
        (self.title, self.query, self.view, self.views) = (title, query, view, views)
    }

    /// True if the rows are those of the query.
    var isCurrent: Bool { known != nil && !isStale && awaited == nil }

    /// True once any reply has come.
    var isKnown: Bool { known != nil }

    /// The row at a place; nil if it is not known.
    subscript(place: Int) -> LibraryRow? {
        let index = place - (known?.lowerBound ?? 0)
        return rows.indices.contains(index) ? rows[index] : nil
    }

    /// The row at the cursor; nil if there is none.
    var selected: LibraryRow? { self[cursor.place] }

    /// The query that finds the tracks of a row of this list, but no others; nil for a track.
    func query(of row: LibraryRow) -> String? {
        guard case .group(let group) = row else { return row.query }
        guard let outer = (try? LibraryQuery(query))?.condition,
            let inner = (try? LibraryQuery(group.query))?.condition
        else { return group.query }
        return LibraryQuery(.all([outer, inner])).text
    }

    /// The places that are shown.
    func visible(rows: Int) -> Range<Int> {
        (cursor.top..<cursor.top + max(rows, 0)).clamped(to: 0..<count)
    }

    // MARK: Changes

    /// Shows what another query finds.
    mutating func find(_ query: String) {
        guard query != self.query else { return }
        self.query = query
        restart()
    }

    /// Shows the next kind of rows.
    mutating func regroup() {
        guard let index = views.firstIndex(of: view) else { return }
        view = views[(index + 1) % views.count]
        (rows, known, count) = ([], nil, 0)
        restart()
    }

    private mutating func restart() {
        cursor = ListCursor()
        expire()
        dropsAwaited = awaited != nil
    }

    /// Requests the rows again, since they have changed.
    mutating func expire() { isStale = true }

    /// Shows a track's new rating.
    mutating func update(_ track: Track) {
        for (index, row) in rows.enumerated() {
            if case .track(let old) = row, old.id == track.id { rows[index] = .track(track) }
        }
    }

    // MARK: The cursor

    /// Moves the cursor as a key says. Returns false for keys that do not move it.
    mutating func move(by key: ScreenKey, height: Int) -> Bool {
        cursor.move(by: key, count: count, height: height)
    }

    mutating func scroll(by distance: Int, height: Int) {
        cursor.scroll(by: distance, count: count, height: height)
    }

    /// Selects what is in a row. Returns its place; nil if nothing is there.
    mutating func select(row: Int, height: Int) -> Int? {
        let place = cursor.top + row
        guard place < count else { return nil }
        cursor.move(to: place, count: count, height: height)
        return place
    }

    mutating func resize(height: Int) {
        cursor.move(to: cursor.place, count: count, height: height)
    }

    // MARK: Requests

    /// The request that is due to show `height` rows, as the one with this number; nil if there is
    /// none.
    mutating func request(height: Int, number: Int) -> LibraryRequest? {
        let visible = visible(rows: height)
        let isKnown = visible.isEmpty || known.map { visible.clamped(to: $0) == visible } ?? false
        guard awaited == nil, isStale || !isKnown else { return nil }
        isStale = false
        let margin = max(Self.margin, height)
        let first = max(cursor.top - margin, 0)
        let limit = min(cursor.top + height + margin - first, FindTracks.limit)
        let request = LibraryRequest(
            view: view, page: QueryPage(query, offset: first, limit: limit), number: number)
        awaited = request
        return request
    }

    /// Handles a reply. Returns false if the request is another list's. A reply to an earlier query
    /// is dropped.
    mutating func receive(
        _ reply: LibraryReply, for request: LibraryRequest, height: Int
    ) -> Bool {
        guard awaited?.number == request.number else { return false }
        awaited = nil
        guard !dropsAwaited else {
            dropsAwaited = false
            return true
        }
        // Also after a problem: the request is not repeated before something changes.
        known = request.range
        switch reply {
        case .rows(let rows, let count, let isScanning):
            (self.rows, self.count, self.isScanning, problem) = (rows, count, isScanning, nil)
        case .problem(let text): (rows, count, problem) = ([], 0, text)
        }
        cursor.move(to: cursor.place, count: count, height: height)
        return true
    }
}

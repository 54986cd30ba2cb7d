import UndersongBackground
import UndersongLibrary
import UndersongPlayback

/// The library on the full screen: a list, what was opened in it, and the search.
struct LibraryPane {
    /// The least width in columns for two lists side by side.
    private static let twoLists = 99

    /// The lists: the whole library, and each one that was opened in the one before.
    private(set) var lists = [LibraryList("", view: .artists, views: LibraryView.allCases)]
    /// The query that is typed; nil if none is. The last list is what it finds.
    private(set) var typed: TextField?
    /// True while a scan runs.
    private(set) var isScanning = false
    /// The progress of the scan, as far as it was reported.
    private(set) var scan: LibraryScan?
    private var rows = 0
    private var requestCount = 0

    /// The list that has the cursor.
    private(set) var list: LibraryList {
        get { lists[lists.count - 1] }
        set { lists[lists.count - 1] = newValue }
    }

    /// The columns of the list before it, if there is room for both of them.
    func parentColumns(of columns: Int) -> Int? {
        lists.count > 1 && typed == nil && columns >= Self.twoLists ? columns / 3 : nil
    }

    /// The tracks of the row at the cursor, to be rated; nil without a row.
    var target: (query: String?, tracks: [Int]?)? {
        list.selected.map { row in
            if case .track(let track) = row {
                (nil, [track.id])
            } else {
                (list.query(of: row), nil)
            }
        }
    }

    mutating func resize(rows: Int) {
        self.rows = rows
        for index in lists.indices { lists[index].resize(height: rows) }
    }

    // MARK: Events and replies

    mutating func apply(_ event: PlayerEvent) {
        guard case .library(let library) = event.kind else { return }
        isScanning = library.change == .scanning
        scan = isScanning ? library.scan : nil
        expire()
    }

    /// Requests what is shown again.
    private mutating func expire() {
        for index in lists.indices { lists[index].expire() }
    }

    /// Handles the reply to a request.
    mutating func receive(_ reply: LibraryReply, for request: LibraryRequest) -> PaneReaction {
        for index in lists.indices
        where lists[index].receive(reply, for: request, height: rows) {
            break
        }
        return PaneReaction()
    }

    /// Shows new ratings.
    mutating func receive(_ rated: RatedTracks) {
        guard let track = rated.track else { return expire() }
        for index in lists.indices { lists[index].update(track) }
    }

    /// The request that is due; nil if there is none.
    mutating func request() -> LibraryRequest? {
        guard let request = list.request(height: rows, number: requestCount + 1) else { return nil }
        requestCount += 1
        return request
    }

    // MARK: Keys

    /// Performs the command of a key while nothing is typed.
    mutating func perform(_ key: ScreenKey) -> PaneReaction {
        switch key {
        case .move, .page, .first, .last: _ = list.move(by: key, height: rows)
        case .play: return add(.now)
        case .add(let position): return add(position)
        case .addAll(let position): return addAll(position)
        case .open: open()
        case .back: if lists.count > 1 { lists.removeLast() }
        case .regroup: list.regroup()
        case .search: search()
        case .match: return PaneReaction(note: "/ searches the whole library")
        case .player, .pane, .neighbour, .digit, .current, .favourite, .hidden, .watch, .remove,
            .carry, .undo, .redo, .explain, .help, .repaint, .leave:
            break
        }
        return PaneReaction()
    }

    /// Handles a key while a query is typed.
    mutating func type(_ stroke: KeyStroke) -> PaneReaction {
        switch stroke {
        case .escape: endSearch()
        case .enter:
            guard list.isCurrent else { return PaneReaction(isHeld: true) }
            if list.problem == nil { typed = nil }
        default:
            if typed?.edit(stroke) == true {
                findTyped()
            } else {
                _ = list.move(by: ScreenKey(stroke), height: rows)
            }
        }
        return PaneReaction()
    }

    /// Opens a group, or plays a track.
    mutating func choose() -> PaneReaction {
        if typed != nil, list.isCurrent { typed = nil }
        guard list.view.opened != nil else { return add(.now) }
        open()
        return PaneReaction()
    }

    private mutating func search() {
        lists.removeSubrange(1...)
        lists.append(LibraryList("Search", view: .tracks, views: [.tracks, .albums, .artists]))
        typed = TextField()
    }

    /// Finds what is typed, without an end that is not complete yet. What cannot be understood is
    /// sent as it is: the service says why.
    private mutating func findTyped() {
        let text = typed?.text ?? ""
        list.find((try? LibraryQuery(typed: text))?.text ?? text)
    }

    private mutating func endSearch() {
        typed = nil
        lists.removeLast()
    }

    private mutating func open() {
        guard let view = list.view.opened, let row = list.selected,
            let query = list.query(of: row)
        else { return }
        lists.append(LibraryList(row.name, query: query, view: view, views: LibraryView.inside))
    }

    private func add(_ position: Addition.Position) -> PaneReaction {
        guard let row = list.selected else { return PaneReaction() }
        let files =
            if case .track(let track) = row {
                Files(tracks: [track.id])
            } else {
                Files(query: list.query(of: row) ?? "")
            }
        return PaneReaction(.add(Addition(files: files, position: position, name: row.name)))
    }

    /// Adds all that is listed, in the order of a list of tracks.
    private func addAll(_ position: Addition.Position) -> PaneReaction {
        guard list.view != .lists else {
            return PaneReaction(note: "open a list first, or add it with a")
        }
        guard list.count > 0 else { return PaneReaction() }
        return PaneReaction(
            .add(
                Addition(
                    files: Files(query: list.query), position: position,
                    name: list.title.isEmpty ? "the library" : list.title)))
    }

    // MARK: The mouse

    mutating func scroll(by distance: Int) { list.scroll(by: distance, height: rows) }

    /// Selects what is at a cell of the pane, also in the list before the one with the cursor.
    /// Returns its place; nil if nothing is there.
    mutating func select(row: Int, column: Int, of columns: Int) -> Int? {
        if let parent = parentColumns(of: columns), column < parent {
            let index = lists.count - 2
            guard let place = lists[index].select(row: row, height: rows) else { return nil }
            lists.removeLast()
            return place
        }
        return list.select(row: row, height: rows)
    }
}

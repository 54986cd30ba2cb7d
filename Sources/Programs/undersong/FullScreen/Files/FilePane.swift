import UndersongBase
import UndersongPlayback

/// The file browser on the full screen: a folder, and the cursor in it.
struct FilePane {
    private(set) var folder: FilePath
    private(set) var cursor = ListCursor()
    /// The text that is typed to find a name; nil if none is.
    private(set) var typed: TextField?
    /// The reason why the folder cannot be read; nil if it can.
    private(set) var problem: String?
    /// True if the folder's names are known.
    private(set) var isKnown = false
    private(set) var showsHidden = false
    private var all: [FolderEntry] = []
    /// The entries that are shown.
    private(set) var entries: [FolderEntry] = []
    /// The text that the keys `n` and `N` find.
    private var sought = ""
    /// The entry that the cursor goes to once the folder is read.
    private var wanted: FilePath?
    private var isStale = true
    private var number = 0
    private var isAwaited = false
    private var rows = 0

    init(folder: FilePath) { self.folder = folder }

    /// The entry at the cursor; nil if there is none.
    private var selected: FolderEntry? {
        entries.indices.contains(cursor.place) ? entries[cursor.place] : nil
    }

    mutating func resize(rows: Int) {
        self.rows = rows
        select(cursor.place)
    }

    // MARK: Requests

    /// Reads the folder again, since it may have changed.
    mutating func refresh() { isStale = true }

    /// The request that is due; nil if there is none.
    mutating func request() -> FolderRequest? {
        guard isStale, !isAwaited else { return nil }
        (isStale, isAwaited) = (false, true)
        number += 1
        return FolderRequest(folder: folder, number: number)
    }

    /// Handles the reply to a request. That to an earlier one is dropped.
    mutating func receive(_ listing: FolderListing, for request: FolderRequest) {
        guard request.number == number else { return }
        let kept = wanted ?? selected?.path
        wanted = nil
        (all, problem) = (listing.entries, listing.problem)
        (isKnown, isAwaited) = (true, false)
        filter(selecting: kept)
    }

    private mutating func filter(selecting path: FilePath?) {
        entries = showsHidden ? all : all.filter { !$0.isHidden }
        select(path.flatMap { path in entries.firstIndex { $0.path == path } } ?? cursor.place)
    }

    private mutating func select(_ place: Int) {
        cursor.move(to: place, count: entries.count, height: rows)
    }

    // MARK: Keys

    /// Performs the command of a key while nothing is typed.
    mutating func perform(_ key: ScreenKey) -> PaneReaction {
        switch key {
        case .move, .page, .first, .last:
            _ = cursor.move(by: key, count: entries.count, height: rows)
        case .open, .play: return choose()
        case .back: leave()
        case .add(let position): return add(position)
        case .hidden:
            showsHidden.toggle()
            filter(selecting: selected?.path)
        case .watch: return watch()
        case .search: typed = TextField()
        case .match(let direction):
            guard !sought.isEmpty else { return PaneReaction(note: "/ searches in the folder") }
            return find(from: cursor.place + direction, by: direction)
        case .player, .pane, .neighbour, .digit, .current, .addAll, .favourite, .regroup, .remove,
            .carry, .undo, .redo, .explain, .help, .repaint, .leave:
            break
        }
        return PaneReaction()
    }

    /// Handles a key while the name to find is typed.
    mutating func type(_ stroke: KeyStroke) -> PaneReaction {
        switch stroke {
        case .escape, .enter: typed = nil
        default:
            if typed?.edit(stroke) == true {
                sought = typed?.text ?? ""
                return find(from: cursor.place, by: 1)
            }
            _ = cursor.move(by: ScreenKey(stroke), count: entries.count, height: rows)
        }
        return PaneReaction()
    }

    /// Goes to the first name with the text that is sought, from a place on and round and round.
    private mutating func find(from place: Int, by direction: Int) -> PaneReaction {
        let text = Self.folded(sought)
        guard !text.isEmpty, !entries.isEmpty else { return PaneReaction() }
        for step in 0..<entries.count {
            let index = (place + step * direction + 2 * entries.count) % entries.count
            guard Self.folded(entries[index].name).contains(text) else { continue }
            select(index)
            return PaneReaction()
        }
        return PaneReaction(note: "no matches")
    }

    private static func folded(_ text: String) -> String {
        String(decoding: NaturalOrder.folded(Array(text.utf8)), as: UTF8.self).lowercased()
    }

    /// Opens a folder, or plays a file.
    mutating func choose() -> PaneReaction {
        typed = nil
        guard let selected else { return PaneReaction() }
        guard selected.isFolder else { return add(.now) }
        show(selected.path, selecting: nil)
        return PaneReaction()
    }

    private mutating func leave() {
        guard folder != "/" else { return }
        show(folder.parent, selecting: folder)
    }

    private mutating func show(_ folder: FilePath, selecting entry: FilePath?) {
        self.folder = folder
        (all, entries, problem, isKnown) = ([], [], nil, false)
        cursor = ListCursor()
        wanted = entry
        (isStale, isAwaited) = (true, false)
    }

    private func add(_ position: Addition.Position) -> PaneReaction {
        guard let selected else { return PaneReaction() }
        return PaneReaction(
            .add(
                Addition(
                    files: Files([selected.path]), position: position, name: selected.name)))
    }

    private func watch() -> PaneReaction {
        guard let selected, selected.isFolder else {
            return PaneReaction(note: "a folder can be added to the library, not a file")
        }
        return PaneReaction(.watch(selected.path))
    }

    // MARK: The mouse

    mutating func scroll(by distance: Int) {
        cursor.scroll(by: distance, count: entries.count, height: rows)
    }

    /// Selects what is in a row. Returns its place; nil if nothing is there.
    mutating func select(row: Int) -> Int? {
        let place = cursor.top + row
        guard place < entries.count else { return nil }
        select(place)
        return place
    }
}

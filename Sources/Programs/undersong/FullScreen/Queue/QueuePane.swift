import UndersongBackground
import UndersongControl
import UndersongPlayback

/// The queue on the full screen: the part of it that is known, the cursor, and the search in it.
struct QueuePane {
    private(set) var list = QueueWindow()
    private(set) var cursor = ListCursor()
    /// The search whose words are typed; nil if none are.
    private(set) var search: QueueSearch?
    /// The id of the item that plays.
    private(set) var current: Int?
    private var matches = QueueMatches()
    /// The id of the item at the cursor, which the cursor follows when the queue changes.
    private var selected: Int?
    private var rows = 0

    /// The places that are shown.
    var visible: Range<Int> { cursor.top..<cursor.top + max(rows, 1) }

    mutating func resize(rows: Int) {
        self.rows = rows
        select(cursor.place)
    }

    // MARK: Events and replies

    /// Handles an event, which has changed the place of what plays from `old` to `place`.
    mutating func apply(_ event: PlayerEvent, from old: Int, to place: Int) {
        switch event.kind {
        // These may concern another item than the current one.
        case .error, .end, .runEnded, .item(.ended), .item(.left): return
        case .queue(_, let count):
            list.change(count: count)
            matches.expire()
        case .tags:
            list.refresh()
            matches.expire()
        default: break
        }
        current = event.head.item?.number
        guard cursor.place == old, old != place else { return }
        select(place)
        selected = current ?? selected
    }

    /// Handles the reply to a request. Returns false if it is out of date.
    mutating func receive(_ list: QueueList, for request: QueueWindow.Request) -> Bool {
        guard self.list.receive(list, for: request) else { return false }
        followSelected()
        return true
    }

    /// Handles the reply to a search, whose words are typed, or to that for a match.
    mutating func receive(_ reply: FoundItems, for request: QueueSearch.Request) -> PaneReaction {
        if search != nil {
            search?.receive(reply, for: request)
            return PaneReaction()
        }
        guard let direction = matches.receive(reply, for: request) else { return PaneReaction() }
        return goToMatch(direction)
    }

    /// Handles the sending of a change, after which earlier requests are out of date.
    mutating func expectChange() { list.expectChange() }

    /// Handles the end of a change.
    mutating func endChange() { list.endChange() }

    /// The requests that are due.
    mutating func requests() -> [ScreenCommand] {
        var commands: [ScreenCommand] = []
        if let request = list.request(toShow: visible) { commands.append(.load(request)) }
        if let request = search?.request() { commands.append(.search(request)) }
        return commands
    }

    // MARK: Keys

    /// Performs the command of a key while nothing is typed; the item at the place `playing` plays.
    mutating func perform(_ key: ScreenKey, playing: Int) -> PaneReaction {
        switch key {
        case .move, .page, .first, .last:
            var moved = cursor
            _ = moved.move(by: key, count: list.count, height: rows)
            select(moved.place)
        case .current: select(playing)
        case .play: return choose()
        case .remove: return remove()
        case .carry(let distance): return carry(by: distance)
        case .search: search = QueueSearch()
        case .match(let direction): return goToMatch(direction)
        case .player, .pane, .neighbour, .digit, .open, .back, .add, .addAll, .favourite, .regroup,
            .hidden, .watch, .undo, .redo, .explain, .help, .repaint, .leave:
            break
        }
        return PaneReaction()
    }

    /// Handles a key while words are typed.
    mutating func type(_ stroke: KeyStroke) -> PaneReaction {
        switch stroke {
        case .escape: search = nil
        case .enter:
            guard search?.isCurrent == true else { return PaneReaction(isHeld: true) }
            return choose()
        default:
            if search?.edit(stroke) == false { search?.move(by: ScreenKey(stroke), height: rows) }
        }
        return PaneReaction()
    }

    /// Plays the item at the cursor, or goes to the one at the cursor of the search, which ends.
    mutating func choose() -> PaneReaction {
        guard let search else {
            return list[cursor.place].map { PaneReaction(.play($0.id)) } ?? PaneReaction()
        }
        self.search = nil
        matches.begin(search)
        if let chosen = search.chosen {
            select(chosen.index ?? 0)
            selected = chosen.id
        }
        return PaneReaction()
    }

    private mutating func goToMatch(_ direction: Int) -> PaneReaction {
        switch matches.step(by: direction, from: cursor.place) {
        case .nothing:
            return PaneReaction(
                note: "Nothing was searched for yet; / searches, > plays the next item")
        case .search(let request): return PaneReaction(.search(request))
        case .waiting: return PaneReaction()
        case .none: return PaneReaction(note: "no matches")
        case .found(let item, let note):
            select(item.index ?? 0)
            selected = item.id
            return PaneReaction(note: note)
        }
    }

    private mutating func remove() -> PaneReaction {
        guard let item = list[cursor.place] else { return PaneReaction() }
        list.remove(at: cursor.place)
        select(cursor.place)
        return PaneReaction(.change(.remove([item.id])), note: "removed; u brings it back")
    }

    private mutating func carry(by distance: Int) -> PaneReaction {
        let target = cursor.place + distance
        guard let item = list[cursor.place], let other = list[target] else { return PaneReaction() }
        // The item that comes before the one that is moved, from then on.
        let previous = distance > 0 ? other.id : target > 0 ? list[target - 1]?.id : nil
        guard distance > 0 || target == 0 || previous != nil else { return PaneReaction() }
        list.exchange(cursor.place, target)
        select(target)
        return PaneReaction(.change(.move(item.id, after: previous)))
    }

    // MARK: The cursor

    private mutating func select(_ place: Int) {
        cursor.move(to: place, count: list.count, height: rows)
        selected = list[cursor.place]?.id
    }

    /// Moves the cursor to where the item at it has gone.
    private mutating func followSelected() {
        select(selected.flatMap { list.place(of: $0) } ?? cursor.place)
    }

    mutating func scroll(by distance: Int) {
        guard search == nil else {
            search?.scroll(by: distance, height: rows)
            return
        }
        cursor.scroll(by: distance, count: list.count, height: rows)
        selected = list[cursor.place]?.id
    }

    /// Selects what is in a row. Returns its index; nil if nothing is there.
    mutating func select(row: Int) -> Int? {
        if let search {
            let index = search.cursor.top + row
            guard index < search.found.count else { return nil }
            self.search?.select(index, height: rows)
            return index
        }
        let place = cursor.top + row
        guard place < list.count else { return nil }
        select(place)
        return place
    }
}

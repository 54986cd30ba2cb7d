import UndersongBackground
import UndersongControl
import UndersongPlayback

/// The full screen as a value: what it shows, what events, keys and replies change in it, and what
/// it asks of the service.
struct QueueScreen: ScreenModel {
    /// Something that the screen is given.
    enum Input: Sendable {
        case size(ScreenLayout)
        case event(PlayerEvent)
        case stroke(KeyStroke)
        /// A report of the mouse, at a time in seconds.
        case mouse(Mouse, at: Double)
        case list(QueueList, for: QueueWindow.Request)
        case found(FoundItems, for: QueueSearch.Request)
        /// A change of the queue was made, or not, for this reason.
        case changed(problem: String?)
        /// The contents of the panel.
        case details(GetItem.Reply)
        case outputs(Outputs)
        /// The way in which the terminal shows pictures; nil if it does not.
        case pictures(PictureStyle?)
        /// The location of the current item's cover.
        case coverFound(GetCover.Reply)
        /// The cover was loaded; nil if it cannot be shown.
        case cover(Cover?)
        /// The playing time of the queue; nil if it could not be found out.
        case time(QueueTime?)
        /// Lines to show in place of the queue.
        case text([String])
        case note(String)
        /// The time of the note with this number is over.
        case noteOver(Int)
    }

    /// Something that the screen asks for.
    enum Command: Equatable, Sendable {
        case load(QueueWindow.Request)
        case search(QueueSearch.Request)
        case press(Key)
        case change(Change)
        /// Play the item with this id.
        case play(Int)
        case explain
        /// Ask for the details of the current item, and for the outputs.
        case look
        /// Ask where the current item's cover is.
        case findCover
        case loadCover(Cover.Request)
        /// Ask for the playing time of the queue, a moment later.
        case measure
        /// Draw everything again.
        case repaint
        /// Report after a while that the time of the note with this number is over.
        case endNote(Int)
        case leave
    }

    /// A change of the queue, of items by their ids.
    enum Change: Equatable, Sendable {
        case undo, redo
        case remove([Int])
        /// Move an item after another one; to the front for nil.
        case move(Int, after: Int?)
    }

    /// The contents of the rows.
    enum View {
        case queue
        case search(QueueSearch)
        case text([String], ListCursor)
    }

    /// The rows by which the wheel scrolls.
    private static let wheelRows = 3

    private(set) var layout = ScreenLayout(columns: 0, rows: 0)
    private(set) var playing = NowPlaying()
    private(set) var list = QueueWindow()
    private(set) var view = View.queue
    private(set) var cursor = ListCursor()
    private(set) var panel = ItemPanel()
    private(set) var covers = CoverPlace()
    private var time = QueueTimes()
    private var matches = QueueMatches()
    private var clicks = DoubleClick()
    /// The note on what was done last, for a while.
    private(set) var note: String?
    /// The id of the item that plays.
    private(set) var current: Int?
    /// The id of the item at the cursor, which the cursor follows when the queue changes.
    private var selected: Int?
    private var noteCount = 0
    /// Keys that wait for the result of the search, the first of which is Enter.
    private var held: [KeyStroke] = []
    /// The commands of the keys that the screen does not use itself.
    private let keys: KeyMap

    init(keys: KeyMap = .usual) { self.keys = keys }

    /// Handles an input. Returns what is to be done, in this order.
    mutating func handle(_ input: Input) -> [Command] {
        var commands: [Command] = []
        switch input {
        case .size(let layout):
            let before = panelRequests
            self.layout = layout
            covers.room = layout.coverCells
            select(cursor.place)
            if before.isEmpty { commands = panelRequests }
        case .event(let event):
            apply(event)
            if Self.changesPanel(event) { commands = panelRequests }
        case .stroke(let stroke):
            commands = press(stroke)
        case .mouse(let mouse, let time):
            commands = handle(mouse, at: time)
        case .list(let list, let request):
            if self.list.receive(list, for: request) {
                followSelected()
                playing.know(self.list[playing.place])
            }
        case .found(let reply, let request):
            if case .search(var search) = view {
                search.receive(reply, for: request)
                view = .search(search)
                if search.isCurrent { commands = pressHeld() }
            } else if let direction = matches.receive(reply, for: request) {
                commands = goToMatch(direction)
            }
        case .changed(let problem):
            list.endChange()
            if let problem { commands = say(problem) }
        case .details(let details): panel.show(details)
        case .outputs(let outputs): panel.show(outputs)
        case .pictures(let style):
            covers.style = style
            commands = layout.hasWidePanel ? findCover : panelRequests
        case .coverFound(let found): if found.item == current { covers.url = found.url }
        case .cover(let cover): covers.store(cover)
        case .time(let time): self.time.receive(time)
        case .text(let lines): view = .text(lines, ListCursor())
        case .note(let text): commands = say(text)
        case .noteOver(let number): if number == noteCount { note = nil }
        }
        layout.hasCover = covers.shown != nil
        return commands + requests()
    }

    static func input(columns: Int, rows: Int) -> Input {
        .size(ScreenLayout(columns: columns, rows: rows))
    }

    static func input(pictures style: PictureStyle?) -> Input { .pictures(style) }

    static func isRepaint(_ command: Command) -> Bool { command == .repaint }

    var frame: Frame { QueueView.frame(of: self) }

    /// The playing time of the queue in words, the longest text first, the last one empty.
    var timeTexts: [String] { time.texts(rest: playing.rest) }

    /// The bar of what was heard of the item, in the row of the progress; nil without room for one.
    var progressBar: Rectangle? {
        guard playing.part != nil, let length = playing.lengthText else { return nil }
        let start = playing.positionText.count + 1
        let room = layout.columns - start - length.count - 1
        guard room > 0 else { return nil }
        return Rectangle(column: start, row: layout.progress.row, columns: room, rows: 1)
    }

    // MARK: Events

    private mutating func apply(_ event: PlayerEvent) {
        let isAtCurrent = cursor.place == playing.place
        _ = playing.apply(event)
        if Self.changesTime(event) { time.expire() }
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
        guard isAtCurrent, cursor.place != playing.place else { return }
        select(playing.place)
        selected = current ?? selected
    }

    private static func changesPanel(_ event: PlayerEvent) -> Bool {
        switch event.kind {
        case .item(.began), .routeChanged, .mediaServicesWereLost, .mediaServicesWereReset: true
        default: false
        }
    }

    private static func changesTime(_ event: PlayerEvent) -> Bool {
        switch event.kind {
        case .queue, .tags, .item(.began), .item(.measured): true
        default: false
        }
    }

    // MARK: The cursor

    /// The places that are shown.
    var visible: Range<Int> { cursor.top..<cursor.top + max(layout.listRows, 1) }

    private mutating func select(_ place: Int) {
        cursor.move(to: place, count: list.count, height: layout.listRows)
        selected = list[cursor.place]?.id
    }

    /// Moves the cursor to where the item at it has gone.
    private mutating func followSelected() {
        select(selected.flatMap { list.place(of: $0) } ?? cursor.place)
    }

    // MARK: Keys

    private mutating func press(_ stroke: KeyStroke) -> [Command] {
        guard held.isEmpty || stroke == .escape else {
            held.append(stroke)
            return []
        }
        held = []
        switch view {
        case .queue: return perform(ScreenKey(stroke, keys))
        case .search(let search): return press(stroke, in: search)
        case .text(let lines, var cursor):
            guard let distance = distance(of: ScreenKey(stroke)) else {
                view = .queue
                return stroke == .control("l") ? [.repaint] : []
            }
            // The cursor is the first row: the text scrolls with every key.
            let last = max(lines.count - layout.listRows, 0)
            cursor.move(to: cursor.place + distance, count: last + 1, height: 1)
            view = .text(lines, cursor)
            return []
        }
    }

    /// Presses the keys that waited.
    private mutating func pressHeld() -> [Command] {
        let strokes = held
        held = []
        return strokes.flatMap { press($0) }
    }

    private mutating func press(_ stroke: KeyStroke, in search: QueueSearch) -> [Command] {
        var search = search
        switch stroke {
        case .escape:
            view = .queue
            return []
        case .enter:
            guard search.isCurrent else {
                held = [.enter]
                return []
            }
            choose(in: search)
            return []
        case .control("l"): return [.repaint]
        default:
            if !search.edit(stroke), let distance = distance(of: ScreenKey(stroke)) {
                search.move(by: distance, height: layout.listRows)
            }
            view = .search(search)
            return []
        }
    }

    /// Goes to the item at the cursor of the search, which ends.
    private mutating func choose(in search: QueueSearch) {
        view = .queue
        matches.begin(search)
        guard let chosen = search.chosen else { return }
        select(chosen.index ?? 0)
        selected = chosen.id
    }

    /// The number of rows by which a key moves the cursor; nil for other keys.
    private func distance(of key: ScreenKey) -> Int? {
        switch key {
        case .move(let rows): rows
        case .page(let pages): pages * max(layout.listRows - 1, 1)
        default: nil
        }
    }

    private mutating func goToMatch(_ direction: Int) -> [Command] {
        switch matches.step(by: direction, from: cursor.place) {
        case .nothing: return say("Nothing was searched for yet; / searches, > plays the next item")
        case .search(let request): return [.search(request)]
        case .waiting: return []
        case .none: return say("no matches")
        case .found(let item, let note):
            select(item.index ?? 0)
            selected = item.id
            return say(note)
        }
    }

    private mutating func perform(_ key: ScreenKey) -> [Command] {
        switch key {
        case .player(let key): return [.press(key)]
        case .move, .page: select(cursor.place + (distance(of: key) ?? 0))
        case .first: select(0)
        case .last: select(list.count - 1)
        case .current: select(playing.place)
        case .play: return list[cursor.place].map { [.play($0.id)] } ?? []
        case .remove: return remove()
        case .carry(let distance): return carry(by: distance)
        case .undo: return change(.undo)
        case .redo: return change(.redo)
        case .search: view = .search(QueueSearch())
        case .match(let direction): return goToMatch(direction)
        case .explain: return [.explain]
        case .help:
            let lines = ScreenKeyText.lines(columns: layout.columns, own: keys.texts)
            view = .text(lines, ListCursor())
        case .repaint: return [.repaint]
        case .leave: return [.leave]
        }
        return []
    }

    private mutating func change(_ change: Change) -> [Command] {
        list.expectChange()
        return [.change(change)]
    }

    private mutating func remove() -> [Command] {
        guard let item = list[cursor.place] else { return [] }
        list.remove(at: cursor.place)
        select(cursor.place)
        return [.change(.remove([item.id]))] + say("removed; u brings it back")
    }

    private mutating func carry(by distance: Int) -> [Command] {
        let target = cursor.place + distance
        guard let item = list[cursor.place], let other = list[target] else { return [] }
        // The item that comes before the one that is moved, from then on.
        let previous = distance > 0 ? other.id : target > 0 ? list[target - 1]?.id : nil
        guard distance > 0 || target == 0 || previous != nil else { return [] }
        list.exchange(cursor.place, target)
        select(target)
        return [.change(.move(item.id, after: previous))]
    }

    private mutating func say(_ text: String) -> [Command] {
        guard !text.isEmpty else { return [] }
        note = text
        noteCount += 1
        return [.endNote(noteCount)]
    }

    // MARK: The mouse

    private mutating func handle(_ mouse: Mouse, at time: Double) -> [Command] {
        // A search whose result is awaited knows only keys.
        guard held.isEmpty else { return [] }
        switch mouse.action {
        case .release, .other: return []
        case .wheelUp: scroll(by: -Self.wheelRows)
        case .wheelDown: scroll(by: Self.wheelRows)
        case .press: return press(mouse, at: time)
        }
        return []
    }

    private mutating func scroll(by rows: Int) {
        clicks.reset()
        switch view {
        case .queue:
            cursor.scroll(by: rows, count: list.count, height: layout.listRows)
            selected = list[cursor.place]?.id
        case .search(var search):
            search.scroll(by: rows, height: layout.listRows)
            view = .search(search)
        case .text(let lines, var cursor):
            let last = max(lines.count - layout.listRows, 0)
            cursor.move(to: cursor.place + rows, count: last + 1, height: 1)
            view = .text(lines, cursor)
        }
    }

    private mutating func press(_ mouse: Mouse, at time: Double) -> [Command] {
        let target = MouseTarget(
            column: mouse.column, row: mouse.row, in: layout, bar: progressBar)
        switch target {
        case nil: return []
        case .progress(let part): return [.press(.part(part))]
        case .playing: return [.press(.player(.toggle))]
        case .list(let row): return press(row: row, at: time)
        }
    }

    private mutating func press(row: Int, at time: Double) -> [Command] {
        switch view {
        case .text:
            view = .queue
            return []
        case .queue:
            let place = cursor.top + row
            guard place < list.count else { return [] }
            select(place)
            return clicks.receive(place, at: time) ? perform(.play) : []
        case .search(var search):
            let index = search.cursor.top + row
            guard index < search.found.count else { return [] }
            search.move(by: index - search.cursor.place, height: layout.listRows)
            view = .search(search)
            if clicks.receive(index, at: time) { choose(in: search) }
            return []
        }
    }

    // MARK: Requests

    /// The requests for the contents of the panel, if there is one or may be one for a cover.
    private var panelRequests: [Command] {
        layout.hasWidePanel || !findCover.isEmpty ? [.look] + findCover : []
    }

    private var findCover: [Command] {
        layout.coverCells != nil && covers.style != nil ? [.findCover] : []
    }

    private mutating func requests() -> [Command] {
        var commands: [Command] = []
        if let request = list.request(toShow: visible) { commands.append(.load(request)) }
        if layout.hasModes, time.request() { commands.append(.measure) }
        if let request = covers.request() { commands.append(.loadCover(request)) }
        if case .search(var search) = view {
            if let request = search.request() { commands.append(.search(request)) }
            view = .search(search)
        }
        return commands
    }
}

import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongLibrary
import UndersongPlayback

/// The full screen as a value: what it shows, what events, keys and replies change in it, and what
/// it asks of the service.
struct PlayerScreen: ScreenModel {
    typealias Input = ScreenInput
    typealias Command = ScreenCommand

    /// A text in place of a pane.
    struct Text {
        var lines: [String]
        /// The first row that is shown: the text scrolls with every key.
        var cursor = ListCursor()
    }

    /// The rows by which the wheel scrolls.
    private static let wheelRows = 3

    private(set) var layout = ScreenLayout(columns: 0, rows: 0)
    private(set) var playing = NowPlaying()
    private(set) var pane = Pane.queue
    private(set) var queue = QueuePane()
    private(set) var library = LibraryPane()
    private(set) var files: FilePane
    private(set) var lyrics = LyricsPane()
    /// The text that is shown; nil for the pane.
    private(set) var text: Text?
    private(set) var panel = ItemPanel()
    private(set) var covers = CoverPlace()
    private var time = QueueTimes()
    private var clicks = DoubleClick()
    /// The note on what was done last, for a while.
    private(set) var note: String?
    private var noteCount = 0
    /// The key that gives the next digit its meaning; nil if none was pressed.
    private(set) var digitKey: DigitKey?
    /// Keys that wait for the result of a search, the first of which is Enter.
    private var held: [KeyStroke] = []
    /// The commands of the keys that the screen does not use itself.
    private let keys: KeyMap

    /// `folder` is the one whose files are shown first.
    init(keys: KeyMap = .usual, folder: FilePath = "/") {
        self.keys = keys
        files = FilePane(folder: folder)
    }

    /// Handles an input. Returns what is to be done, in this order.
    mutating func handle(_ input: Input) -> [Command] {
        var commands: [Command] = []
        switch input {
        case .size(let layout):
            let before = panelRequests
            self.layout = layout
            covers.room = layout.coverCells
            resize()
            if before.isEmpty { commands = panelRequests }
        case .event(let event):
            apply(event)
            if Self.changesPanel(event) { commands = panelRequests }
        case .stroke(let stroke):
            commands = press(stroke)
        case .mouse(let mouse, let time):
            commands = handle(mouse, at: time)
        case .list(let list, let request):
            if queue.receive(list, for: request) { playing.know(queue.list[playing.place]) }
        case .found(let reply, let request):
            commands = perform(queue.receive(reply, for: request)) + pressHeld()
        case .changed(let problem):
            queue.endChange()
            if let problem { commands = say(problem) }
        case .details(let details): panel.show(details)
        case .outputs(let outputs): panel.show(outputs)
        case .pictures(let style):
            covers.style = style
            commands = layout.hasWidePanel ? findCover : panelRequests
        case .coverFound(let found): if found.item == queue.current { covers.url = found.url }
        case .cover(let cover): covers.store(cover)
        case .time(let time): self.time.receive(time)
        case .library(let reply, let request):
            commands = perform(library.receive(reply, for: request)) + pressHeld()
        case .rated(let tracks):
            library.receive(tracks)
            commands = say(RatingText.note(tracks))
        case .folder(let listing, let request): files.receive(listing, for: request)
        case .lyrics(let reply, let request): lyrics.receive(reply, for: request)
        case .text(let lines): text = Text(lines: lines)
        case .note(let text): commands = say(text)
        case .noteOver(let number): if number == noteCount { note = nil }
        }
        layout.hasCover = covers.shown != nil
        lyrics.resize(columns: layout.list.columns, rows: layout.listRows)
        return commands + requests()
    }

    static func input(columns: Int, rows: Int) -> Input {
        .size(ScreenLayout(columns: columns, rows: rows))
    }

    static func input(pictures style: PictureStyle?) -> Input { .pictures(style) }

    static func isRepaint(_ command: Command) -> Bool { command == .repaint }

    var frame: Frame { PlayerView.frame(of: self) }

    /// The playing time of the queue in words, the longest text first, the last one empty.
    var timeTexts: [String] { time.texts(rest: playing.rest) }

    /// The text that is typed in the pane; nil if none is.
    var typed: String? {
        guard text == nil else { return nil }
        return switch pane {
        case .queue: queue.search?.field.text
        case .library: library.typed?.text
        case .files: files.typed?.text
        case .lyrics: nil
        }
    }

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
        let place = playing.place
        _ = playing.apply(event)
        if Self.changesTime(event) { time.expire() }
        queue.apply(event, from: place, to: playing.place)
        library.apply(event)
        lyrics.apply(event, current: queue.current, position: playing.position)
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

    private mutating func resize() {
        queue.resize(rows: layout.listRows)
        library.resize(rows: layout.listRows)
        files.resize(rows: layout.listRows)
    }

    // MARK: Keys

    private mutating func press(_ stroke: KeyStroke) -> [Command] {
        guard held.isEmpty || stroke == .escape else {
            held.append(stroke)
            return []
        }
        held = []
        if let text { return press(stroke, in: text) }
        if let digitKey {
            self.digitKey = nil
            return stroke.digit.map { press(digit: $0, after: digitKey) } ?? []
        }
        if typed != nil {
            guard stroke != .control("l") else { return [.repaint] }
            return perform(type(stroke), pressing: stroke)
        }
        return perform(ScreenKey(stroke, keys, in: pane))
    }

    /// Presses the keys that waited, unless they still wait.
    private mutating func pressHeld() -> [Command] {
        let strokes = held
        held = []
        return strokes.flatMap { press($0) }
    }

    private mutating func press(_ stroke: KeyStroke, in text: Text) -> [Command] {
        let rows: Int
        switch ScreenKey(stroke) {
        case .move(let distance): rows = distance
        case .page(let pages): rows = pages * max(layout.listRows - 1, 1)
        default:
            self.text = nil
            return stroke == .control("l") ? [.repaint] : []
        }
        scrollText(by: rows)
        return []
    }

    private mutating func scrollText(by rows: Int) {
        guard let lines = text?.lines, let place = text?.cursor.place else { return }
        let last = max(lines.count - layout.listRows, 0)
        text?.cursor.move(to: place + rows, count: last + 1, height: 1)
    }

    private mutating func press(digit: Int, after key: DigitKey) -> [Command] {
        switch key {
        case .part: return [.press(.part(Double(digit) / 10))]
        case .rating:
            guard digit <= 5 else { return say("a rating is 1 to 5, or 0 for none") }
            return rate(RateTracks(rating: digit))
        }
    }

    /// Rates what is at the cursor of the library, or else what plays.
    private func rate(_ rating: RateTracks) -> [Command] {
        guard pane == .library else { return [.rate(rating)] }
        return library.target.map { target in
            var rating = rating
            (rating.query, rating.tracks) = (target.query, target.tracks)
            return [.rate(rating)]
        } ?? []
    }

    private mutating func perform(_ key: ScreenKey) -> [Command] {
        switch key {
        case .player(let key): return [.press(key)]
        case .pane(let pane): show(pane)
        case .neighbour(let direction): show(pane.neighbour(direction))
        case .digit(let key): digitKey = key
        case .favourite: return rate(RateTracks(togglesFavourite: true))
        case .undo: return change(.undo)
        case .redo: return change(.redo)
        case .explain: return [.explain]
        case .help:
            text = Text(
                lines: ScreenKeyText.lines(columns: layout.columns, in: pane, own: keys.texts))
        case .repaint: return [.repaint]
        case .leave: return [.leave]
        case .move, .page, .first, .last, .current, .play, .open, .back, .add, .addAll, .regroup,
            .hidden, .watch, .remove, .carry, .search, .match:
            return perform(performInPane(key))
        }
        return []
    }

    private mutating func show(_ pane: Pane) {
        self.pane = pane
        clicks.reset()
        if pane == .files { files.refresh() }
    }

    private mutating func change(_ change: QueueChange) -> [Command] {
        queue.expectChange()
        return [.change(change)]
    }

    private mutating func perform(
        _ reaction: PaneReaction, pressing stroke: KeyStroke? = nil
    ) -> [Command] {
        if reaction.isHeld, let stroke { held = [stroke] }
        return reaction.commands + (reaction.note.map { say($0) } ?? [])
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

    private mutating func press(_ mouse: Mouse, at time: Double) -> [Command] {
        let target = MouseTarget(
            column: mouse.column, row: mouse.row, in: layout, of: pane, bar: progressBar)
        switch target {
        case nil: return []
        case .progress(let part): return [.press(.part(part))]
        case .playing: return [.press(.player(.toggle))]
        case .pane(let pane):
            text = nil
            show(pane)
            return []
        case .list(let row):
            guard text == nil else {
                text = nil
                return []
            }
            let column = mouse.column - layout.list.column
            guard let index = select(row: row, column: column) else { return [] }
            return clicks.receive(index, at: time) ? perform(choose()) : []
        }
    }

    // MARK: The pane that is shown

    private mutating func performInPane(_ key: ScreenKey) -> PaneReaction {
        switch pane {
        case .queue: queue.perform(key, playing: playing.place)
        case .library: library.perform(key)
        case .files: files.perform(key)
        case .lyrics: lyrics.perform(key)
        }
    }

    private mutating func type(_ stroke: KeyStroke) -> PaneReaction {
        switch pane {
        case .queue: queue.type(stroke)
        case .library: library.type(stroke)
        case .files: files.type(stroke)
        case .lyrics: PaneReaction()
        }
    }

    private mutating func scroll(by rows: Int) {
        clicks.reset()
        guard text == nil else { return scrollText(by: rows) }
        switch pane {
        case .queue: queue.scroll(by: rows)
        case .library: library.scroll(by: rows)
        case .files: files.scroll(by: rows)
        case .lyrics: lyrics.scroll(by: rows)
        }
    }

    /// Selects what is at a cell of the list. Returns its index; nil if nothing is there.
    private mutating func select(row: Int, column: Int) -> Int? {
        switch pane {
        case .queue: queue.select(row: row)
        case .library: library.select(row: row, column: column, of: layout.list.columns)
        case .files: files.select(row: row)
        case .lyrics: lyrics.select(row: row)
        }
    }

    /// Handles a double click on what is selected.
    private mutating func choose() -> PaneReaction {
        switch pane {
        case .queue: queue.choose()
        case .library: library.choose()
        case .files: files.choose()
        case .lyrics: lyrics.choose()
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
        var commands = queue.requests()
        if layout.hasModes, time.request() { commands.append(.measure) }
        if let request = covers.request() { commands.append(.loadCover(request)) }
        switch pane {
        case .queue: break
        case .library: if let request = library.request() { commands.append(.browse(request)) }
        case .files: if let request = files.request() { commands.append(.list(request)) }
        case .lyrics:
            if let request = lyrics.request() { commands.append(.findLyrics(request)) }
            if let times = lyrics.newTimes() { commands.append(.follow(times)) }
        }
        return commands
    }
}

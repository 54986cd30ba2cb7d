import UndersongBackground
import UndersongCommandOptions
import UndersongDemoScreen

/// The areas of the phone, for the size of the terminal.
struct DemoLayout: Equatable {
    /// The state bar.
    var bar: Rectangle
    /// The app or the springboard.
    var main: Rectangle
    /// The title of the console, and its lines.
    var consoleTitle: Rectangle
    var console: Rectangle
    /// The keys.
    var hints: Rectangle

    init(columns: Int, rows: Int) {
        var rest = Rectangle(columns: columns, rows: rows)
        bar = rest.removeTop(1)
        hints = rest.removeBottom(rows >= 6 ? 1 : 0)
        console = rest.removeBottom(rows >= 10 ? rows / 3 : rows >= 8 ? 2 : 0)
        consoleTitle = console.removeTop(1)
        main = rest
    }
}

/// The picture of the phone at a moment, with the cells that can be clicked.
struct DemoFrame: Equatable {
    /// Cells that do something when they are clicked.
    struct Target: Equatable {
        var area: Rectangle
        var action: DemoKeys.Action
    }

    var canvas: Canvas
    /// The cover, where the terminal shows pictures.
    var picture: Frame.Picture?
    private(set) var targets: [Target] = []

    init(columns: Int, rows: Int) { canvas = Canvas(columns: columns, rows: rows) }

    mutating func draw(_ widget: some Widget, in area: Rectangle) {
        canvas.draw(widget, in: area)
    }

    /// Makes cells do something when they are clicked.
    mutating func add(_ action: DemoKeys.Action, in area: Rectangle) {
        targets.append(Target(area: area, action: action))
    }

    /// Writes text, shortened to the width of the area's first row.
    mutating func write(_ text: String, in area: Rectangle, _ style: Style = .plain) {
        guard area.rows > 0, area.columns > 0 else { return }
        canvas.writeFitted(text, column: area.column, row: area.row, width: area.columns, style)
    }

    /// Writes text in the middle of the area's first row.
    mutating func writeCentred(_ text: String, in area: Rectangle, _ style: Style = .plain) {
        guard area.rows > 0, area.columns > 0 else { return }
        let text = Columns.fitted(text, into: area.columns)
        let column = area.column + (area.columns - Columns.width(of: text)) / 2
        canvas.write(text, column: column, row: area.row, style)
    }

    /// Draws a list whose rows can be clicked.
    mutating func draw(
        _ list: ListView, in area: Rectangle, _ action: (Int) -> DemoKeys.Action
    ) {
        draw(list, in: area)
        for row in area.rowRange {
            guard let index = list.row(atColumn: area.column, row: row, in: area) else { continue }
            let place = Rectangle(column: area.column, row: row, columns: area.columns, rows: 1)
            add(action(index), in: place)
        }
    }

    /// Draws another frame, without what can be clicked in it.
    mutating func drawPicture(of other: DemoFrame, in area: Rectangle) {
        canvas.draw(other.canvas, column: area.column, row: area.row)
    }
}

extension DemoPhone {
    /// The frame of this moment.
    func frame(at now: ScheduleTime) -> DemoFrame {
        var frame = DemoFrame(columns: columns, rows: rows)
        let layout = DemoLayout(columns: columns, rows: rows)
        drawBar(on: &frame, in: layout.bar, at: now)
        if isHome {
            DemoHome(self, now).draw(on: &frame, in: layout.main)
        } else {
            DemoAppView(self, now).draw(on: &frame, in: layout.main)
        }
        if let area = coverArea, let cover = covers.shown {
            frame.picture = Frame.Picture(
                text: cover.text,
                area: Rectangle(
                    column: area.column, row: area.row, columns: cover.columns, rows: cover.rows),
                removal: cover.request.style.removal)
        }
        drawConsole(on: &frame, layout)
        drawHints(on: &frame, in: layout.hints)
        if let panel { draw(panel, on: &frame, over: layout.main) }
        return frame
    }

    // MARK: Bars

    private func drawBar(on frame: inout DemoFrame, in area: Rectangle, at now: ScheduleTime) {
        guard area.rows > 0 else { return }
        var rest = area
        let clock = now.clockFace(now.wall)
        var style = DemoText.style(state)
        style.isReversed = true
        let text = " \(DemoText.state(status)) "
        frame.write(text, in: rest, style)
        _ = rest.removeLeft(Columns.width(of: text) + 1)
        if rest.columns >= 6 {
            frame.canvas.write(clock, endingAt: area.columns, row: area.row)
            _ = rest.removeRight(6)
        }
        frame.write(facts(at: now), in: rest)
    }

    /// The remaining time, the needs, the problem and the process of the app, beside its state.
    private func facts(at now: ScheduleTime) -> String {
        guard let status else { return "" }
        var facts =
            isHome ? timeRemaining(at: now).map { ["\(ClockText.span($0)) left"] } ?? [] : []
        if let needs = DemoText.needs(of: status) { facts.append(needs) }
        if status.isClosed { facts.append("closed by you") }
        if let problem = status.problem { facts.append(problem) }
        if let process = status.process { facts.append("process \(process)") }
        return Columns.printable(facts.joined(separator: ", "))
    }

    private func drawHints(on frame: inout DemoFrame, in area: Rectangle) {
        guard area.rows > 0 else { return }
        var rest = area
        // The keys for help and to leave have their room first.
        let ends = panel == nil ? DemoKeys.ends : []
        let width = ends.reduce(-2) { $0 + $1.columns + 2 }
        var last = rest.removeRight(rest.columns >= 2 * width ? max(width, 0) : 0)
        if last.columns > 0 { _ = rest.removeRight(2) }
        for hint in DemoKeys.hints(self) {
            guard draw(hint, on: &frame, in: &rest) else { break }
        }
        for hint in ends { _ = draw(hint, on: &frame, in: &last) }
    }

    /// Draws a hint, if it has room. Returns false if it has not.
    private func draw(
        _ hint: DemoKeys.Hint, on frame: inout DemoFrame, in rest: inout Rectangle
    ) -> Bool {
        guard rest.columns >= hint.columns else { return false }
        let place = rest.removeLeft(hint.columns)
        let end = frame.canvas.write(hint.key, column: place.column, row: place.row, .bold)
        frame.canvas.write(hint.meaning, column: end + 1, row: place.row, .dim)
        frame.add(hint.action, in: place)
        _ = rest.removeLeft(2)
        return true
    }

    // MARK: The console

    private func drawConsole(on frame: inout DemoFrame, _ layout: DemoLayout) {
        guard layout.consoleTitle.rows > 0 else { return }
        frame.canvas.fill(layout.consoleTitle, with: "─", .dim)
        var title = layout.consoleTitle
        _ = title.removeLeft(2)
        frame.write(" Console ", in: title, .bold)
        if console.offset > 0 {
            _ = title.removeLeft(10)
            frame.write(" \(console.offset) newer below ", in: title)
        }
        let lines = console.shown(rows: layout.console.rows).map { line in
            ConsoleLines.Line(text: line.text, style: DemoText.style(line.source))
        }
        frame.draw(ConsoleLines(lines: lines), in: layout.console)
    }

    // MARK: Panels

    private func draw(_ panel: Panel, on frame: inout DemoFrame, over main: Rectangle) {
        switch panel {
        case .capabilities: drawCapabilities(on: &frame, over: main)
        case .routes: drawRoutes(on: &frame, over: main)
        case .help: drawHelp(on: &frame)
        }
    }

    /// Draws an empty box in the middle. Returns its inside.
    private func drawBox(
        _ title: String, columns: Int, rows: Int, on frame: inout DemoFrame, over main: Rectangle
    ) -> Rectangle {
        let columns = min(columns + 4, main.columns)
        let rows = min(rows + 2, main.rows)
        let area = Rectangle(
            column: main.column + (main.columns - columns) / 2,
            row: main.row + (main.rows - rows) / 2, columns: columns, rows: rows)
        frame.canvas.fill(area)
        frame.draw(FramedBox(title: title, style: .plain), in: area)
        return area.inset(columns: 2)
    }

    private func drawCapabilities(on frame: inout DemoFrame, over main: Rectangle) {
        let titles = Self.modes.map { DemoText.title($0) }
        let width = titles.map { Columns.width(of: $0) }.max() ?? 0
        var inside = drawBox(
            "Capabilities", columns: width + 4, rows: titles.count, on: &frame, over: main)
        // The row of the cursor is always shown.
        let first = max(min(cursor, titles.count - 1) - inside.rows + 1, 0)
        for (index, mode) in Self.modes.enumerated().dropFirst(first) {
            let row = inside.removeTop(1)
            guard row.rows > 0 else { return }
            let box = CheckBox(
                title: titles[index], isOn: capabilities.contains(mode), isFocused: index == cursor)
            frame.draw(box, in: row)
            frame.add(.choose(index), in: row)
        }
    }

    private func drawRoutes(on frame: inout DemoFrame, over main: Rectangle) {
        let rows = (routes + ["None"]).enumerated().map { index, name in
            let isChosen = index == (route ?? routes.count)
            return ListView.Row(text: (isChosen ? "● " : "  ") + Columns.printable(name))
        }
        let width = rows.map { Columns.width(of: $0.text) }.max() ?? 0
        let inside = drawBox(
            "Simulate location", columns: max(width, 16), rows: rows.count, on: &frame, over: main)
        frame.draw(ListView(rows: rows, cursor: cursor), in: inside) { .choose($0) }
    }

    private func drawHelp(on frame: inout DemoFrame) {
        let keys = DemoKeys.help
        let width = keys.map { Columns.width(of: $0.keys) }.max() ?? 0
        let lines = keys.map { entry in
            let isWide = columns >= 2 * width + 8
            return Columns.padded(entry.keys, to: isWide ? width + 1 : 0) + " " + entry.meaning
        }
        let widest = lines.map { Columns.width(of: $0) }.max() ?? 0
        var screen = frame.canvas.area
        _ = (screen.removeTop(1), screen.removeBottom(1))
        var inside = drawBox("Keys", columns: widest, rows: lines.count, on: &frame, over: screen)
        let first = min(cursor, max(lines.count - inside.rows, 0))
        for line in lines.dropFirst(first) { frame.write(line, in: inside.removeTop(1)) }
    }
}

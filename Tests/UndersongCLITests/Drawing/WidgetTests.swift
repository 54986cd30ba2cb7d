import Testing

@testable import UndersongCLI

/// The small parts of full screens.
@Suite struct `A widget` {
    @Test(
        arguments: [
            (0, "────"), (0.5, "██──"), (1, "████"), (1.0 / 32, "▏───"), (31.0 / 32, "███▉"),
            (0.3, "█▏──"), (-1, "────"), (7, "████"), (.nan, "────"),
        ] as [(Double, String)])
    func `A progress bar is exact to an eighth of a column`(part: Double, text: String) {
        #expect(Self.text(of: ProgressBar(part: part), columns: 4) == [text])
    }

    @Test func `A progress bar says which part is at a column`() {
        let bar = Rectangle(column: 10, row: 0, columns: 20, rows: 1)

        #expect(ProgressBar.part(at: 10, in: bar) == 0 && ProgressBar.part(at: 25, in: bar) == 0.75)
        #expect(ProgressBar.part(at: 9, in: bar) == nil && ProgressBar.part(at: 30, in: bar) == nil)
    }

    @Test func `A level bar changes its colour near the top`() {
        var canvas = Canvas(columns: 10, rows: 1)
        LevelBar(level: 0.95).draw(on: &canvas, in: canvas.area)

        #expect(canvas.text(row: 0) == "▮▮▮▮▮▮▮▮▮▮")
        #expect([0, 7, 9].map { canvas[$0, 0].style.foreground } == [.green, .yellow, .red])
        #expect(Self.text(of: LevelBar(level: 0.3), columns: 10) == ["▮▮▮·······"])
        #expect(Self.text(of: LevelBar(level: nil), columns: 3) == ["···"])
    }

    @Test(
        arguments: [
            (60, " 1 Audio   2 Location  3   3 Whatever   4 Fetch  99+"),
            (36, " 1   2 Location  3   3   4  99+"), (26, " 1   2  3   3   4  99+"),
            (20, "1 2* 3 4*"), (6, "1 2* 3"),
        ])
    func `Tabs are shortened to their numbers where there is no room`(columns: Int, text: String) {
        #expect(Self.text(of: Self.tabs, columns: columns) == [text])
    }

    @Test func `Tabs show which one is selected, badges, and which one is at a cell`() {
        var canvas = Canvas(columns: 60, rows: 1)
        Self.tabs.draw(on: &canvas, in: canvas.area)
        let hits = [0, 8, 9, 10, 24, 25, 59].map {
            Self.tabs.tab(atColumn: $0, row: 0, in: canvas.area)
        }

        #expect(canvas[10, 0].style.isReversed && !canvas[1, 0].style.isReversed)
        #expect(canvas[23, 0].style.foreground == .red)
        #expect(hits == [0, 0, nil, 1, 1, nil, nil])
        #expect(Self.tabs.tab(atColumn: 0, row: 1, in: canvas.area) == nil)
        let narrow = Self.tabs.areas(in: Rectangle(column: 3, row: 2, columns: 6, rows: 3))
        #expect(narrow.map(\.columnRange) == [3..<4, 5..<7, 8..<9, 9..<9])
        #expect(narrow.allSatisfy { $0.rowRange == 2..<3 })
    }

    @Test func `A check box shows its state, and where the cursor is`() {
        var canvas = Canvas(columns: 9, rows: 2)
        CheckBox(title: "audio", isOn: true, isFocused: true).draw(
            on: &canvas, in: Rectangle(columns: 9, rows: 1))
        CheckBox(title: "location", isOn: false).draw(
            on: &canvas, in: Rectangle(row: 1, columns: 9, rows: 1))

        #expect(canvas.text == "[✓] audio\n[ ] loca…\n")
        #expect(canvas[4, 0].style.isReversed && !canvas[4, 1].style.isReversed)
    }

    @Test func `A list scrolls to its cursor, and keeps the ends of its rows`() {
        let rows = (0..<10).map { ListView.Row(text: "row \($0) with text", end: "0:0\($0)") }
        let list = ListView(rows: rows, cursor: 5)
        var canvas = Canvas(columns: 14, rows: 3)
        list.draw(on: &canvas, in: canvas.area)

        #expect(canvas.text == "row 4 wi… 0:04\nrow 5 wi… 0:05\nrow 6 wi… 0:06\n")
        #expect((0..<14).allSatisfy { canvas[$0, 1].style.isReversed })
        #expect(!canvas[0, 0].style.isReversed)
        #expect(list.row(atColumn: 0, row: 2, in: canvas.area) == 6)
        #expect(list.row(atColumn: 0, row: 3, in: canvas.area) == nil)
        #expect(
            Self.text(of: ListView(rows: rows, cursor: 9), columns: 14, rows: 2).last
                == "row 9 wi… 0:09")
        #expect(Self.text(of: ListView(rows: [], cursor: 0), columns: 3, rows: 2) == ["", ""])
    }

    @Test func `A strip of half-hours has shades, and the hours below`() {
        let values = (0..<48).map { Double($0) / 47 }
        var canvas = Canvas(columns: 100, rows: 2)
        HalfHourStrip(values: values, now: 3).draw(on: &canvas, in: canvas.area)
        let shown = Self.text(of: HalfHourStrip(values: values), columns: 48)[0]
        let narrow = Self.text(of: HalfHourStrip(values: values), columns: 24)[0]

        #expect(shown.first == "·" && shown.last == "█" && shown.count == 48)
        #expect(
            shown.sorted { "·░▒▓█".firstIndex(of: $0)! < "·░▒▓█".firstIndex(of: $1)! }
                == Array(shown))
        #expect(narrow.count == 24 && narrow.last == "█")
        #expect((0..<100).filter { canvas[$0, 0].style.isReversed } == [6, 7])
        #expect(canvas.text(row: 1).split(separator: " ") == ["0", "6", "12", "18"])
        #expect(canvas[24, 1].text == "6")
        #expect(Self.text(of: HalfHourStrip(values: []), columns: 9) == [""])
    }

    @Test func `A box has a title as far as there is room`() {
        #expect(
            Self.text(of: FramedBox(title: "Ring"), columns: 12, rows: 3)
                == ["╭─ Ring ───╮", "│          │", "╰──────────╯"])
        #expect(
            Self.text(of: FramedBox(title: "A long title"), columns: 12, rows: 2)
                == ["╭─ A lon… ─╮", "╰──────────╯"])
        #expect(Self.text(of: FramedBox(title: "Ring"), columns: 4, rows: 2) == ["╭──╮", "╰──╯"])
        #expect(Self.text(of: FramedBox(title: "Ring"), columns: 1, rows: 2) == ["", ""])
    }

    @Test func `A console shows its last lines, and wraps long ones`() {
        let lines = ["one", "a line that is long", "夜夜夜夜夜夜"].map { ConsoleLines.Line(text: $0) }

        #expect(
            Self.text(of: ConsoleLines(lines: lines), columns: 9, rows: 4)
                == ["at is lon", "g", "夜夜夜夜", "夜夜"])
        #expect(
            Self.text(of: ConsoleLines(lines: lines), columns: 20, rows: 4)
                == ["one", "a line that is long", "夜夜夜夜夜夜", ""])
    }

    @Test(
        arguments: [
            (0, "0:00:00.00"), (59.999, "0:00:59.99"), (3725.678, "1:02:05.67"),
            (0.29, "0:00:00.29"),
            (-1.5, "-0:00:01.50"), (-0.001, "0:00:00.00"), (.nan, "-:--:--.--"),
            (1e9, "-:--:--.--"),
        ] as [(Double, String)])
    func `A large clock has hundredths, and never rounds up`(seconds: Double, text: String) {
        #expect(LargeClock(seconds: seconds).text == text)
        #expect(Self.text(of: LargeClock(seconds: seconds), columns: 12) == [text])
    }

    @Test func `A large clock is drawn by half blocks`() {
        let clock = LargeClock(seconds: 3725.678)

        #expect(clock.columns == 33)
        #expect(
            Self.text(of: clock, columns: 33, rows: 3) == [
                "▄█  ▄ █▀█ ▀▀█ ▄ █▀█ █▀▀   █▀▀ ▀▀█",
                " █    █ █ ▄▄█   █ █ ▀▀█   █▀█  ▄▀",
                "▄█▄ ▀ █▄█ █▄▄ ▀ █▄█ ▄▄█ ▄ █▄█  █",
            ])
        #expect(Self.text(of: clock, columns: 32, rows: 3)[0] == "1:02:05.67")
    }

    @Test func `A ring is drawn from the top, clockwise, with its text in the middle`() {
        let half = Self.text(of: Ring(part: 0.5, lines: ["42 s"]), columns: 20, rows: 10)
        var canvas = Canvas(columns: 20, rows: 10)
        Ring(part: 0.5).draw(on: &canvas, in: canvas.area)

        #expect(half.contains { $0.contains("42 s") })
        let looks = [19, 0].map { column in
            (0..<10).map { canvas[column, $0] }.filter { $0.text != " " }.map(\.style)
        }
        #expect(looks[0].allSatisfy { $0.foreground == .cyan } && !looks[0].isEmpty)
        #expect(looks[1].allSatisfy { $0 == .dim } && !looks[1].isEmpty)
        for part in [0, 1, -3, 9, .nan, .infinity] as [Double] {
            _ = Self.text(of: Ring(part: part, lines: ["a", "b"]), columns: 20, rows: 1)
        }
    }

    @Test func `The text of a ring is whole in little room, even without the ring`() {
        let ring = Ring(part: 1, lines: ["no limit"])
        let large = Self.text(of: ring, columns: 24, rows: 12)
        let small = Self.text(of: ring, columns: 10, rows: 5)

        #expect(large.contains { $0.contains("no limit") })
        #expect(small[1].contains("no") && small[2].contains("limit"))
        #expect(!small[0].isEmpty && small[2] != "limit")
        #expect(Self.text(of: ring, columns: 6, rows: 3) == ["  no", "limit", ""])
        #expect(Self.text(of: ring, columns: 9, rows: 3) == ["", "no limit", ""])
    }

    @Test func `Dots are the bits of braille characters`() {
        var dots = Dots(columns: 2, rows: 1)
        for y in 0..<4 { dots.set(x: 0, y: y) }
        dots.set(x: 3, y: 3, .bold)
        for (x, y) in [(-1, 0), (4, 0), (0, 4), (0, -1)] { dots.set(x: x, y: y) }
        var canvas = Canvas(columns: 2, rows: 1)
        dots.draw(on: &canvas, in: canvas.area)

        #expect(canvas.text(row: 0) == "⡇⢀" && canvas[1, 0].style == .bold)
        #expect(dots.isSet(x: 0, y: 3) && !dots.isSet(x: 1, y: 3) && !dots.isSet(x: 9, y: 9))
    }

    @Test(
        arguments: [
            (0, 0, 7, 7, 8), (7, 0, 0, 0, 8), (-1e9, 3, 1e9, 3, 8), (3, 3, 3, 3, 1),
            (-5, -5, -1, -1, 0), (.nan, 0, 1, 1, 0), (0, -8, 0, 1e12, 8),
        ] as [(Double, Double, Double, Double, Int)])
    func `Dots make lines, of which only what is inside is drawn`(
        x1: Double, y1: Double, x2: Double, y2: Double, count: Int
    ) {
        var dots = Dots(columns: 4, rows: 2)

        dots.line(fromX: x1, y: y1, toX: x2, y: y2)

        let all = (0..<8).flatMap { y in (0..<8).filter { dots.isSet(x: $0, y: y) } }
        #expect(all.count == count)
    }

    @Test(arguments: [0, 1, 2, 7, 30]) func `A widget draws nothing outside its rectangle`(
        size: Int
    ) {
        let widgets: [any Widget] = [
            ProgressBar(part: 0.4), LevelBar(level: 1), Self.tabs, CheckBox(title: "a", isOn: true),
            ListView(rows: [.init(text: "some text", end: "0:00")], cursor: 0),
            HalfHourStrip(values: Array(repeating: 1, count: 48)), FramedBox(title: "Title"),
            ConsoleLines(lines: [.init(text: "some longer text")]), LargeClock(seconds: 1),
            Ring(part: 0.3, lines: ["some text", "more"]), Dots(columns: 99, rows: 99),
        ]
        for widget in widgets {
            for rows in [0, 1, 2, 9] {
                var canvas = Canvas(columns: 50, rows: 20)
                canvas.fill(canvas.area, with: "~")
                let area = Rectangle(column: 5, row: 5, columns: size, rows: rows)
                widget.draw(on: &canvas, in: area)
                for row in 0..<20 {
                    for column in 0..<50 where !area.contains(column: column, row: row) {
                        #expect(canvas[column, row].text == "~", "\(widget) at \(column), \(row)")
                    }
                }
            }
        }
    }

    private static let tabs = TabBar(
        tabs: [
            .init(title: "Audio"), .init(title: "Location", badge: 3), .init(title: "Whatever"),
            .init(title: "Fetch", badge: 120),
        ], selected: 1)

    /// The rows that a widget draws, without the spaces at their ends.
    private static func text(of widget: some Widget, columns: Int, rows: Int = 1) -> [String] {
        var canvas = Canvas(columns: columns, rows: rows)
        canvas.draw(widget, in: canvas.area)
        return canvas.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }
}

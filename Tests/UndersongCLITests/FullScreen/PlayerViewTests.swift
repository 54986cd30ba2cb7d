import Testing
import UndersongBackground
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// The look of the full screen.
@Suite struct `The full screen's view` {
    @Test func `The full screen shows a heading, the queue, what plays, its progress and the keys`()
    {
        let canvas = Self.screen(columns: 64, rows: 9).frame.canvas

        #expect(
            canvas.text == """
                     3 items                         Artist               Length
                  1  First Song                      Anna                   1:05
                > 2  東京の夜                        山田太郎               1:05
                  3  A very long title that does n…                         1:05


                ▶ 2/3  山田太郎 - 東京の夜  muted
                0:26 █████████████████████▌──────────────────────────────── 1:05
                ? keys  q leave  space pause  enter play  / search  x remove

                """)
    }

    @Test func `The full screen has one ground where the cursor is on what plays`() {
        var item = ListedItem(id: 1, title: "Song", path: "/song.mp3")
        item.artist = "Anna"
        var canvas = Canvas(columns: 80, rows: 1)
        let area = canvas.area

        QueueTable(columns: 80, count: 1, items: [item])
            .draw(place: 0, item, isCurrent: true, isSelected: true, on: &canvas, in: area)

        #expect((0..<80).allSatisfy { canvas[$0, 0].style.foreground == .green })
        #expect((0..<80).allSatisfy { canvas[$0, 0].style.isReversed })
    }

    @Test func `The full screen has colours for what plays, and dims what is not a title`() {
        let canvas = Self.screen(columns: 64, rows: 9).frame.canvas
        let playing = Style.coloured(.green, isBold: true)

        #expect((0..<64).allSatisfy { canvas[$0, 1].style.isReversed })
        #expect(!(0..<64).contains { canvas[$0, 1].style.isDim })
        #expect(canvas[0, 2].style == playing && canvas[5, 2].style == playing)
        #expect(canvas[37, 2].style == .dim && canvas[63, 2].style == .dim)
        #expect(canvas[5, 3].style == .plain)
        #expect(canvas[0, 6].style == playing && canvas[7, 6].style == .bold)
        #expect(canvas[5, 7].style == .coloured(.cyan) && canvas[40, 7].style == .dim)
        #expect(canvas[0, 8].style == .dim)
    }

    @Test(arguments: [1, 2, 5, 10, 20, 39, 40, 59, 60, 79, 80, 109, 110, 200, 400])
    func `The full screen fits every terminal, and each click in it`(columns: Int) {
        for rows in [1, 2, 3, 4, 7, 8, 15, 16, 24, 100] {
            var screen = Self.screen(columns: columns, rows: rows)
            var frames = [screen.frame]
            for key: KeyStroke in [.character("?"), .escape, .character("/"), .character("夜")] {
                _ = screen.handle(.stroke(key))
                for row in 0..<rows {
                    let mouse = Mouse(.press, column: row % columns, row: row)
                    var clicked = screen
                    _ = clicked.handle(.mouse(mouse, at: 0))
                    _ = clicked.handle(.mouse(Mouse(.wheelDown, column: 0, row: row), at: 0))
                    frames.append(clicked.frame)
                }
                frames.append(screen.frame)
            }

            for frame in frames {
                #expect(frame.canvas.columns == columns && frame.canvas.rows == rows)
                #expect(frame.caret.map { $0.column < columns && $0.row < rows } ?? true)
            }
        }
    }

    @Test func `The full screen of 20 columns still shows the title, the progress and the keys`() {
        let canvas = Self.screen(columns: 20, rows: 9).frame.canvas

        #expect(canvas.text(row: 2).hasPrefix("> 2  山田"))
        #expect(canvas.text(row: 6).hasPrefix("▶ 2/3  山田"))
        #expect(canvas.text(row: 7) == "0:26 ████────── 1:05")
        #expect(canvas.text(row: 8).hasPrefix("? keys  q leave"))
    }

    @Test func `The full screen shows the modes and the playing time where there is room`() {
        var screen = Self.screen(columns: 100, rows: 16)
        _ = screen.handle(
            .time(QueueTime(seconds: 3661, unknownCount: 1, secondsAfter: 600, hasCurrent: true)))
        let wide = screen.frame.canvas
        _ = screen.handle(.size(ScreenLayout(columns: 60, rows: 16)))
        let narrow = screen.frame.canvas.text(row: 14)
        _ = screen.handle(.size(ScreenLayout(columns: 24, rows: 16)))
        let narrower = screen.frame.canvas.text(row: 14)
        _ = screen.handle(.size(ScreenLayout(columns: 5, rows: 16)))
        let narrowest = screen.frame.canvas.text(row: 14)

        let modes = "shuffle off  repeat off  speed 1×  muted"
        let gap = String(repeating: " ", count: 33)
        #expect(wide.text(row: 14) == modes + gap + "1:01:01+ in all, 10:39 left")
        #expect(wide[0, 14].style == .dim)
        #expect(wide[36, 14].style == .coloured(.yellow))
        #expect(!wide.text(row: 12).contains("muted"))
        #expect(narrow == modes + "          10:39 left")
        #expect(narrower == "muted         10:39 left")
        #expect(narrowest == "muted")
    }

    @Test func `The full screen has output, format and chapters beside the list if it is wide`() {
        var screen = Self.screen(columns: 160, rows: 12)
        let chapters = (0..<9).map {
            Chapter(
                start: CMTime(value: Int64($0) * 10, timescale: 1),
                title: $0 == 3 ? nil : "Part \($0)")
        }
        _ = screen.handle(
            .details(
                GetItem.Reply(
                    format: SoundFormat(
                        sampleRate: 44100, channels: 2, encoding: "MPEG 1 Layer III"),
                    chapters: chapters)))
        _ = screen.handle(
            .outputs(
                Outputs(
                    server: nil, lostReason: "Connection refused", current: nil, chosen: nil,
                    devices: [])))

        let canvas = screen.frame.canvas
        _ = screen.handle(.stroke(.character("?")))
        let help = screen.frame.canvas
        _ = screen.handle(.size(ScreenLayout(columns: 148, rows: 12)))
        _ = screen.handle(.stroke(.escape))
        let narrow = screen.frame.canvas

        #expect(
            (0..<9).map { canvas.text(row: $0, columns: 121..<160) } == [
                " │ Output  no sound server", " │ Format  MPEG 1 Layer III",
                " │         44.1 kHz stereo", " │", " │ Chapters", " │   0:00  Part 0",
                " │   0:10  Part 1", " │ > 0:20  Part 2", " │   0:30  4",
            ])
        #expect(canvas[124, 7].style == .coloured(.green, isBold: true))
        #expect(!help.text.contains("│") && !narrow.text.contains("│"))
    }

    @Test func `The full screen scrolls the chapters with the position`() {
        var panel = ItemPanel()
        let chapters = (0..<20).map {
            Chapter(start: CMTime(value: Int64($0) * 10, timescale: 1))
        }
        panel.show(GetItem.Reply(chapters: chapters))
        var (middle, end) = (Canvas(columns: 36, rows: 5), Canvas(columns: 36, rows: 5))

        panel.draw(on: &middle, in: middle.area, at: 105)
        panel.draw(on: &end, in: end.area, at: 1000)

        #expect(middle.text == "\nChapters\n  1:30  10\n> 1:40  11\n  1:50  12\n")
        #expect(end.text.hasSuffix("> 3:10  20\n"))
    }

    @Test func `The full screen has columns for artist and album as far as there is room`() {
        let headings = [40, 80, 200].map { columns in
            let screen = Self.screen(columns: columns, rows: 9)
            return screen.frame.canvas
                .text(row: 0, columns: 0..<screen.layout.heading.columns)
                .split(separator: " ").dropFirst(2).map(String.init)
        }

        #expect(headings == [["Length"], ["Artist", "Length"], ["Artist", "Album", "Length"]])
    }

    @Test func `The full screen has the text cursor in the search field`() {
        var screen = Self.screen(columns: 80, rows: 9)

        for character in "/夜x" { _ = screen.handle(.stroke(.character(character))) }
        let frame = screen.frame

        #expect(frame.canvas.text(row: 8).trimmed == "/夜x")
        #expect(frame.caret == Frame.Cell(column: 4, row: 8))
    }

    @Test func `The full screen says what to do with an empty queue`() {
        var screen = PlayerScreen()
        _ = screen.handle(.size(ScreenLayout(columns: 80, rows: 9)))

        #expect(
            screen.frame.canvas.text(row: 1).trimmed
                == "The queue is empty. Add to it from the library (2) or from files (3)")
        #expect(screen.frame.canvas.text.contains("-/0"))
    }

    @Test func `The full screen is drawn by what has changed`() {
        var screen = Self.screen(columns: 80, rows: 9)
        var painter = TerminalPainter()

        let all = painter.changes(to: screen.frame)
        _ = screen.handle(.stroke(.down))
        let changes = painter.changes(to: screen.frame)
        _ = screen.handle(.time(nil))
        let nothing = painter.changes(to: screen.frame)

        #expect(all.hasPrefix(ScreenControl.begin + ScreenControl.enter))
        #expect(changes.contains("\u{1B}[2;1H") && changes.contains("\u{1B}[3;1H"))
        #expect(!changes.contains("\u{1B}[4;") && !changes.contains("\u{1B}[9;"))
        #expect(nothing == "")
    }

    /// A screen of three items, of which the second one plays and the first one has the cursor.
    private static func screen(columns: Int, rows: Int) -> PlayerScreen {
        typealias Screens = `The full screen`
        var screen = PlayerScreen()
        _ = screen.handle(.size(ScreenLayout(columns: columns, rows: rows)))
        let request = Screens.request(in: screen.handle(.event(.queue(count: 3))))
        let items = [
            Screens.item(0, "First Song", artist: "Anna"),
            Screens.item(1, "東京の夜", artist: "山田太郎"),
            Screens.item(2, "A very long title that does not fit into its column"),
        ]
        _ = screen.handle(.list(QueueList(items: items, current: 1), for: request))
        var began = PlayerEvent.began("山田太郎 - 東京の夜", seconds: 65, place: 1)
        began.head.item = ItemID(1)
        _ = screen.handle(.event(began))
        _ = screen.handle(.stroke(.home))
        var time = PlayerEvent.time(26, place: 1)
        time.head.item = ItemID(1)
        _ = screen.handle(.event(time))
        var settings = PlayerSettings()
        settings.isMuted = true
        var muted = PlayerEvent(.settings(SettingsEvent(settings)), place: 1)
        muted.head.item = ItemID(1)
        _ = screen.handle(.event(muted))
        return screen
    }
}

extension String {
    /// The text without the spaces at its end.
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension Canvas {
    /// The text of a part of a row, without the spaces at its end.
    fileprivate func text(row: Int, columns: Range<Int>) -> String {
        cells(row: row, columns: columns).map(\.text).joined().trimmed
    }
}

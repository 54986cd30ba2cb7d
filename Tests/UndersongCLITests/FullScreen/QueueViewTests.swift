import Testing
import UndersongBackground
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// What the full screen looks like.
@Suite struct `The text of the full screen` {
    @Test func `The screen's text has a heading, the queue, what plays, its progress and the keys`()
    {
        let lines = QueueScreenText(Self.screen(columns: 64, rows: 9)).frame.lines

        #expect(
            lines.map(\.text) == [
                "     3 items                         Artist               Length",
                "  1  First Song                      Anna                   1:05",
                "> 2  東京の夜                        山田太郎               1:05",
                "  3  A very long title that does n…                         1:05",
                "", "",
                "▶ 2/3  山田太郎 - 東京の夜  muted",
                "0:26 ━━━━━━━━━━━━━━━━━━━━━───────────────────────────────── 1:05",
                "? keys  q leave  space pause  enter play  / search  x remove",
            ])
        #expect(lines.map(\.style)[1...3] == [.selected, .bold, .plain])
    }

    @Test(arguments: [1, 2, 5, 10, 20, 39, 40, 59, 60, 80, 109, 110, 200, 400])
    func `The screen's text fits every terminal`(columns: Int) {
        for rows in [1, 2, 3, 4, 7, 8, 24, 100] {
            var screen = Self.screen(columns: columns, rows: rows)
            var frames = [QueueScreenText(screen).frame]
            for key: KeyStroke in [.character("?"), .escape, .character("/"), .character("夜")] {
                _ = screen.handle(.stroke(key))
                frames.append(QueueScreenText(screen).frame)
            }

            for frame in frames {
                #expect(frame.lines.count == rows)
                #expect(
                    frame.lines.allSatisfy {
                        Columns.width(of: $0.text) + Columns.width(of: $0.panel) <= columns
                    })
                #expect(frame.caret.map { $0 < columns } ?? true)
            }
        }
    }

    @Test func `The screen's text has output, format and chapters beside the list if it is wide`() {
        var screen = Self.screen(columns: 160, rows: 12)
        let chapters = (0..<9).map {
            Chapter(
                start: CMTime(value: Int64($0) * 10, timescale: 1),
                title: $0 == 3 ? nil : "Part \($0)")
        }
        _ = screen.handle(
            .details(
                GetItem.Reply(
                    format: GetItem.Format(
                        sampleRate: 44100, channels: 2, encoding: "MPEG 1 Layer III"),
                    chapters: chapters)))
        _ = screen.handle(
            .outputs(
                Outputs(
                    server: nil, lostReason: "Connection refused", current: nil, chosen: nil,
                    devices: [])))

        let lines = QueueScreenText(screen).frame.lines
        _ = screen.handle(.stroke(.character("?")))
        let help = QueueScreenText(screen).frame.lines
        _ = screen.handle(.size(ScreenLayout(columns: 149, rows: 12)))
        _ = screen.handle(.stroke(.escape))
        let narrow = QueueScreenText(screen).frame.lines

        #expect(
            lines.map(\.panel) == [
                " │ Output  no sound server", " │ Format  MPEG 1 Layer III",
                " │         44.1 kHz stereo", " │ ", " │ Chapters", " │   0:00  Part 0",
                " │   0:10  Part 1", " │ > 0:20  Part 2", " │   0:30  4", "", "", "",
            ])
        #expect(lines[..<9].allSatisfy { Columns.width(of: $0.text) == 121 })
        #expect((help + narrow).allSatisfy { $0.panel.isEmpty })
    }

    @Test func `The screen's text scrolls the chapters with the position`() {
        var panel = ItemPanel()
        let chapters = (0..<20).map {
            Chapter(start: CMTime(value: Int64($0) * 10, timescale: 1))
        }
        panel.show(GetItem.Reply(chapters: chapters))

        let middle = panel.lines(at: 105, rows: 5)
        let end = panel.lines(at: 1000, rows: 5)

        #expect(middle.suffix(3) == [" │   1:30  10", " │ > 1:40  11", " │   1:50  12"])
        #expect(end.last == " │ > 3:10  20")
    }

    @Test func `The screen's text has columns for artist and album as far as there is room`() {
        let headings = [40, 80, 200].map {
            QueueScreenText(Self.screen(columns: $0, rows: 9)).frame.lines[0].text
                .split(separator: " ", omittingEmptySubsequences: true).dropFirst(2).map(
                    String.init)
        }

        #expect(
            headings == [["Length"], ["Artist", "Length"], ["Artist", "Album", "Length"]])
    }

    @Test func `The screen's text has the cursor in the search field`() {
        var screen = Self.screen(columns: 80, rows: 9)

        for character in "/夜x" { _ = screen.handle(.stroke(.character(character))) }
        let frame = QueueScreenText(screen).frame

        #expect(frame.lines.last?.text == "/夜x")
        #expect(frame.caret == 4)
    }

    @Test func `The screen's text says what to do with an empty queue`() {
        var screen = QueueScreen()
        _ = screen.handle(.size(ScreenLayout(columns: 80, rows: 9)))

        #expect(
            QueueScreenText(screen).frame.lines[1].text
                == "The queue is empty. Add to it with: undersong queue add FILE")
    }

    @Test func `The screen's text is drawn by what has changed`() {
        var screen = Self.screen(columns: 80, rows: 9)
        let before = QueueScreenText(screen).frame
        _ = screen.handle(.stroke(.down))
        let after = QueueScreenText(screen).frame

        let all = ScreenControl.changes(from: nil, to: after)
        let changes = ScreenControl.changes(from: before, to: after)

        #expect(all.hasPrefix(ScreenControl.enter))
        #expect(changes.contains("\u{1B}[2;1H") && changes.contains("\u{1B}[3;1H\u{1B}[7m"))
        #expect(!changes.contains("\u{1B}[4;1H"))
        #expect(ScreenControl.changes(from: after, to: after) == "")
    }

    /// A screen of three items, of which the second one plays and the first one has the cursor.
    private static func screen(columns: Int, rows: Int) -> QueueScreen {
        typealias Screens = `The full screen`
        var screen = QueueScreen()
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

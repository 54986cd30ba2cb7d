import Testing
import UndersongBackground
import UndersongLibrary
import UndersongPlayback

@testable import UndersongCLI

/// The lyrics on the full screen.
@Suite struct `The lyrics' pane` {
    @Test func `The lyrics' pane asks for the words of what plays, once it is shown`() {
        var screen = Self.screen()

        let hidden = screen.handle(.event(.began("a")))
        let shown = screen.handle(.stroke(.character("4")))
        let again = screen.handle(.event(.time(3)))
        let next = screen.handle(.event(Self.began(2)))
        _ = screen.handle(.lyrics(Self.reply(["late"]), for: LyricsRequest(item: 1, number: 1)))
        let late = screen.lyrics.state
        _ = screen.handle(
            .lyrics(
                .lyrics(ItemLyrics(item: 2, lyrics: nil)), for: LyricsRequest(item: 2, number: 2)))

        #expect(hidden == [] && again == [])
        #expect(shown == [.findLyrics(LyricsRequest(item: 1, number: 1))])
        #expect(next == [.findLyrics(LyricsRequest(item: 2, number: 2))])
        #expect(late == .awaited && screen.lyrics.state == .none)
        #expect(screen.frame.canvas.text(row: 0).hasPrefix("There are no lyrics"))
    }

    @Test func `The lyrics' pane follows what is heard, and keeps it in the middle`() {
        var screen = Self.screen()
        Self.show((0..<30).map { "line \($0)" }, in: &screen)

        let before = (screen.lyrics.heard, screen.frame.canvas.text(row: 1))
        _ = screen.handle(.event(.time(9.9)))
        let early = screen.lyrics.heard
        var boundary = PlayerEvent(.boundary, place: 0)
        boundary.head.position = CMTime(value: 10, timescale: 1)
        _ = screen.handle(.event(boundary))
        let first = (screen.lyrics.heard, Self.marked(screen))
        _ = screen.handle(.event(.time(155)))
        let middle = (screen.lyrics.heard, Self.marked(screen), screen.frame.canvas.text(row: 1))
        _ = screen.handle(.event(.time(1000)))
        let last = (screen.lyrics.heard, Self.marked(screen))

        #expect(before.0 == nil && before.1.hasPrefix("line 0 "))
        #expect(early == nil && first == (0, 1))
        #expect(middle.0 == 14 && middle.1 == 6 && middle.2.hasPrefix("line 9 "))
        #expect(last == (29, 10))
    }

    @Test func `The lyrics' pane asks for the time of each line, until another item plays`() {
        var screen = Self.screen()
        _ = screen.handle(.event(.began("a")))
        _ = screen.handle(.stroke(.character("4")))

        let times = screen.handle(
            .lyrics(Self.reply(["a", "b"]), for: LyricsRequest(item: 1, number: 1)))
        let again = screen.handle(.event(.time(3)))
        let next = screen.handle(.event(Self.began(2)))

        #expect(times == [.follow([10, 20])] && again == [])
        #expect(next == [.findLyrics(LyricsRequest(item: 2, number: 2)), .follow([])])
    }

    @Test func `The lyrics' pane is moved by keys, follows again by c, and seeks by Enter`() {
        var screen = Self.screen()
        Self.show((0..<30).map { "line \($0)" }, in: &screen)
        _ = screen.handle(.event(.time(155)))

        let nothing = screen.handle(.stroke(.enter))
        _ = screen.handle(.stroke(.down))
        _ = screen.handle(.event(.time(300)))
        let moved = screen.lyrics.selected
        let seek = screen.handle(.stroke(.enter))
        let followed = screen.lyrics.selected
        _ = screen.handle(.stroke(.home))
        let home = screen.lyrics.selected
        _ = screen.handle(.stroke(.character("c")))

        #expect(nothing == [] && moved == 15)
        #expect(seek == [.seek(160)] && followed == nil)
        #expect(home == 0 && screen.lyrics.selected == nil)
    }

    @Test func `A double click on a line seeks there, if its time is known`() {
        var screen = Self.screen()
        Self.show((0..<30).map { "line \($0)" }, in: &screen)
        _ = screen.handle(.event(.time(155)))
        let timed = [1, 1.1].flatMap {
            screen.handle(.mouse(Mouse(.press, column: 0, row: 3), at: $0))
        }

        var other = Self.screen()
        _ = other.handle(.event(.began("a")))
        _ = other.handle(.stroke(.character("4")))
        _ = other.handle(
            .lyrics(
                .lyrics(
                    ItemLyrics(
                        item: 1, lyrics: Lyrics(lines: [Lyrics.Line("words")], source: .tag))),
                for: LyricsRequest(item: 1, number: 1)))
        _ = other.handle(.stroke(.down))
        let untimed = other.handle(.stroke(.enter))

        #expect(timed == [.seek(120)] && screen.lyrics.selected == nil)
        #expect(untimed == [.endNote(1)] && other.lyrics.heard == nil)
        #expect(other.frame.canvas.text(row: 0).hasPrefix("Lyrics, whose times are not known"))
    }

    @Test(arguments: [(40, 3), (80, 2), (120, 1), (200, 1)])
    func `The lyrics' pane parts lines that are longer than it between words`(
        columns: Int, count: Int
    ) {
        var screen = Self.screen(columns: columns)
        let line = Array(repeating: "slack water", count: 9).joined(separator: " ")
        Self.show([line, "", "end"], in: &screen)

        let rows = (1...10).map { row in
            screen.frame.canvas.text(row: row).split(separator: "│")[0]
                .split(separator: " ").joined(separator: " ")
        }

        #expect(rows.prefix(count).joined(separator: " ") == line)
        #expect(Array(rows[count..<count + 2]) == ["", "end"])
    }

    // MARK: Making screens

    private static func screen(columns: Int = 80) -> PlayerScreen {
        var screen = PlayerScreen()
        _ = screen.handle(.size(ScreenLayout(columns: columns, rows: 14)))
        return screen
    }

    private static func began(_ item: Int) -> PlayerEvent {
        var event = PlayerEvent.began("b", place: 1)
        event.head.item = ItemID(item)
        return event
    }

    /// Lyrics with a line every ten seconds, the first one at ten.
    private static func reply(_ lines: [String]) -> LyricsReply {
        let lines = lines.enumerated().map {
            Lyrics.Line(seconds: Double($0 + 1) * 10, $1)
        }
        return .lyrics(ItemLyrics(item: 1, lyrics: Lyrics(lines: lines, source: .lrcFile)))
    }

    private static func show(_ lines: [String], in screen: inout PlayerScreen) {
        _ = screen.handle(.event(.began("a")))
        _ = screen.handle(.stroke(.character("4")))
        _ = screen.handle(.lyrics(reply(lines), for: LyricsRequest(item: 1, number: 1)))
    }

    /// The row of the line that is heard.
    private static func marked(_ screen: PlayerScreen) -> Int? {
        let canvas = screen.frame.canvas
        return (1...10).first { canvas[0, $0].style == .coloured(.green, isBold: true) }
    }
}

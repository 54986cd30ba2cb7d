import Testing

@testable import UndersongCLI

/// The bytes sent to a terminal to show frames.
@Suite struct `A terminal's painter` {
    private static let picture = Frame.Picture(
        text: "PICTURE", area: Rectangle(column: 2, row: 0, columns: 3, rows: 2), removal: "REMOVAL"
    )

    @Test func `A terminal's painter draws everything first, and then the cells that have changed`()
    {
        var painter = TerminalPainter()
        var canvas = Canvas(columns: 40, rows: 2)
        canvas.write("hello", column: 0, row: 0, .bold)
        canvas.write("world", column: 20, row: 0)

        let first = painter.changes(to: Frame(canvas: canvas))
        canvas.write("J", column: 0, row: 0)
        canvas.write("xyz", column: 22, row: 0)
        let second = painter.changes(to: Frame(canvas: canvas))
        canvas.write("ab", column: 21, row: 0)
        canvas.write("c", column: 27, row: 0)
        let near = painter.changes(to: Frame(canvas: canvas))
        let nothing = painter.changes(to: Frame(canvas: canvas))

        #expect(
            first
                == Self.text(
                    ScreenControl.enter + ScreenControl.mouse
                        + "\u{1B}[1;1H\u{1B}[0;1mhello\u{1B}[0m\u{1B}[1;21Hworld"))
        #expect(second == Self.text("\u{1B}[1;1HJ\u{1B}[1;23Hxyz"))
        #expect(near == Self.text("\u{1B}[1;22Habyz  c"))
        #expect(nothing == "")
    }

    @Test func `A terminal's painter draws rows of uncertain width as a whole`() {
        var painter = TerminalPainter()
        var canvas = Canvas(columns: 10, rows: 2)
        canvas.write("夜", column: 0, row: 0)
        canvas.write("▏", column: 0, row: 1)
        _ = painter.changes(to: Frame(canvas: canvas))

        canvas.write("x", column: 8, row: 0)
        canvas.write("x", column: 8, row: 1)
        let beside = painter.changes(to: Frame(canvas: canvas))
        canvas.write("ab", column: 0, row: 0)
        let instead = painter.changes(to: Frame(canvas: canvas))

        #expect(beside == Self.text("\u{1B}[1;1H夜      x \u{1B}[2;9Hx"))
        #expect(instead == Self.text("\u{1B}[1;1Hab      x "))
    }

    @Test func `A terminal's painter draws everything again in another size, or once it forgets`() {
        var painter = TerminalPainter()
        var canvas = Canvas(columns: 10, rows: 1)
        canvas.write("a", column: 0, row: 0)

        let first = painter.changes(to: Frame(canvas: canvas))
        painter.forget()
        let wasForgotten = painter.isForgotten
        let again = painter.changes(to: Frame(canvas: canvas))
        let larger = painter.changes(to: Frame(canvas: Canvas(columns: 10, rows: 2)))

        #expect(wasForgotten && !painter.isForgotten)
        #expect(again == first && first.contains(ScreenControl.enter))
        #expect(larger == Self.text(painter.beginning))
    }

    @Test func `A terminal's painter leaves out what is under a picture, and restores it later`() {
        var painter = TerminalPainter()
        var canvas = Canvas(columns: 20, rows: 2)
        canvas.write("abcdefgh", column: 0, row: 0)
        _ = painter.changes(to: Frame(canvas: canvas))

        let shown = painter.changes(to: Frame(canvas: canvas, picture: Self.picture))
        canvas.write("--------", column: 0, row: 1)
        let beside = painter.changes(to: Frame(canvas: canvas, picture: Self.picture))
        let removed = painter.changes(to: Frame(canvas: canvas))

        #expect(shown == Self.text("\u{1B}[1;3Hcde\u{1B}[2;3H   \u{1B}[1;3HPICTURE"))
        #expect(beside == Self.text("\u{1B}[2;1H--\u{1B}[2;6H---"))
        #expect(removed == Self.text("REMOVAL\u{1B}[1;3Hcde\u{1B}[2;3H---"))
    }

    @Test func `A terminal's painter moves the text cursor back after each change`() {
        var painter = TerminalPainter()
        var canvas = Canvas(columns: 20, rows: 2)
        let caret = Frame.Cell(column: 3, row: 1)
        _ = painter.changes(to: Frame(canvas: canvas))

        let shown = painter.changes(to: Frame(canvas: canvas, caret: caret))
        let kept = painter.changes(to: Frame(canvas: canvas, caret: caret))
        canvas.write("x", column: 0, row: 0)
        let changed = painter.changes(to: Frame(canvas: canvas, caret: caret))
        let hidden = painter.changes(to: Frame(canvas: canvas))

        let position = "\u{1B}[2;4H" + ScreenControl.showCaret
        #expect(shown == Self.text(position) && kept == "")
        #expect(changed == Self.text("\u{1B}[1;1Hx" + position))
        #expect(hidden == Self.text(ScreenControl.hideCaret))
    }

    @Test(
        arguments: [
            (["TERM": "xterm"], true, true), (["TERM": "xterm", "NO_COLOR": "1"], false, true),
            (["TERM": "xterm", "NO_COLOR": ""], true, true), (["TERM": "dumb"], false, true),
            (["TERM": "linux"], true, false), ([:], true, true),
        ] as [([String: String], Bool, Bool)])
    func `A terminal's painter has the colours and the mouse that the environment permits`(
        environment: [String: String], hasColours: Bool, hasMouse: Bool
    ) {
        var painter = TerminalPainter { environment[$0] }
        var canvas = Canvas(columns: 3, rows: 1)
        canvas.write("x", column: 0, row: 0, .coloured(.red))

        let text = painter.changes(to: Frame(canvas: canvas))

        #expect(text.contains(";31m") == hasColours)
        #expect(text.contains(ScreenControl.mouse) == hasMouse)
    }

    @Test func `A terminal's painter takes back all modes when the screen is left`() {
        for mode in ["?7", "?25", "?1049"] {
            #expect(
                ScreenControl.enter.contains("\u{1B}[\(mode)")
                    && ScreenControl.leave.contains("\u{1B}[\(mode)"))
        }
        for mode in ["?1000", "?1006"] {
            #expect(ScreenControl.mouse.contains("\u{1B}[\(mode)h"))
            #expect(ScreenControl.leave.contains("\u{1B}[\(mode)l"))
        }
    }

    /// The text of a frame that is shown at once.
    private static func text(_ text: String) -> String {
        ScreenControl.begin + text + ScreenControl.end
    }
}

import Testing

@testable import UndersongCLI

/// Cells, styles, and what a terminal gets of them.
@Suite struct `A canvas` {
    @Test(
        arguments: [
            ("abc", 0, "abc   "), ("abc", 4, "    ab"), ("abc", -1, "bc    "), ("夜x", 0, "夜x   "),
            ("夜夜", 3, "   夜 "), ("夜x", -1, " x    "), ("e\u{301}x", 0, "e\u{301}x    "),
            ("abc", 9, "      "),
        ] as [(String, Int, String)])
    func `A canvas is written to as far as it reaches`(text: String, column: Int, row: String) {
        var canvas = Canvas(columns: 6, rows: 2)

        canvas.write(text, column: column, row: 1)
        canvas.write(text, column: column, row: 2)
        canvas.write(text, column: column, row: -1)

        #expect(canvas.text(row: 1) == row)
        #expect(canvas.text(row: 0) == "      ")
    }

    @Test func `A canvas says where a text ends, and keeps within its width`() {
        var canvas = Canvas(columns: 9, rows: 1)

        let end = canvas.write("ab", column: 1, row: 0)
        let cut = canvas.write("夜夜", column: 4, row: 0, width: 3)
        let fitted = canvas.writeFitted("abcdef", column: 6, row: 0, width: 2)

        #expect(end == 3 && cut == 6 && fitted == 8)
        #expect(canvas.text(row: 0) == " ab 夜a… ")
    }

    @Test func `A canvas adds combining characters to the cell before, even alone`() {
        var canvas = Canvas(columns: 5, rows: 1)

        canvas.write("e", column: 0, row: 0)
        canvas.write("\u{301}x", column: 1, row: 0)
        canvas.write("夜", column: 3, row: 0)
        canvas.write("\u{301}", column: 5, row: 0)
        canvas.write("\u{301}", column: 0, row: 0)

        #expect(
            canvas.text(row: 0).unicodeScalars.map(\.value) == [
                0x65, 0x301, 0x78, 0x20, 0x591C, 0x301,
            ])
    }

    @Test(arguments: [0, 1, 2, 3])
    func `A canvas removes all of a wide character of which a part is overwritten`(
        column: Int
    ) {
        var canvas = Canvas(columns: 4, rows: 1)
        canvas.write("夜夜", column: 0, row: 0)

        canvas.write("x", column: column, row: 0)

        #expect(canvas.text(row: 0) == ["x 夜", " x夜", "夜x ", "夜 x"][column])
    }

    @Test func `A canvas is drawn on another one, and wide characters are cut at its borders`() {
        var wide = Canvas(columns: 4, rows: 2)
        wide.write("夜夜", column: 0, row: 0, .bold)
        wide.write("abcd", column: 0, row: 1)
        func drawn(at column: Int, row: Int = 0) -> String {
            var canvas = Canvas(columns: 5, rows: 2)
            canvas.write("日本", column: 0, row: 0)
            canvas.draw(wide, column: column, row: row)
            return canvas.text(row: 0)
        }

        #expect(drawn(at: 0) == "夜夜 ")
        #expect(drawn(at: 1) == " 夜夜")
        #expect(drawn(at: 2) == "日夜 ")
        #expect(drawn(at: -1) == " 夜  ")
        #expect(drawn(at: 0, row: -1) == "abcd ")
        #expect(drawn(at: 5) == "日本 " && drawn(at: -4) == "日本 " && drawn(at: 0, row: 2) == "日本 ")
    }

    @Test func `A canvas fills and restyles no more than the rectangle`() {
        var canvas = Canvas(columns: 4, rows: 3)

        canvas.fill(Rectangle(column: 1, row: 1, columns: 2, rows: 9), with: "#", .bold)
        canvas.restyle(Rectangle(column: -1, row: -1, columns: 3, rows: 3)) { $0.isReversed = true }

        #expect(canvas.text == "\n ##\n ##\n")
        #expect(canvas[1, 1].style == Style(isBold: true, isReversed: true))
        #expect(canvas[2, 1].style == .bold && canvas[0, 0].style == Style(isReversed: true))
        #expect(canvas[0, 2].style == .plain)
    }

    @Test func `A style is all of its parts, and a sequence without colours if there are none`() {
        var style = Style(
            foreground: .brightRed, background: .blue, isBold: true, isDim: true, isReversed: true)
        let coloured = style.sequence(hasColours: true)
        let plain = style.sequence(hasColours: false)
        style.foreground = nil
        style.isBold = false

        #expect(coloured == "\u{1B}[0;1;2;7;91;44m" && plain == "\u{1B}[0;1;2;7m")
        #expect(style == Style(background: .blue, isDim: true, isReversed: true))
        #expect(style.foreground == nil && style.background == .blue)
        #expect(
            Style(foreground: .black).sequence(hasColours: true) == "\u{1B}[0;30m"
                && Style(background: .brightWhite).sequence(hasColours: true) == "\u{1B}[0;107m")
    }

    @Test func `A rectangle is divided`() {
        var rest = Rectangle(column: 1, row: 2, columns: 10, rows: 5)

        let top = rest.removeTop(2)
        let bottom = rest.removeBottom(1)
        let left = rest.removeLeft(3)
        let right = rest.removeRight(99)

        #expect(top == Rectangle(column: 1, row: 2, columns: 10, rows: 2))
        #expect(bottom == Rectangle(column: 1, row: 6, columns: 10, rows: 1))
        #expect(left == Rectangle(column: 1, row: 4, columns: 3, rows: 2))
        #expect(right == Rectangle(column: 4, row: 4, columns: 7, rows: 2))
        #expect(rest.columns == 0 && !rest.contains(column: 4, row: 4))
        #expect(top.inset() == Rectangle(column: 2, row: 3, columns: 8, rows: 0))
    }
}

import Testing
import UndersongCommandOptions

/// The width of text on a terminal.
@Suite struct `A terminal's columns` {
    @Test(arguments: [
        ("abc", 3), ("äö", 2), ("東京", 4), ("e\u{301}", 1), ("🎵", 2), ("▶━─…", 4), ("ﾊﾝｶｸ", 4),
        ("", 0), ("\u{200B}", 0),
    ])
    func `A terminal's columns are zero, one or two per character`(text: String, width: Int) {
        #expect(Columns.width(of: text) == width)
    }

    @Test func `A terminal's columns fit a text that is complete or truncated`() {
        #expect(Columns.fitted("abcdef", into: 6) == "abcdef")
        #expect(Columns.fitted("abcdef", into: 5) == "abcd…")
        #expect(Columns.fitted("東京の", into: 5) == "東京…")
        #expect(Columns.fitted("東京の", into: 4) == "東…")
        #expect(Columns.fitted("abc", into: 1) == "…")
        #expect(Columns.fitted("abc", into: 0) == "")
    }

    @Test func `Columns contain no text that moves the cursor or changes the direction`() {
        #expect(Columns.printable("a\u{1B}[2Jb\r\n\tc\u{7F}") == "a [2Jb c")
        #expect(Columns.printable("a\u{202E}b\u{2066}c") == "abc")
        #expect(Columns.printable("東京 é") == "東京 é")
    }

    @Test(arguments: [
        ("Title with\nnewline", "Title with newline"), ("new\r\nline", "new line"),
        ("a\t\tb", "a b"), ("a \n b", "a b"), ("\na\n", "a"), ("red\u{1B}[31m", "red [31m"),
        ("a\u{85}b\u{0}c", "a b c"), ("two  spaces", "two  spaces"), ("a\u{2028}b", "a b"),
    ])
    func `Columns separate words that were separated by control characters`(
        text: String, shown: String
    ) {
        #expect(Columns.printable(text) == shown)
    }

    @Test(arguments: [
        (["1", "", "a b "], "1  a b"), (["  1", "é  ", "", "  "], "  1  é"), (["", ""], ""),
        (["   "], ""), (["a", " \u{301}"], "a   \u{301}"),
    ])
    func `A row of columns has no empty cells and no spaces at its end`(
        cells: [String], row: String
    ) {
        #expect(Columns.row(cells) == row)
    }
}

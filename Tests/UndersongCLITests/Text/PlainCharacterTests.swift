import Testing
import UndersongCommandOptions

@testable import UndersongCLI

@Suite struct `A terminal that shows only ASCII` {
    @Test(
        arguments: [
            ([:], false), (["LANG": "de_DE.UTF-8"], false), (["LANG": "C.utf8"], false),
            (["LANG": "C"], true), (["LC_ALL": "POSIX", "LANG": "C.UTF-8"], true),
            (["LC_CTYPE": "de_DE@euro", "LANG": "C.UTF-8"], true),
            (["LC_ALL": "en_US.UTF-8", "LANG": "C"], false),
        ] as [([String: String], Bool)])
    func `A terminal that shows only ASCII is named by the locale`(
        environment: [String: String], isASCII: Bool
    ) {
        #expect(PlainCharacters.areNeeded { environment[$0] } == isASCII)
    }

    @Test(arguments: [
        ("▶ 1/12  0:41  First…  1.1×  ━━──", "> 1/12  0:41  First~  1.1x  ==--"),
        ("⏸ 2/3  Ärger", "| 2/3  ?rger"), ("e\u{301}t", "?t"), ("日本 🎉", "???? ??"),
        ("plain\u{1B}[K", "plain\u{1B}[K"), ("██▌──  ╭─╮", "##=--  +-+"),
        ("·░▒▓█", ".:+%#"), ("█▀█ █▄█", "#\"# #_#"), ("\u{2800}⠁⡇⣿", " .:*"),
        ("◉ ↗ 45° ├─┤", "@ / 45' +-+"),
    ])
    func `A terminal that shows only ASCII gets a text of the same width`(
        text: String, plain: String
    ) {
        #expect(PlainCharacters.only(text) == plain)
        #expect(Columns.width(of: plain) == Columns.width(of: text))
    }
}

import Testing

@testable import UndersongCLI

/// The bytes that a terminal sends.
@Suite struct `A terminal's input` {
    @Test(
        arguments: [
            ("aé音", [.character("a"), .character("é"), .character("音")]),
            ("\u{1B}[A\u{1B}OB\u{1B}[C\u{1B}OD", [.up, .down, .right, .left]),
            ("\u{1B}[1;2A\u{1B}[1;2B\u{1B}[1;5C", [.shiftUp, .shiftDown, .right]),
            (
                "\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~",
                [
                    .home, .end, .home, .end, .home, .end,
                ]
            ),
            ("\u{1B}[5~\u{1B}[6~\u{1B}[2~\u{1B}[3~", [.pageUp, .pageDown, .insert, .delete]),
            // F5 is followed by what is typed after it.
            ("\u{1B}[15~q", [.unknown, .character("q")]),
            ("\u{1B}[[Aq", [.unknown, .character("q")]),
            (
                "\n\r\t\u{7F}\u{8}\u{C}",
                [
                    .enter, .enter, .tab, .backspace, .backspace, .control("l"),
                ]
            ),
            ("\u{1B}\u{1B}[A", [.escape, .up]),
            (
                "\u{1B}[<0;3;2M\u{1B}[<0;3;2mq",
                [
                    .mouse(Mouse(.press, column: 2, row: 1)),
                    .mouse(Mouse(.release, column: 2, row: 1)), .character("q"),
                ]
            ),
            (
                "\u{1B}[<64;200;100M\u{1B}[<69;1;1M\u{1B}[<2;1;1M\u{1B}[<35;1;1M",
                [
                    .mouse(Mouse(.wheelUp, column: 199, row: 99)),
                    .mouse(Mouse(.wheelDown, column: 0, row: 0)),
                    .mouse(Mouse(.other, column: 0, row: 0)),
                    .mouse(Mouse(.other, column: 0, row: 0)),
                ]
            ),
            // The old form: three bytes, of which the first is the button.
            ("\u{1B}[M #\"q", [.mouse(Mouse(.press, column: 2, row: 1)), .character("q")]),
            ("\u{1B}[<0;0;1M\u{1B}[<0;1Mq", [.unknown, .unknown, .character("q")]),
            ("\u{1B}x", [.unknown]),
            ("\u{1B}[1\nq", [.unknown, .enter, .character("q")]),
        ] as [(String, [KeyStroke])])
    func `A terminal's input is keys, whole or byte by byte`(text: String, keys: [KeyStroke]) {
        var whole = TerminalInput()
        var split = TerminalInput()

        let atOnce = whole.parse(text.utf8)
        let oneByOne = text.utf8.flatMap { split.parse([$0]) }

        #expect(atOnce == keys)
        #expect(oneByOne == keys)
        #expect(!whole.isPending && !split.isPending)
    }

    @Test(
        arguments: [
            ([0xFF], [.unknown]), ([0xC3, 0x28], [.unknown, .character("(")]),
            ([0xED, 0xA0, 0x80], [.unknown]), ([0x80, 0x71], [.unknown, .character("q")]),
        ] as [([UInt8], [KeyStroke])])
    func `A terminal's input that is not text is an unknown key`(bytes: [UInt8], keys: [KeyStroke])
    {
        var input = TerminalInput()

        #expect(input.parse(bytes) == keys)
    }

    @Test func `A terminal's input is the escape key if nothing follows`() {
        var input = TerminalInput()

        let keys = input.parse([0x1B])
        let wasPending = input.isPending
        let finished = input.finish()

        #expect(keys == [] && wasPending)
        #expect(finished == [.escape])
        #expect(!input.isPending && input.finish() == [])
    }

    @Test func `A terminal's input does not wait for the end of a sequence without one`() {
        var input = TerminalInput()

        _ = input.parse([0x1B, UInt8(ascii: "[")])
        let keys = input.parse([UInt8](repeating: UInt8(ascii: "1"), count: 100))

        #expect(keys.first == .unknown)
        #expect(!input.isPending)
    }

    @Test(
        arguments: [
            (.character("d"), .detach), (.character("0"), .part(0)), (.character("9"), .part(0.9)),
            (.character("x"), .unknown), (.home, .unknown), (.up, .volume(5)),
            (.character("٣"), .unknown),
        ] as [(KeyStroke, Key)])
    func `A terminal's input controls the player`(stroke: KeyStroke, key: Key) {
        #expect(Key(stroke) == key)
    }
}

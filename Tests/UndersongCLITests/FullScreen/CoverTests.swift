import Foundation
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

@testable import UndersongCLI

/// Covers on the full screen.
@Suite struct `A cover` {
    @Test(
        arguments: [
            ("_Gi=31;OK\u{1B}\\", .kitty(true)), ("_Gi=31;ENOTSUP:no\u{1B}\\", .kitty(false)),
            ("[6;16;8t", .cell(width: 8, height: 16)), ("[?62;4;22c", .attributes([62, 4, 22])),
            ("[?1;2c", .attributes([1, 2])),
        ] as [(String, TerminalReport)])
    func `A cover is drawn as the terminal's answers permit, which are no keys`(
        answer: String, report: TerminalReport
    ) {
        let text = "a\u{1B}" + answer + "q"
        var whole = TerminalInput()
        var split = TerminalInput()
        let keys: [KeyStroke] = [.character("a"), .report(report), .character("q")]

        #expect(whole.parse(text.utf8) == keys)
        #expect(text.utf8.flatMap { split.parse([$0]) } == keys)
    }

    @Test(arguments: [
        "_Gi=7;OK\u{1B}\\", "_x\u{1B}\\", "[6;0;0t", "[6;99999;8t", "[8;24;80t", "[6;16t",
    ])
    func `A cover has nothing to do with other answers`(answer: String) {
        var input = TerminalInput()

        #expect(input.parse(("\u{1B}" + answer).utf8) == [.unknown])
    }

    @Test func `A cover is asked for by one question, of terminals that do not show it`() {
        let kitty = PictureQuestion.text(terminal: "xterm-kitty") ?? ""

        #expect(kitty.hasPrefix("\u{1B}_G") && kitty.hasSuffix("\u{1B}[c"))
        #expect(PictureQuestion.text(terminal: "tmux-256color") == "\u{1B}[16t\u{1B}[c")
        #expect(PictureQuestion.text(terminal: "screen") == "\u{1B}[16t\u{1B}[c")
        for name in [nil, "", "dumb", "linux"] {
            #expect(PictureQuestion.text(terminal: name) == nil)
        }
    }

    @Test(
        arguments: [
            ([.kitty(true), .cell(width: 8, height: 16)], [62], .kitty),
            ([.kitty(true), .cell(width: 8, height: 16)], [62, 4], .kitty),
            ([.kitty(false), .cell(width: 8, height: 16)], [62, 4], .sixel),
            ([.cell(width: 8, height: 16)], [62, 4], .sixel),
            ([.cell(width: 8, height: 16)], [62], nil), ([.kitty(true)], [62, 4], nil),
            ([], [], nil),
        ] as [([TerminalReport], [Int], PictureStyle.Way?)])
    func `A cover is shown by kitty's protocol, else by sixels, else not at all`(
        before: [TerminalReport], attributes: [Int], way: PictureStyle.Way?
    ) {
        var question = PictureQuestion()

        let early = before.map { question.receive($0, cell: nil) }
        let last = question.receive(.attributes(attributes), cell: nil)

        #expect(early.allSatisfy { $0 == .none })
        #expect(last == .some(way.map { PictureStyle(way: $0, cell: Self.cell) }))
    }

    @Test func `A cover is sent to kitty as pixels, in parts`() {
        let style = PictureStyle(way: .kitty, cell: Self.cell)
        let small = style.text(Pixels(width: 2, height: 1, bytes: [255, 0, 0, 1, 2, 3]))
        let large = style.text(
            Pixels(width: 64, height: 32, bytes: [UInt8](repeating: 0, count: 64 * 32 * 3)))

        #expect(small == "\u{1B}_Ga=T,f=24,i=31,s=2,v=1,C=1,q=2,m=0;/wAAAQID\u{1B}\\")
        #expect(large.hasPrefix("\u{1B}_Ga=T,f=24,i=31,s=64,v=32,C=1,q=2,m=1;AAAA"))
        #expect(large.contains("\u{1B}\\\u{1B}_Gq=2,m=0;AAAA"))
        #expect(large.count { $0 == "\u{1B}" } == 4)
    }

    @Test func `A cover is sent as bands of six rows, a colour at a time`() {
        let style = PictureStyle(way: .sixel, cell: Self.cell)
        let white = [UInt8](repeating: 255, count: 3)
        let black = [UInt8](repeating: 0, count: 3)

        let two = style.text(Pixels(width: 2, height: 1, bytes: white + black))
        let tall = style.text(
            Pixels(width: 5, height: 7, bytes: [UInt8](repeating: 255, count: 5 * 7 * 3)))

        #expect(
            two
                == "\u{1B}P0;1q\"1;1;2;1#0;2;0;0;0#251;2;100;100;100#0?@$#251@?$-\u{1B}\\")
        #expect(tall == "\u{1B}P0;1q\"1;1;5;7#251;2;100;100;100#251!5~$-#251!5@$-\u{1B}\\")
    }

    @Test func `A cover is decoded from PNG and JPEG, no larger than its room`() throws {
        let png = try #require(Pixels(Self.png, width: 100, height: 100))
        let smaller = try #require(Pixels(Self.png, width: 2, height: 100))
        let jpeg = try #require(Pixels(Self.jpeg, width: 4, height: 4))

        #expect((png.width, png.height) == (4, 2))
        #expect(png.bytes.prefix(3) == [255, 0, 0] && png.bytes.suffix(3) == [0, 0, 255])
        #expect((smaller.width, smaller.height) == (2, 1))
        #expect(smaller.bytes == [255, 0, 0, 0, 0, 255])
        #expect((jpeg.width, jpeg.height) == (4, 2))
        #expect(jpeg.bytes.allSatisfy { (120...136).contains($0) })
    }

    @Test func `A cover that is damaged, huge or of another type is not shown`() {
        var huge = Self.png
        huge.replaceSubrange(16..<24, with: [0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20])
        var jpeg = Self.jpeg
        if let frame = jpeg.indices.first(where: { jpeg[$0...].starts(with: [0xFF, 0xC0]) }) {
            jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0x4E, 0x20, 0x4E, 0x20])
        }

        #expect(Pixels(huge, width: 100, height: 100) == nil)
        #expect(Pixels(jpeg, width: 100, height: 100) == nil)
        #expect(Pixels([], width: 100, height: 100) == nil)
        #expect(Pixels(Array("GIF89a and more".utf8), width: 100, height: 100) == nil)
        #expect(Pixels(Self.detailed, width: 100, height: 100) != nil)
        for file in [Self.png, Self.jpeg, Self.detailed] {
            for count in 0..<file.count - 16 {
                #expect(Pixels(Array(file.prefix(count)), width: 100, height: 100) == nil)
            }
        }
    }

    @Test func `A cover is read from a file that is not too long, and from nothing else`() throws {
        let folder = URL(filePath: "/tmp/cover-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.png).write(to: folder.appending(path: "a cover.png"))
        try Data(Self.png + [UInt8](repeating: 0, count: 30 << 20))
            .write(to: folder.appending(path: "long.png"))
        mkfifo(folder.appending(path: "pipe.png").path, 0o600)

        let covers = ["a%20cover.png", "long.png", "pipe.png", "none.png"].map {
            Cover(Self.request("file://\(folder.path)/\($0)"))
        }

        #expect(covers.map { $0?.columns } == [1, nil, nil, nil])
        #expect(covers[0]?.rows == 1)
        #expect(Cover(Self.request("http://example.org/cover.png")) == nil)
    }

    @Test func `A cover is loaded once, and shown until there is another one`() {
        var place = CoverPlace()
        place.style = PictureStyle(way: .kitty, cell: Self.cell)
        place.room = (36, 10)

        let early = place.request()
        place.url = "file:///a"
        let first = place.request()
        let again = place.request()
        place.url = "file:///b"
        let second = place.request()
        if let first { place.store(Self.cover(for: first)) }
        let outdated = place.shown
        if let second { place.store(Self.cover(for: second)) }
        let shown = place.shown
        place.url = nil

        #expect(early == nil && again == nil && outdated == nil)
        #expect(first?.url == "file:///a" && second?.url == "file:///b")
        #expect(shown?.request == second)
        #expect(place.shown == nil)
    }

    @Test func `A cover has its place beside the list in terminals that are wide enough`() {
        // A terminal's last column is not used.
        let rooms = [
            (40, 50), (78, 50), (79, 50), (79, 24), (79, 14), (148, 50), (149, 50), (200, 12),
            (200, 24),
        ].map { ScreenLayout(columns: $0, rows: $1).coverCells }

        #expect(rooms.map { $0?.rows } == [nil, nil, 18, 12, nil, 18, 18, nil, 12])
        #expect(rooms.compactMap { $0?.columns } == [23, 23, 23, 36, 36])
    }

    @Test func `A cover is asked for, loaded and drawn, and its place is drawn over later`() {
        var screen = PlayerScreen()
        _ = screen.handle(.size(ScreenLayout(columns: 200, rows: 24)))
        var painter = TerminalPainter()
        let before = screen.frame
        _ = painter.changes(to: before)
        let style = PictureStyle(way: .kitty, cell: Self.cell)

        let asked = screen.handle(.pictures(style))
        let found = screen.handle(.coverFound(GetCover.Reply(url: "file:///a")))
        let other = screen.handle(.coverFound(GetCover.Reply(item: 3, url: "file:///b")))
        let request = Self.request("file:///a", columns: 36, rows: 12)
        _ = screen.handle(.cover(Self.cover(for: request)))
        let drawing = painter.changes(to: screen.frame)
        _ = screen.handle(.note("x"))
        let note = painter.changes(to: screen.frame)
        var beside = screen.frame
        beside.canvas.write("x", column: 0, row: 1)
        beside.canvas.write("y", column: 165, row: 1)
        let row = painter.changes(to: beside)
        let end = painter.changes(to: before)

        #expect(asked == [.findCover] && found == [.loadCover(request)] && other == [])
        #expect(
            screen.frame.picture?.area == Rectangle(column: 164, row: 0, columns: 4, rows: 2))
        #expect(drawing.contains("\u{1B}[1;165HPICTURE"))
        #expect(!note.contains("PICTURE") && !note.contains("\u{1B}[1;1H"))
        #expect(row == ScreenControl.begin + "\u{1B}[2;1Hx" + ScreenControl.end)
        #expect(end.hasPrefix(ScreenControl.begin + style.removal))
        #expect(end.contains("\u{1B}[1;165H    ") && !end.contains("PICTURE"))
    }

    @Test func `A cover makes room for itself in a terminal of 80 columns, and gives it back`() {
        var screen = PlayerScreen()
        let sized = screen.handle(.size(ScreenLayout(columns: 79, rows: 24)))
        let style = PictureStyle(way: .kitty, cell: Self.cell)

        let asked = screen.handle(.pictures(style))
        let found = screen.handle(.coverFound(GetCover.Reply(url: "file:///a")))
        let without = screen.layout.list.columns
        let request = Self.request("file:///a", columns: 23, rows: 12)
        _ = screen.handle(.cover(Self.cover(for: request)))
        let with = screen.layout.list.columns
        let picture = screen.frame.picture
        let next = screen.handle(.event(.began("b")))
        _ = screen.handle(.coverFound(GetCover.Reply(item: 1, url: nil)))

        #expect(sized == [] && asked == [.look, .findCover] && found == [.loadCover(request)])
        #expect(without == 79 && with == 53)
        #expect(picture?.area == Rectangle(column: 56, row: 0, columns: 4, rows: 2))
        #expect(next.prefix(2) == [.look, .findCover])
        #expect(screen.frame.picture == nil && screen.layout.list.columns == 79)
    }

    private static let cell = PictureStyle.Cell(width: 8, height: 16)

    private static func request(_ url: String, columns: Int = 36, rows: Int = 10) -> Cover.Request {
        Cover.Request(
            url: url, columns: columns, rows: rows, style: PictureStyle(way: .kitty, cell: cell))
    }

    private static func cover(for request: Cover.Request) -> Cover {
        Cover(request: request, text: "PICTURE", columns: 4, rows: 2)
    }

    /// Four pixels by two, red on the left and blue on the right.
    private static let png = bytes([
        "iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAIAAADwyuo0AAAAE0lEQVR42mP4z8AARGDiPwMyBwBnsgf5",
        "95JWggAAAABJRU5ErkJggg==",
    ])

    /// 16 pixels by 8, all of them grey.
    private static let jpeg = bytes([
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNi",
        "UFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/wAALCAAIABABAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAEC",
        "AwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAk",
        "M2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJ",
        "ipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3",
        "+Pn6/9oACAEBAAA/ACiv/9k=",
    ])

    /// 32 pixels by 32.
    private static let detailed = bytes([
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////",
        "////////////////////////////////////wAALCAAgACABAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAEC",
        "AwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAk",
        "M2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJ",
        "ipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3",
        "+Pn6/9oACAEBAAA/AIVhbPSrAxCMnk9l7mmKvlxYIyW4ApeAy+iDk+/pSsWLD5nPuox/hTQAmQAqkepyfy//",
        "AF0pwCeu49+5+g/r/KkwB24XoOw+vv7fhQoTP3U/T/4qlGQGHPHII/8ArD+tHAXgccdOnp/nJoA+bHPH/wCr",
        "/OB+NLuJHDAH2Y8/nTcBR02jHp/UdKdjB3e/Xt+Y5/OkOAMEYAwfp+XH4jn8q//Z",
    ])

    private static func bytes(_ lines: [String]) -> [UInt8] {
        Array(Data(base64Encoded: lines.joined()) ?? Data())
    }
}

import Testing

@testable import UndersongService

/// Lines of MPD's protocol in both directions.
@Suite struct `A line of MPD's protocol` {
    @Test(arguments: [
        ("ping", "ping", []),
        ("play  3 ", "play", ["3"]),
        ("add \"a b\" c", "add", ["a b", "c"]),
        (#"add "a\"b\\c""#, "add", [#"a"b\c"#]),
        ("find\t\"\"", "find", [""]),
        ("list Ärger", "list", ["Ärger"]),
    ])
    func `A line is split at blanks, except within quotes`(
        line: String, name: String, arguments: [String]
    ) throws {
        let request = try MPDRequest(Array(line.utf8))

        #expect(request.name == name)
        #expect(request.arguments.all == arguments)
    }

    @Test(arguments: [
        ("", "No command given", false),
        ("1", "Letter expected", false),
        ("a-b", "Invalid word character", false),
        ("add \"a", "Missing closing '\"'", true),
        ("add \"a\\", "Missing closing '\"'", true),
        ("add \"a\"b", "Space expected after closing '\"'", true),
        ("add a\"b", "Invalid unquoted character", true),
        ("add" + String(repeating: " x", count: 65), "Too many arguments", true),
    ])
    func `A line that is not a command is refused with the reason`(
        line: String, text: String, isSpeaker: Bool
    ) throws {
        let refusal = #expect(throws: MPDRequest.Refusal.self) {
            try MPDRequest(Array(line.utf8))
        }

        #expect(refusal?.error.text == text)
        #expect(refusal?.isSpeaker == isSpeaker)
    }

    @Test func `A line never becomes two, whatever is in the value`() {
        var reply = MPDReply()

        reply.add("Title", "a\nOK\r\nb\0c")
        reply.add(name: "X\nY", "ü")

        #expect(String(decoding: reply.bytes, as: UTF8.self) == "Title: a OK  b c\nX Y: ü\n")
        let error = MPDError(.noExist, "no \"a\nOK\"").line(at: 2, of: "add")
        #expect(String(decoding: error, as: UTF8.self) == "ACK [50@2] {add} no \"a OK\"\n")
    }

    @Test func `A line has seconds to the millisecond`() {
        #expect(MPDReply.decimal(0) == "0.000")
        #expect(MPDReply.decimal(61.0495) == "61.050")
        #expect(MPDReply.decimal(-1) == "0.000" && MPDReply.decimal(.nan) == "0.000")
        #expect(MPDReply.decimal(.infinity).hasSuffix(".000"))
        #expect(MPDReply.whole(.infinity) > 0 && MPDReply.whole(59.5) == 60)
    }

    @Test func `A line announces how many bytes follow`() {
        var reply = MPDReply()

        reply.add(binary: [0, 0x0a, 0xff])

        #expect(reply.bytes == Array("binary: 3\n".utf8) + [0, 0x0a, 0xff, 0x0a])
    }
}

/// The meanings of arguments.
@Suite struct `An argument of MPD's protocol` {
    private static func arguments(_ texts: String...) -> MPDArguments { MPDArguments(texts) }

    private static func refusal(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? MPDError)?.text
        }
    }

    @Test func `An argument is a number from 0 to a limit`() throws {
        #expect(try Self.arguments(" 007").unsigned(0) == 7)
        #expect(try Self.arguments("-1").version(0) == Int(UInt32.max))
        #expect(try Self.arguments("-5").integer(0, in: -5...5) == -5)
        #expect(Self.refusal { _ = try Self.arguments("x").unsigned(0) } == "Integer expected: x")
        #expect(
            Self.refusal { _ = try Self.arguments("1x").unsigned(0) } == "Integer expected: 1x")
        #expect(
            Self.refusal { _ = try Self.arguments("256").unsigned(0, most: 255) }
                == "Number too large: 256")
        #expect(
            Self.refusal { _ = try Self.arguments("99999999999999999999").unsigned(0) }
                == "Number too large: 99999999999999999999")
    }

    @Test func `An argument is a flag, or a time that is not negative`() throws {
        #expect(try Self.arguments("1").flag(0) && !Self.arguments("00").flag(0))
        #expect(
            Self.refusal { _ = try Self.arguments("2").flag(0) } == "Boolean (0/1) expected: 2")
        #expect(try Self.arguments("1.5").time(0) == 1.5)
        #expect(
            Self.refusal { _ = try Self.arguments("-1").time(0) }
                == "Negative value not allowed: -1")
        #expect(Self.refusal { _ = try Self.arguments("inf").time(0) } == "Float expected: inf")
    }

    @Test(arguments: [
        ("3", 3..<4), ("1:3", 1..<3), ("2:", 2..<5), ("-1", 0..<5), ("4:9", 4..<5), ("5:", 5..<5),
        ("5", 5..<5),
    ])
    func `An argument is a range, cut to the list`(text: String, positions: Range<Int>) throws {
        #expect(try MPDRange(text).clipped(to: 5) == positions)
    }

    @Test(arguments: [
        ("x", "Integer or range expected: x"), ("1:x", "Integer or range expected: 1:x"),
        ("-2", "Number is negative: -2"), ("3:1", "Malformed range: 3:1"),
        ("3000000000", "Number too large: 3000000000"),
    ])
    func `An argument that is not a range is refused`(text: String, reason: String) {
        #expect(Self.refusal { _ = try MPDRange(text) } == reason)
    }

    @Test func `An argument beyond the list has no positions`() throws {
        #expect(try MPDRange("6").clipped(to: 5) == nil)
    }

    @Test(arguments: [("0", 0), ("5", 5), ("+0", 3), ("+2", 5), ("-0", 2), ("-2", 0)])
    func `An argument is a position to insert at, relative to the current song`(
        text: String, position: Int
    ) throws {
        #expect(try MPDPosition.insertion(text, count: 5, current: 2) == position)
    }

    @Test func `An argument relative to the current song needs one`() {
        #expect(
            Self.refusal { _ = try MPDPosition.insertion("+0", count: 5, current: nil) }
                == "No current song")
        #expect(
            Self.refusal { _ = try MPDPosition.insertion("+3", count: 5, current: 2) }
                == "Number too large: 3")
        #expect(
            Self.refusal {
                _ = try MPDPosition.destination("+0", of: 1..<3, count: 5, current: 2)
            } == "Cannot move current song relative to itself")
    }

    @Test(arguments: [("0", 0), ("3", 3), ("+0", 2), ("+1", 3), ("-0", 1), ("-1", 0)])
    func `An argument is a position to move to, counted without what is moved`(
        text: String, position: Int
    ) throws {
        // The current song is at 3, and at 1 without those at 0 and 1.
        #expect(try MPDPosition.destination(text, of: 0..<2, count: 5, current: 3) == position)
    }
}

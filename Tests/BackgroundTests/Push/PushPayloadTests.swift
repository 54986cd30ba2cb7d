import TestSupport
import Testing
import UndersongBackground

@Suite struct `The payload of a push` {
    private func payload(_ text: String) throws(PushPayload.Problem) -> PushPayload {
        try PushPayload(Array(text.utf8))
    }

    private func problem(_ text: String) -> String? {
        do throws(PushPayload.Problem) {
            _ = try payload(text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        .rule("H1"),
        arguments: [
            ("1", true), ("1.0", true), ("10e-1", true), ("0", false), ("2", false), ("-1", false),
            ("\"1\"", false), ("true", false), ("null", false), ("[1]", false), ("{}", false),
            ("1e400", false),
        ])
    func `A push payload wakes only with the number 1`(value: String, wakes: Bool) throws {
        let push = try payload("{\"aps\": {\"content-available\": \(value)}}")

        #expect(push.wakes(as: nil) == wakes)
    }

    @Test(.rule("H1"))
    func `A push payload does not wake if content-available is missing, or elsewhere`() throws {
        #expect(try !payload("{\"aps\": {}}").wakes(as: nil))
        #expect(try !payload("{\"aps\": {}, \"content-available\": 1}").wakes(as: .background))
        #expect(try !payload("{\"aps\": {\"a\": {\"content-available\": 1}}}").wakes(as: nil))
    }

    @Test(
        .rule("H1"),
        arguments: [
            (PushType.background, 0, false, false), (.background, 0, true, false),
            (.background, 1, false, true), (.background, 1, true, true),
            (.alert, 0, false, false), (.alert, 0, true, false),
            (.alert, 1, false, false), (.alert, 1, true, true),
        ])
    func `A push payload wakes as in the table of Apple's forum`(
        type: PushType, available: Int, isAlert: Bool, wakes: Bool
    ) throws {
        for key in ["alert", "badge", "sound"] {
            let alert = isAlert ? ", \"\(key)\": \"x\"" : ""
            let push = try payload("{\"aps\": {\"content-available\": \(available)\(alert)}}")

            #expect(push.wakes(as: type) == wakes)
            #expect(push.isAlert == isAlert)
        }
    }

    @Test(.rule("H2")) func `A push payload may have 4096 bytes, counted in UTF-8`() throws {
        let head = "{\"aps\":{},\"x\":\""
        let room = 4096 - head.utf8.count - 2
        let full =
            head + String(repeating: "é", count: room / 2)
            + String(repeating: "a", count: room % 2) + "\"}"

        #expect(full.utf8.count == 4096)
        #expect(try payload(full).bytes.count == 4096)
        #expect(problem(full + " ") == "the payload has 4097 bytes, and 4096 are allowed")
    }

    @Test(.rule("H2")) func `A push payload keeps every byte of it`() throws {
        let text = """
             {"aps":{"content-available":1}, "a": 9007199254740993, "b": 1e400, "c": {"d": [1.0, \
            -0, {"e": null}]}, "😀": "\\ud83d\\ude00 \\u00e9 é", "f":0.1000}\t
            """

        #expect(try payload(text).bytes == Array(text.utf8))
    }

    @Test(arguments: [
        ("", "the payload is empty"), ("[]", "the payload is not a JSON object"),
        ("\"aps\"", "the payload is not a JSON object"), ("{}", "the payload has no aps object"),
        ("{\"aps\": 1}", "the payload has no aps object"),
        ("{\"aps\": {}, \"aps\": {}}", "the payload has the key 'aps' twice"),
        ("{\"aps\": {}, \"\\u0061ps\": {}}", "the payload has the key 'aps' twice"),
        ("{\"aps\": {}", "the payload is not JSON: at byte 10, an object does not end"),
        ("{\"aps\": {}} x", "the payload is not JSON: at byte 12, something follows the value"),
        ("hello", "the payload is not JSON: at byte 0, a value is missing"),
        ("{\"aps\": {}, \"a\": 01}", "the payload is not JSON: at byte 18, an object does not end"),
        ("{\"aps\": {}, \"a\": NaN}", "the payload is not JSON: at byte 17, a value is missing"),
        ("{\"aps\": {},}", "the payload is not JSON: at byte 11, a key is missing"),
        (
            "{\"aps\": \"\u{1}\"}",
            "the payload is not JSON: at byte 9, a string has a control character"
        ),
    ])
    func `A wrong push payload is refused with the reason`(text: String, reason: String) {
        #expect(problem(text) == reason)
    }

    @Test func `A push payload is refused if it is not UTF-8, or nested too deeply`() throws {
        func nested(_ count: Int) -> String {
            "{\"aps\":{},\"a\":" + String(repeating: "[", count: count)
                + String(repeating: "]", count: count) + "}"
        }
        let odd = Array("{\"aps\":{},\"a\":\"".utf8) + [0xff] + Array("\"}".utf8)

        #expect(problem(nested(511)) == nil)
        #expect(problem(nested(512))?.hasSuffix("nested too deeply") == true)
        #expect(throws: PushPayload.Problem.self) { try PushPayload(odd) }
    }

    @Test(arguments: [
        "-0", "0.5", "1e5", "1E+5", "1e-5", "-1.25e+10", "[]", "[ ]", "[1,\t2]", "{ }", "{\r\n}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00eF\"", "true", "false", "null",
    ])
    func `A push payload may have any value of JSON`(value: String) throws {
        #expect(problem("\r\n\t{\"aps\":{},\"a\"\t:\n\(value)\r}\n") == nil)
    }

    @Test(arguments: [
        "-", "+1", "01", "1.", ".5", "1e", "1e+", "--1", "[1 2]", "[1,]", "[1", "{\"b\" 1}",
        "{1:1}",
        "{\"b\":1,}", "\"\\x\"", "\"\\u12g4\"", "\"\\u123", "\"a", "\"\n\"", "tru", "nul", "'a'",
        "",
    ])
    func `A push payload is refused with a value that is not JSON`(value: String) {
        #expect(
            problem("{\"aps\":{},\"a\":\(value)}")?.hasPrefix("the payload is not JSON: at byte ")
                == true)
    }

    @Test func `A push payload has texts without their escapes`() throws {
        let push = try payload(
            "{\"aps\":{},\"Simulator Target Bundle\":\"\\u00e9\\ud83d\\ude00\\n\\/\"}")

        #expect(push.target == "é😀\n/")
    }

    @Test func `A push payload names a bundle as simctl's files do`() throws {
        let text = "{\"Simulator Target Bundle\": \"org.example.app\", \"aps\": {}}"

        #expect(try payload(text).target == "org.example.app")
    }

    @Test(
        .rule("J20"),
        arguments: [
            ("\"undersong\": {\"command\": \"pause\"}", PushAction.player(.pause)),
            ("\"undersong\": {\"command\": \"resume\"}", .player(.resume)),
            ("\"undersong\": {\"command\": \"refresh\"}", .refreshAll),
            (
                "\"undersong\": {\"command\": \"pause\"}, \"feed\": \"https://a.example/\"",
                .player(.pause)
            ),
            ("\"feed\": \"HTTP://a.example/f.xml\"", .refresh(feed: "HTTP://a.example/f.xml")),
            (
                "\"undersong\": {\"command\": \"play\", \"name\": \"Evening\"}",
                .play(name: "Evening")
            ),
            ("\"feed\": \"https://a.example/f.xml\"", .refresh(feed: "https://a.example/f.xml")),
            ("\"feed\": \"file:///etc/passwd\"", nil), ("\"feed\": 7", nil),
            ("\"command\": \"pause\"", nil),
        ])
    func `A push payload may name a verb of a fixed list, or a feed`(
        member: String, action: PushAction?
    ) throws {
        #expect(try payload("{\"aps\": {}, \(member)}").action == action)
    }

    @Test(
        .rule("J20"),
        arguments: [
            (
                "{\"command\": \"rm -rf /\"}",
                "the payload's command is 'rm -rf /', and not pause, resume, play or refresh"
            ),
            ("{\"command\": \"play\"}", "the payload does not name the queue to play"),
            ("7", "the payload's command is nothing, and not pause, resume, play or refresh"),
        ])
    func `A push payload is refused if it names another verb`(order: String, reason: String) {
        #expect(problem("{\"aps\": {}, \"undersong\": \(order)}") == reason)
    }
}

import TestSupport
import Testing
import UndersongBackground
import UndersongBase

@testable import UndersongTransfers

@Suite struct `A push for another machine` {
    private static let endpoint = PushEndpoint("https://push.example/1", p256dh: "k", auth: "s")

    private func ntfy(_ payload: String, urgency: PushUrgency? = nil) throws -> OutgoingPush {
        OutgoingPush(
            ntfy: "https://ntfy.example/t", try PushPayload(Array(payload.utf8)), urgency: urgency)
    }

    // MARK: ntfy

    @Test(.rule("PU19")) func `A push for ntfy has the payload as its message, byte for byte`()
        throws
    {
        let payload = "{ \"aps\": {}, \"a\": 1e400,\n\"é\": \"\\u00e9\" }"

        let push = try ntfy(" \t\r\n\(payload)\n\n")

        #expect(push.body == Array(payload.utf8))
        #expect(push.url == "https://ntfy.example/t")
        #expect(push.fields["Content-Type"] == "text/plain")
    }

    @Test(
        .rule("PU19"),
        arguments: [
            ("\"Hello\"", "Hello"), ("\"\"", nil), ("{}", nil), ("7", nil),
            ("{\"body\":\"B\"}", "B"), ("{\"title\":\"T\",\"body\":\"\"}", "T"),
            ("{\"body\":\"B\",\"subtitle\":\"S\",\"title\":\"T\"}", "T: S: B"),
            ("\"a\\r\\nInjected: b\\u0000\\u007f c\"", "a Injected: b c"),
            ("\"Füße\"", "=?UTF-8?B?RsO8w59l?="), ("\"=?x\"", "=?UTF-8?B?PT94?="),
        ] as [(String, String?)])
    func `A push for ntfy has its alert as a title on one line`(
        alert: String, title: String?
    ) throws {
        let push = try ntfy("{\"aps\":{\"alert\":\(alert)}}")

        #expect(push.fields["Title"] == title)
    }

    @Test func `A push for ntfy has a title of 200 characters at most`() throws {
        let alert = String(repeating: "x", count: 300)

        let push = try ntfy("{\"aps\":{\"alert\":\"\(alert)\"}}")

        #expect(push.fields["Title"] == String(alert.prefix(200)))
    }

    @Test(
        .rule("PU19"),
        arguments: [
            ("\"content-available\":1", "2"), ("\"alert\":\"a\"", "3"), ("\"badge\":1", "3"),
            ("\"alert\":\"a\",\"interruption-level\":\"passive\"", "2"),
            ("\"alert\":\"a\",\"interruption-level\":\"active\"", "3"),
            ("\"alert\":\"a\",\"interruption-level\":\"time-sensitive\"", "4"),
            ("\"alert\":\"a\",\"interruption-level\":\"critical\"", "4"),
        ])
    func `A push for ntfy has the priority of its alert`(aps: String, priority: String) throws {
        #expect(try ntfy("{\"aps\":{\(aps)}}").fields["Priority"] == priority)
    }

    @Test(arguments: zip(PushUrgency.allCases, ["1", "2", "3", "4"]))
    func `A push for ntfy has the priority that its sender wants`(
        urgency: PushUrgency, priority: String
    ) throws {
        let push = try ntfy("{\"aps\":{\"alert\":\"a\"}}", urgency: urgency)

        #expect(push.fields["Priority"] == priority)
    }

    @Test func `A push for ntfy has its category as a tag`() throws {
        #expect(try ntfy("{\"aps\":{\"category\":\"new\"}}").fields["Tags"] == "new")
        #expect(try ntfy("{\"aps\":{}}").fields["Tags"] == nil)
    }

    // MARK: Web Push

    @Test(.rule("PU18")) func `A push for an endpoint has the fields of RFC 8030`() {
        var endpoint = Self.endpoint
        let first = OutgoingPush([1, 2], to: endpoint, urgency: .low)
        (endpoint.lifetime, endpoint.topic) = (0, "a-b_C")
        let second = OutgoingPush([1, 2], to: endpoint, urgency: .veryLow)

        #expect(first.url == "https://push.example/1" && first.body == [1, 2])
        #expect(first.fields["TTL"] == "2419200" && first.fields["Urgency"] == "low")
        #expect(first.fields["Topic"] == nil)
        #expect(first.fields["Content-Encoding"] == "aes128gcm")
        #expect(first.fields["Content-Type"] == "application/octet-stream")
        #expect(second.fields["TTL"] == "0" && second.fields["Urgency"] == "very-low")
        #expect(second.fields["Topic"] == "a-b_C")
    }

    @Test func `A push for an endpoint has a topic of 32 letters of base64 at most`() {
        let longest = String(repeating: "a", count: 32)

        #expect(PushEndpoint.isTopic("A-z_09") && PushEndpoint.isTopic(longest))
        for text in ["", longest + "a", "net.example", "a b", "é", "a="] {
            #expect(!PushEndpoint.isTopic(text), "\(text)")
        }
    }

    @Test func `A push is named by the topic without secrets, or by the endpoint's host`() {
        let ntfy = PushRecipient.ntfy(url: "https://user:word@ntfy.example:80/t?auth=x")
        let endpoint = PushRecipient.endpoint(
            PushEndpoint("https://push.example:81/secret?token=x", p256dh: "", auth: ""))

        #expect(ntfy.name == "https://ntfy.example:80/t")
        #expect(endpoint.name == "push.example:81")
    }

    // MARK: Answers

    private func answer(
        _ status: Int, _ body: String = "", _ fields: [String: String] = [:]
    ) -> PushAnswer {
        PushAnswer(
            ResponseHead(status: status, url: "https://push.example/1", fields),
            body: Array(body.utf8))
    }

    private func refusal(_ answer: PushAnswer, ntfy: Bool = false) -> String {
        let recipient: PushRecipient =
            ntfy ? .ntfy(url: "https://ntfy.example/t") : .endpoint(Self.endpoint)
        return answer.refusal(of: recipient, bytes: 4000, now: 784_111_777)
    }

    @Test(
        .rule("PU20"),
        arguments: [
            (404, "The endpoint is gone; its owner has a new one, or wants no pushes (status 404)"),
            (410, "The endpoint is gone; its owner has a new one, or wants no pushes (status 410)"),
            (
                401,
                "The endpoint accepts other senders only, which prove who they are (VAPID) "
                    + "(status 401)"
            ),
            (413, "The server does not accept 4000 bytes (status 413)"),
            (429, "The server accepts no more pushes for now (status 429)"),
            (400, "The server refuses the push (status 400)"),
            (503, "The server has failed (status 503)"),
        ])
    func `A push that an endpoint refuses has the reason`(status: Int, text: String) {
        #expect(refusal(answer(status)) == text)
    }

    @Test(arguments: [
        (404, "The server has no such topic (status 404)"),
        (
            403,
            "The topic is protected; the URL may contain a user and a password (status 403)"
        ),
        (413, "The server does not accept 4000 bytes (status 413)"),
    ])
    func `A push that a topic refuses has the reason`(status: Int, text: String) {
        #expect(refusal(answer(status), ntfy: true) == text)
    }

    @Test(
        .rule("PU20"),
        arguments: [
            ("30", "30 seconds"), ("1", "a second"), ("0.5", "a second"),
            ("Sun, 06 Nov 1994 08:50:37 GMT", "60 seconds"),
        ])
    func `A push is refused with the time after which it may be tried again`(
        field: String, text: String
    ) {
        #expect(
            refusal(answer(429, "", ["Retry-After": field]))
                == "The server accepts no more pushes for now, and again in \(text) (status 429)")
    }

    @Test(
        .rule("PU20"),
        arguments: [
            ("{\"code\":40001,\"error\":\"bad topic\"}", nil, "bad topic"),
            ("{\"error\":\"Bad Request\",\"message\":\"bad key\"}", nil, "bad key"),
            ("{\"code\":1}", nil, nil), ("", nil, nil), ("\n \n", nil, nil),
            ("\n  no such key\nmore", "text/plain", "  no such key"),
            ("<html>no</html>", nil, nil), ("hello", "text/html; charset=utf-8", nil),
        ] as [(String, String?, String?)])
    func `A push is refused in the server's own words`(
        body: String, type: String?, words: String?
    ) {
        let fields = type.map { ["Content-Type": $0] } ?? [:]

        #expect(
            refusal(answer(400, body, fields))
                == "The server refuses the push (status 400)" + (words.map { ": \($0)" } ?? ""))
    }

    @Test func `A push is refused in 200 characters of the server's at most`() {
        let text = refusal(answer(400, String(repeating: "x", count: 300)))

        #expect(text.hasSuffix(": " + String(repeating: "x", count: 199) + "…"))
    }

    @Test func `A push is accepted with any status of success`() {
        #expect([200, 201, 202, 204, 299].allSatisfy { answer($0).isAccepted })
        #expect([199, 300, 304, 400, 500].allSatisfy { !answer($0).isAccepted })
    }

    @Test func `A push is accepted with ntfy's identifier, or a shorter lifetime`() {
        let ntfy = PushRecipient.ntfy(url: "https://ntfy.example:8/t")
        let endpoint = PushRecipient.endpoint(Self.endpoint)

        #expect(
            answer(200, "{\"id\":\"abc\"}").receipt(of: ntfy)
                == PublishedPush(host: "ntfy.example:8", id: "abc"))
        #expect(
            answer(201, "", ["TTL": "60"]).receipt(of: endpoint)
                == PublishedPush(host: "push.example", lifetime: 60))
        for lifetime in ["2419200", "9999999", "-1", "x"] {
            #expect(
                answer(201, "", ["TTL": lifetime]).receipt(of: endpoint)
                    == PublishedPush(host: "push.example"))
        }
    }
}

extension [SessionTask.Field] {
    /// The value of the only field with this name; nil if there is none.
    fileprivate subscript(name: String) -> String? {
        let values = filter { $0.name == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }
}

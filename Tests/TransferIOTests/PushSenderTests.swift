import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongTransfers

@testable import UndersongTransferIO

@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A sender of pushes` {
    private typealias Response = ScriptedHTTPServer.Response
    private typealias Result = Swift.Result<PushAnswer, PushSender.Failure>

    private static let payload = "{\"aps\":{\"alert\":\"Füße\",\"content-available\":1},\"n\":1}"

    private static func response(
        _ status: Int, _ body: String = "", _ fields: [(String, String)] = []
    ) -> Response {
        var response = Response()
        (response.status, response.fields, response.body) = (status, fields, Array(body.utf8))
        return response
    }

    private func push(_ url: String) throws -> OutgoingPush {
        OutgoingPush(ntfy: url, try PushPayload(Array(Self.payload.utf8)))
    }

    private func send(
        _ push: OutgoingPush, _ change: (inout PushSender.Settings) -> Void = { _ in }
    ) async -> Result {
        var settings = PushSender.Settings()
        change(&settings)
        let sender = PushSender(settings, clock: SystemClock())
        return await withCheckedContinuation { continuation in
            sender.send(push) { continuation.resume(returning: $0) }
        }
    }

    @Test(.rule("PU19"), arguments: NtfyServer.Kind.all)
    func `PushSender publishes what an engine that listens reads, byte for byte`(
        kind: NtfyServer.Kind
    ) async throws {
        let server = try NtfyServer(kind)
        let payloads = [
            Self.payload,
            "{\"aps\":{},\"a\":1e400, \"b\": \"\(String(repeating: "é", count: 2030))\"}",
        ].map { Array($0.utf8) }
        let folder = "/tmp/undersong-sent-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = RecordFile<PushRecord>(folder + "/pushes").save(
            PushRecord(url: server.url(), place: NtfyPosition(time: 1000)))
        let received = Inbox<[UInt8]>()
        let engine = PushEngine(
            file: folder + "/pushes", settings: PushEngine.Settings(), clock: SystemClock(),
            deliver: { _, payload, answer in
                received.put(payload ?? [])
                answer(true)
            }, log: { _ in })
        engine.start()

        for payload in payloads {
            let answer = await send(
                OutgoingPush(ntfy: server.url(), try PushPayload(payload)))
            #expect(try answer.get().isAccepted)
            #expect(try received.next() == payload)
        }

        engine.listen(to: nil) { _ in received.put([]) }
        _ = try received.next()
    }

    @Test func `PushSender posts the fields and the body as they are`() async throws {
        let server = try ScriptedHTTPServer { _ in
            Self.response(201, "{\"id\":\"abc\"}", [("TTL", "60")])
        }
        let body = (0...255).map { UInt8($0) }
        var endpoint = PushEndpoint(server.url("/up?token=x"), p256dh: "", auth: "")
        endpoint.topic = "t"

        let answer = try await send(OutgoingPush(body, to: endpoint, urgency: .high)).get()

        #expect(answer.head.status == 201 && answer.head["TTL"] == "60")
        #expect(answer.body == Array("{\"id\":\"abc\"}".utf8))
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.path == "/up?token=x")
        #expect(request.body == body && request.fields["content-length"] == "256")
        #expect(request.fields["content-encoding"] == "aes128gcm")
        #expect(request.fields["content-type"] == "application/octet-stream")
        #expect(request.fields["ttl"] == "2419200" && request.fields["urgency"] == "high")
        #expect(request.fields["topic"] == "t" && request.fields["user-agent"] == "Undersong")
        #expect(request.fields["expect"] == nil && server.requests.count == 1)
    }

    @Test func `PushSender sends the user and the password of a URL`() async throws {
        let server = try ScriptedHTTPServer { _ in Self.response(200) }

        let url = "http://me:word@\(server.host):\(server.port)/t"
        _ = await send(try push(url))

        #expect(
            server.requests.first?.fields["authorization"] == "Basic "
                + Data("me:word".utf8).base64EncodedString())
    }

    @Test(arguments: [400, 401, 404, 410, 413, 429, 500, 507])
    func `PushSender brings a refusal, once, with its text`(status: Int) async throws {
        let server = try ScriptedHTTPServer { _ in
            Self.response(status, "why", [("Retry-After", "30")])
        }

        let answer = try await send(try push(server.url("/t"))).get()

        #expect(answer.head.status == status && !answer.isAccepted)
        #expect(answer.body == Array("why".utf8) && answer.head.retryAfter(now: 0) == 30)
        #expect(server.requests.count == 1)
    }

    @Test func `PushSender keeps only the beginning of a long answer`() async throws {
        let server = try ScriptedHTTPServer { _ in
            Self.response(400, String(repeating: "x", count: 1 << 20))
        }

        let answer = try await send(try push(server.url("/t"))).get()

        #expect(answer.body.count == PushAnswer.bodyLimit)
    }

    // MARK: Redirects

    @Test(arguments: [307, 308])
    func `PushSender follows a redirect that keeps the method`(status: Int) async throws {
        let server = try ScriptedHTTPServer { request in
            request.path == "/t"
                ? Self.response(status, "elsewhere", [("Location", "/u")])
                : Self.response(200, "there")
        }

        let answer = try await send(try push(server.url("/t"))).get()

        #expect(answer.isAccepted && answer.body == Array("there".utf8))
        #expect(server.requests.map(\.path) == ["/t", "/u"])
        #expect(server.requests.map(\.method) == ["POST", "POST"])
        #expect(server.requests.map(\.body) == Array(repeating: Array(Self.payload.utf8), count: 2))
    }

    @Test(arguments: [301, 302, 303])
    func `PushSender follows no redirect that loses the push`(status: Int) async throws {
        let server = try ScriptedHTTPServer { _ in
            Self.response(status, "", [("Location", "https://u:p@other.example/t?auth=x")])
        }

        let result = await send(try push(server.url("/t")))

        #expect(
            result.reason
                == "It redirects to https://other.example/t, and a push would not arrive there "
                + "(\(status))")
        #expect(server.requests.count == 1)
    }

    @Test func `PushSender follows 20 redirects, and none to other schemes`() async throws {
        let loop = try ScriptedHTTPServer { _ in
            Self.response(307, "", [("Location", "/again")])
        }
        let file = try ScriptedHTTPServer { _ in
            Self.response(308, "", [("Location", "file:///etc/passwd")])
        }

        #expect(
            await send(try push(loop.url("/t"))).reason == "There are too many redirects")
        #expect(loop.requests.count == 21)
        #expect(
            await send(try push(file.url("/t"))).reason
                == "It redirects to file:///etc/passwd, which is neither of HTTP nor of HTTPS")
    }

    // MARK: Troubles

    @Test(.rule("PU20")) func `PushSender names the server that is not there`() async throws {
        let server = try ScriptedHTTPServer { _ in Self.response(200) }
        let url = server.url("/t")
        server.stop()

        let refused = await send(try push(url)).reason
        // Too long for a name, so that nobody is asked.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let unknown = await send(try push("http://\(host)/t")).reason

        #expect(refused?.contains("\(server.port)") == true)
        #expect(unknown == "Could not resolve host: \(host)")
    }

    @Test(.rule("PU20")) func `PushSender gives up a server that does not answer`() async throws {
        let server = try ScriptedHTTPServer { _ in
            var response = Self.response(200, "hello")
            response.stall = 1
            return response
        }

        let result = await send(try push(server.url("/t"))) { $0.timeout = 1 }

        #expect(result.reason == "The server has not answered within 1 s")
    }

    @Test func `PushSender sends more pushes than it has connections, each once`() async throws {
        let server = try ScriptedHTTPServer { _ in Self.response(200) }
        var settings = PushSender.Settings()
        settings.concurrency = 2
        let sender = PushSender(settings, clock: SystemClock())
        let answers = Inbox<Bool>()

        for number in 0..<20 {
            sender.send(try push(server.url("/\(number)"))) {
                answers.put((try? $0.get().isAccepted) ?? false)
            }
        }
        for _ in 0..<20 { #expect(try answers.next()) }

        #expect(Set(server.requests.map(\.path)).count == 20)
        #expect(server.requests.count == 20)
    }
}

extension Result where Failure == PushSender.Failure {
    /// The reason of a failure.
    fileprivate var reason: String? {
        if case .failure(let failure) = self { failure.reason } else { nil }
    }
}

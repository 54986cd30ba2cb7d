import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongControl

extension EndToEnd {
    @Suite struct `Pushes to other machines` {
        private static let keys = (
            p256dh:
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            auth: "BTBZMqHH6r4Tts7J_aSIgg"
        )
        private static let payload = "{\"aps\":{\"content-available\":1}}"

        private func endpoint(
            _ url: String, p256dh: String = keys.p256dh, auth: String = keys.auth,
            _ change: (inout PushEndpoint) -> Void = { _ in }
        ) -> PushRecipient {
            var endpoint = PushEndpoint(url, p256dh: p256dh, auth: auth)
            change(&endpoint)
            return .endpoint(endpoint)
        }

        /// The error of a push, by `undersong-transferd`.
        private func error(
            of recipient: PushRecipient, _ payload: String = payload
        ) throws -> ControlError? {
            let network = try Network()
            let client = try network.location.connect(name: "test")
            do throws(ControlError) {
                _ = try client.call(PublishPush(to: recipient, payload))
                return nil
            } catch {
                return error
            }
        }

        private func server(
            _ status: Int, _ text: String, _ fields: [(String, String)] = []
        ) throws -> ScriptedHTTPServer {
            try ScriptedHTTPServer { _ in
                var response = ScriptedHTTPServer.Response()
                (response.status, response.fields) = (status, fields)
                response.body = Array(text.utf8)
                return response
            }
        }

        @Test(
            .rule("PU20"),
            arguments: [
                (
                    410, [],
                    "The endpoint is gone; its owner has a new one, or wants no pushes "
                        + "(status 410): no more"
                ),
                (413, [], "The server does not accept 134 bytes (status 413): no more"),
                (
                    429, [("Retry-After", "7")],
                    "The server accepts no more pushes for now, and again in 7 seconds "
                        + "(status 429): no more"
                ),
            ] as [(Int, [(String, String)], String)])
        func `Pushes that an endpoint refuses are sent once, with its host and the reason`(
            status: Int, fields: [(String, String)], reason: String
        ) throws {
            let server = try server(status, "{\"message\":\"no more\"}", fields)

            let error = try error(of: endpoint(server.url("/secret?token=x")))

            #expect(
                error
                    == ControlError(
                        .notPossible,
                        "cannot send the push to \(server.host):\(server.port): \(reason)"))
            #expect(server.requests.count == 1)
        }

        @Test(.rule("PU18", "PU20"))
        func `Pushes with an invalid key, secret, topic or payload are not sent`() throws {
            let server = try server(201, "")
            let url = server.url("/1")
            let long = "{\"aps\":{},\"a\":\"\(String(repeating: "x", count: 4082))\"}"
            let cases: [(PushRecipient, String, String)] = [
                (
                    endpoint(url, p256dh: String(Self.keys.p256dh.dropLast(3))), Self.payload,
                    "The key p256dh has 63 bytes instead of 65"
                ),
                (
                    endpoint(url, p256dh: Self.keys.p256dh.dropLast(2) + "AA"), Self.payload,
                    "The key p256dh is not a point of P-256"
                ),
                (
                    endpoint(url, auth: String(Self.keys.auth.dropLast(2))), Self.payload,
                    "The secret auth has 15 bytes instead of 16"
                ),
                (
                    endpoint(url) { $0.topic = "net.example" }, Self.payload,
                    "Its topic is not 1 to 32 letters, digits, '-' and '_'"
                ),
                (
                    endpoint(url) { $0.lifetime = -1 }, Self.payload,
                    "Its lifetime is not from 0 s to a year"
                ),
                (
                    .ntfy(url: url), long, "The payload has 4099 bytes, and 4096 are allowed"
                ),
                (
                    endpoint(url), String(long.dropLast(60)) + "\"}",
                    "The payload has 4041 bytes, and 3993 fit into an encrypted message"
                ),
                (.ntfy(url: url), "{}", "The payload has no aps object"),
            ]

            for (recipient, payload, reason) in cases {
                let error = try error(of: recipient, payload)
                #expect(error?.code == .invalidParams)
                #expect(
                    error?.message == "cannot send the push to \(recipient.name): \(reason)")
            }
            #expect(server.requests.isEmpty)
        }

        @Test func `Pushes go to URLs of HTTP and HTTPS only`() throws {
            for url in ["file:///etc/passwd", "ftp://a/b", "https://"] {
                #expect(
                    try error(of: .ntfy(url: url))
                        == ControlError(
                            .invalidParams,
                            "cannot send the push to \(url): It is not a valid HTTP or HTTPS URL"))
            }
        }
    }
}

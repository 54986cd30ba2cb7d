package import UndersongBackground
import UndersongBase

/// The answer of a server to a push.
package struct PushAnswer: Hashable, Sendable {
    /// The most bytes of the body that matter.
    package static let bodyLimit = 16 * 1024
    /// The most characters of a server's text that are shown.
    private static let textLimit = 200

    /// The header.
    package var head: ResponseHead
    /// The beginning of the body.
    package var body: [UInt8]

    package init(_ head: ResponseHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    /// True if the server has accepted the push.
    package var isAccepted: Bool { 200...299 ~= head.status }

    /// Returns what the sender learns of a push that was accepted.
    package func receipt(of recipient: PushRecipient) -> PublishedPush {
        var receipt = PublishedPush(host: NetworkName.host(recipient.url) ?? recipient.url)
        switch recipient {
        case .ntfy: receipt.id = JSONObject(body)?.string("id")
        case .endpoint(let endpoint):
            let wanted = endpoint.lifetime ?? PushEndpoint.standardLifetime
            let lifetime = head["TTL"].flatMap { Int($0) }
            receipt.lifetime = lifetime.flatMap { 0..<wanted ~= $0 ? $0 : nil }
        }
        return receipt
    }

    /// Returns the reason why the server has refused a push of so many bytes; `now` is in seconds since
    /// 1970.
    package func refusal(of recipient: PushRecipient, bytes: Int, now: Double) -> String {
        let sentence = sentence(of: recipient, bytes: bytes, now: now) + " (status \(head.status))"
        return text.map { "\(sentence): \($0)" } ?? sentence
    }

    private func sentence(of recipient: PushRecipient, bytes: Int, now: Double) -> String {
        switch (head.status, recipient) {
        case (404, .endpoint), (410, .endpoint):
            return "The endpoint is gone; its owner has a new one, or wants no pushes"
        case (404, .ntfy): return "The server has no such topic"
        case (401, .ntfy), (403, .ntfy):
            return "The topic is protected; the URL may contain a user and a password"
        case (401, .endpoint), (403, .endpoint):
            return "The endpoint accepts other senders only, which prove who they are (VAPID)"
        case (413, _): return "The server does not accept \(bytes) bytes"
        case (429, _):
            let wait = head.retryAfter(now: now).map { ", and again in \(Self.span($0))" }
            return "The server accepts no more pushes for now" + (wait ?? "")
        case (500..., _): return "The server has failed"
        default: return "The server refuses the push"
        }
    }

    private static func span(_ seconds: Double) -> String {
        let seconds = Int(min(seconds, 1e9).rounded(.up))
        return seconds == 1 ? "a second" : "\(seconds) seconds"
    }

    /// The server's own words: a member of a JSON object, or the first line of a plain text.
    private var text: String? {
        let object = JSONObject(body)
        if let words = object?.string("message") ?? object?.string("error") {
            return Self.line(words)
        }
        guard object == nil, head.contentType != "text/html",
            let text = String(validating: body, as: UTF8.self), !text.hasPrefix("<")
        else { return nil }
        return Self.line(text)
    }

    /// The first line with something in it, shortened; nil if there is none.
    private static func line(_ text: String) -> String? {
        let line = text.split { $0.isNewline }.first { !$0.allSatisfy(\.isWhitespace) }
        return line.map { line in
            line.count > textLimit ? line.prefix(textLimit - 1) + "…" : String(line)
        }
    }
}

package import UndersongBackground
import UndersongBase

/// A push on its way to a server: a POST.
package struct OutgoingPush: Hashable, Sendable {
    /// The URL to which it is posted.
    package var url: String
    /// The fields of the request's header.
    package var fields: [SessionTask.Field]
    /// The body of the request.
    package var body: [UInt8]

    /// The most characters of a field that is made from the payload.
    private static let textLimit = 200

    /// Creates a message of ntfy. Its text is the payload, which a service that listens at the topic reads
    /// back; for people its title says what the alert does. ntfy removes white space around a text, and
    /// so does this.
    package init(ntfy url: String, _ payload: PushPayload, urgency: PushUrgency? = nil) {
        let alert = PushAlert(payload)
        let priority = Self.priority(urgency ?? alert.urgency)
        var fields = [SessionTask.Field(name: "Priority", value: String(priority))]
        let texts = [("Title", alert.line), ("Tags", alert.category)]
        for (name, text) in texts {
            let value = Self.value(text ?? "")
            if !value.isEmpty { fields.append(SessionTask.Field(name: name, value: value)) }
        }
        self.url = url
        self.fields = fields + [SessionTask.Field(name: "Content-Type", value: "text/plain")]
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let start = payload.bytes.drop(while: isSpace)
        body = start.lastIndex { !isSpace($0) }.map { Array(start[...$0]) } ?? []
    }

    /// Creates a message of Web Push (RFC 8030); `message` is encrypted for the owner of `endpoint`.
    package init(_ message: [UInt8], to endpoint: PushEndpoint, urgency: PushUrgency) {
        let lifetime = endpoint.lifetime ?? PushEndpoint.standardLifetime
        let pairs: [(String, String?)] = [
            ("TTL", String(lifetime)), ("Urgency", urgency.rawValue), ("Topic", endpoint.topic),
            ("Content-Encoding", "aes128gcm"), ("Content-Type", "application/octet-stream"),
        ]
        url = endpoint.url
        fields = pairs.compactMap { name, value in
            value.map { SessionTask.Field(name: name, value: $0) }
        }
        body = message
    }

    /// The priority of ntfy's, of which 3 is the usual one.
    private static func priority(_ urgency: PushUrgency) -> Int {
        switch urgency {
        case .veryLow: 1
        case .low: 2
        case .normal: 3
        case .high: 4
        }
    }

    /// A text as the value of a field: on one line, shortened, and encoded (RFC 2047) unless it is ASCII.
    private static func value(_ text: String) -> String {
        let words = text.split { letter in
            letter.isWhitespace
                || letter.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
        let line = String(words.joined(separator: " ").prefix(textLimit))
        guard line.utf8.allSatisfy({ 0x20...0x7e ~= $0 }), !line.hasPrefix("=?") else {
            return "=?UTF-8?B?\(Base64(Array(line.utf8)).text)?="
        }
        return line
    }
}

import UndersongBase

/// A line of ntfy's JSON stream.
struct NtfyEvent: Hashable, Sendable {
    /// What has happened.
    enum Kind: Hashable, Sendable {
        /// The connection was opened.
        case open
        /// A message has come.
        case message(Message)
        /// The connection is alive, or something that does not matter here.
        case other
    }

    /// A message.
    struct Message: Hashable, Sendable {
        /// What a message contains.
        enum Content: Hashable, Sendable {
            /// The bytes of its text.
            case payload([UInt8])
            /// The URL of a file, because the text is too long for a message.
            case attachment(String)
        }

        var identifier: String
        var content: Content
        /// Until when the server keeps it, in seconds since 1970; nil if it does not.
        var expires: Int?
    }

    /// What has happened.
    var kind: Kind
    /// When that was by the server's clock, in seconds since 1970.
    var time: Int?

    /// The most bytes of an identifier.
    private static let identifierLimit = 64

    /// Nil for a line that is not an event.
    init?(_ line: [UInt8]) {
        guard let object = JSONObject(line) else { return nil }
        func seconds(_ key: String) -> Int? {
            object.number(key).flatMap { Int(exactly: $0.rounded(.down)) }
        }
        guard let event = object.string("event") else { return nil }
        time = seconds("time")
        kind = event == "open" ? .open : .other
        guard event == "message", time != nil, let identifier = object.string("id"),
            1...Self.identifierLimit ~= identifier.utf8.count
        else { return }
        let file = object.object("attachment")?.string("url")
        let message = object.string("message") ?? ""
        // What is not base64 is handed on as it is, and refused as a payload.
        let decoded = object.string("encoding") == "base64" ? Base64.bytes(of: message) : nil
        kind = .message(
            Message(
                identifier: identifier,
                content: file.map { .attachment($0) } ?? .payload(decoded ?? Array(message.utf8)),
                expires: seconds("expires")))
    }
}

/// Base64 (RFC 4648).
enum Base64 {
    /// The bytes; nil if the text is not valid.
    static func bytes(of text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        let content = digits.prefix { $0 != UInt8(ascii: "=") }
        guard digits.count % 4 == 0, digits.count - content.count <= 2,
            digits[content.count...].allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        var bytes: [UInt8] = []
        var (bits, count) = (0 as UInt32, 0)
        for digit in content {
            guard let value = value(of: digit) else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

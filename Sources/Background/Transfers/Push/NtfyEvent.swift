import UndersongBase

/// A line of ntfy's JSON stream.
struct NtfyEvent: Hashable, Sendable {
    /// The kinds of events.
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
        /// The contents of a message.
        enum Content: Hashable, Sendable {
            /// The bytes of its text.
            case payload([UInt8])
            /// The URL of a file, because the text is too long for a message.
            case attachment(String)
        }

        var identifier: String
        var content: Content
        /// The time until which the server keeps it, in seconds since 1970; nil if it does not.
        var expires: Int?
    }

    /// The kind of event.
    var kind: Kind
    /// The time at which that was by the server's clock, in seconds since 1970.
    var time: Int?

    /// The most bytes of an identifier.
    private static let identifierLimit = 64
    /// The times that are believed, up to the year 9999. Others are none.
    private static let times = 0...253_402_300_799

    /// Nil for a line that is not an event.
    init?(_ line: [UInt8]) {
        guard let object = JSONObject(line) else { return nil }
        func seconds(_ key: String) -> Int? {
            object.number(key).flatMap { Int(exactly: $0.rounded(.down)) }
                .flatMap { Self.times ~= $0 ? $0 : nil }
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
        let decoded = object.string("encoding") == "base64" ? Base64(text: message)?.bytes : nil
        kind = .message(
            Message(
                identifier: identifier,
                content: file.map { .attachment($0) } ?? .payload(decoded ?? Array(message.utf8)),
                expires: seconds("expires")))
    }
}

/// The events of a stream of lines, which comes in pieces.
struct NtfyLines: Sendable {
    /// The most bytes of a line. Escaped, a message of 4096 bytes has less.
    static let limit = 64 * 1024

    private var line: [UInt8] = []
    private var isSkippingLine = false

    /// The events of the lines that these bytes complete. What is too long or no event is left out.
    mutating func events(_ bytes: [UInt8]) -> [NtfyEvent] {
        var events: [NtfyEvent] = []
        for piece in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            if piece.offset > 0 {
                if !isSkippingLine, let event = NtfyEvent(line) { events.append(event) }
                (line, isSkippingLine) = ([], false)
            }
            guard line.count + piece.element.count <= Self.limit else {
                (line, isSkippingLine) = ([], true)
                continue
            }
            if !isSkippingLine { line += piece.element }
        }
        return events
    }
}

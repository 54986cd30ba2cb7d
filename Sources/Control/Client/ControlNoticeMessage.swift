/// A message that the service has sent by itself.
public struct ControlNoticeMessage: Sendable {
    /// One event of a subscription.
    public struct Event: Sendable, Equatable {
        /// The subscription's name on the connection.
        public var subscription: Int
        /// Events that were left out before it, since this client was too slow.
        public var missed: Int
        /// A JSON object as in `Resources/events.schema.json`, without a line feed.
        public var json: [UInt8]
    }

    /// The name of the method.
    public let method: String
    private let line: [UInt8]

    init(method: String, line: [UInt8]) {
        self.method = method
        self.line = line
    }

    /// The event, if it is one.
    public var event: Event? {
        guard method == "event" else { return nil }
        var scanner = LineScanner(line)
        guard scanner.skip(Self.eventHead), let subscription = scanner.number() else { return nil }
        let missed = scanner.skip(Self.missed) ? scanner.number() : 0
        guard let missed, scanner.skip(Self.data), scanner.rest.suffix(2) == [0x7d, 0x7d]
        else { return nil }
        return Event(
            subscription: subscription, missed: missed, json: Array(scanner.rest.dropLast(2)))
    }

    /// The parameters of any other notice.
    public func decode<Notice: ControlNotice>(
        _ type: Notice.Type
    ) throws(ControlError) -> Notice {
        do {
            return try Message.value(Body<Notice>.self, in: line).params
        } catch {
            throw ControlError(
                .internalError, "cannot read \(method): \(Message.reason(error))")
        }
    }

    private struct Body<Notice: ControlNotice>: Decodable {
        let params: Notice
    }

    // A service of the same version writes the members in this order (`Outbox`).
    private static let eventHead = Array(
        "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"subscription\":".utf8)
    private static let missed = Array(",\"missed\":".utf8)
    private static let data = Array(",\"data\":".utf8)
}

/// What a line from a service is: its writer always begins it in one of two ways (`Message`), so
/// it is not read as JSON for that.
enum ServiceLine {
    case reply(id: Int)
    /// An answer to something that was no request, or nothing that a service writes.
    case other
    case notice(method: String)

    private static let idHead = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    private static let methodHead = Array("{\"jsonrpc\":\"2.0\",\"method\":\"".utf8)

    init(_ line: [UInt8]) {
        var scanner = LineScanner(line)
        if scanner.skip(Self.methodHead) {
            let name = scanner.rest.prefix { $0 != 0x22 }
            self = .notice(method: String(decoding: name, as: UTF8.self))
        } else if scanner.skip(Self.idHead), let id = scanner.number() {
            self = .reply(id: id)
        } else {
            self = .other
        }
    }
}

/// Goes through a line.
struct LineScanner {
    /// What comes next.
    private(set) var rest: ArraySlice<UInt8>

    init(_ line: [UInt8]) { rest = line[...] }

    /// Goes past `text`, if it stands here.
    mutating func skip(_ text: [UInt8]) -> Bool {
        guard rest.starts(with: text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    /// Goes past a number of up to 18 digits; nil where none stands here.
    mutating func number() -> Int? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard (1...18).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}

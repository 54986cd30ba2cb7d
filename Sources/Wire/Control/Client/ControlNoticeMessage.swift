public import UndersongBase

/// A message that the service sent on its own.
public struct ControlNoticeMessage: Sendable {
    /// The name of the method.
    public let method: String
    private let line: [UInt8]

    init(method: String, line: [UInt8]) {
        self.method = method
        self.line = line
    }

    /// Decodes the parameters.
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
}

/// The kind of a line from a service. The service starts most lines in one of two ways (`Message`),
/// which are recognized without JSON parsing.
enum ServiceLine: Equatable {
    case reply(id: Int)
    /// A reply to something that was not a request, or a line that no service writes.
    case other
    case notice(method: String)

    private static let idHead = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    private static let methodHead = Array("{\"jsonrpc\":\"2.0\",\"method\":\"".utf8)

    init(_ line: [UInt8]) {
        var scanner = LineScanner(line)
        if scanner.skip(Self.methodHead), let name = scanner.text() {
            self = .notice(method: name)
        } else if scanner.skip(Self.idHead), let id = scanner.number() {
            self = .reply(id: id)
        } else {
            self.init(decoding: line)
        }
    }

    /// Parses the line as JSON.
    private init(decoding line: [UInt8]) {
        guard let head = try? Message.value(Head.self, in: line), head.jsonrpc == "2.0" else {
            self = .other
            return
        }
        switch (head.method, head.id) {
        case (let method?, nil): self = .notice(method: method)
        case (nil, .number(let id)): self = .reply(id: id)
        default: self = .other
        }
    }

    private struct Head: Decodable {
        let jsonrpc: String
        let method: String?
        let id: RequestID?
    }
}

/// Scans a line.
struct LineScanner {
    /// The remaining bytes.
    private(set) var rest: ArraySlice<UInt8>

    init(_ line: [UInt8]) { rest = line[...] }

    /// Skips `text` if it comes next.
    mutating func skip(_ text: [UInt8]) -> Bool {
        guard rest.starts(with: text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    /// Parses a number of up to 18 digits; nil if there is none.
    mutating func number() -> Int? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard (1...18).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Parses the rest of a string; nil if it contains escapes.
    mutating func text() -> String? {
        let text = rest.prefix { $0 != 0x22 && $0 != 0x5c }
        guard rest.dropFirst(text.count).first == 0x22 else { return nil }
        rest = rest.dropFirst(text.count + 1)
        return String(decoding: text, as: UTF8.self)
    }
}

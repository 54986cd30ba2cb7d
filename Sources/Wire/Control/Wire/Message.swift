import FoundationEssentials
import UndersongBase

/// Encodes and decodes messages.
enum Message {
    private static let decoder = JSONDecoder()

    /// Decodes a value from JSON.
    static func value<Value: Decodable>(_ type: Value.Type, in json: [UInt8]) throws -> Value {
        try decoder.decode(type, from: Data(json))
    }

    /// The line of a request.
    static func request(id: Int, method: String, params: [UInt8], descriptors: Int) -> [UInt8] {
        let passed = descriptors > 0 ? "\"descriptors\":\(descriptors)," : ""
        return line(
            "{\"jsonrpc\":\"2.0\",\"id\":\(id),\(passed)\"method\":\"\(method)\",\"params\":",
            params, "}\n")
    }

    /// The line of a notice.
    static func notice(method: String, params: [UInt8]) -> [UInt8] {
        line("{\"jsonrpc\":\"2.0\",\"method\":\"\(method)\",\"params\":", params, "}\n")
    }

    /// The line of a reply.
    static func reply(to id: RequestID, _ result: Result<ControlReply, ControlError>) -> [UInt8] {
        let head = "{\"jsonrpc\":\"2.0\",\"id\":\(id.json),"
        switch result.flatMap(\.result) {
        case .success(let json): return line(head + "\"result\":", json, "}\n")
        case .failure(let error):
            let json = (try? JSONLine.bytes(of: error)) ?? []
            return line(head + "\"error\":", json, "}\n")
        }
    }

    /// The reason why encoding or decoding failed, as the end of a sentence.
    static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(path(context.codingPath + [key])) is missing"
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            "\(path(context.codingPath)) has a value of another type"
        default: "\(error)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "The message" : keys.map(\.stringValue).joined(separator: ".")
    }

    private static func line(_ head: String, _ body: [UInt8], _ tail: String) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(head.utf8.count + body.count + tail.utf8.count)
        line.append(contentsOf: head.utf8)
        line.append(contentsOf: body)
        line.append(contentsOf: tail.utf8)
        return line
    }
}

/// The id of a request on its connection, chosen by the client.
enum RequestID: Hashable, Codable {
    case number(Int)
    case text(String)
    case null

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .null: try container.encodeNil()
        }
    }

    /// The id as written in a message.
    var json: String {
        switch self {
        case .number(let number): "\(number)"
        case .text: JSONLine.text(of: self)
        case .null: "null"
        }
    }
}

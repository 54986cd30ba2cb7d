import FoundationEssentials

/// The envelope of a line from a client, decoded before its parameters.
struct RequestHead: Decodable {
    /// Nil for a notification, which gets no reply.
    let id: RequestID?
    let method: String
    /// The number of descriptors that come with the request.
    let descriptors: Int

    private enum CodingKeys: CodingKey { case jsonrpc, id, method, descriptors }

    /// The reason why a line is not a request.
    struct Problem: Error {
        /// The request to reply to; nil for a notification.
        var id: RequestID?
        var error: ControlError
        /// True if the sender does not speak the protocol at all.
        var isFatal: Bool
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        do {
            id = members.contains(.id) ? try members.decode(RequestID.self, forKey: .id) : nil
        } catch {
            throw Self.invalid(.null, "Its id is not a string, an integer or null")
        }
        guard (try? members.decode(String.self, forKey: .jsonrpc)) == "2.0" else {
            throw Self.invalid(id ?? .null, "Its jsonrpc is not \"2.0\"")
        }
        do {
            method = try members.decode(String.self, forKey: .method)
            descriptors = try members.decodeIfPresent(Int.self, forKey: .descriptors) ?? 0
        } catch {
            throw Self.invalid(id ?? .null, "Its method or descriptors have the wrong type")
        }
    }

    /// Decodes a line, which has to be UTF-8.
    static func read(_ line: [UInt8]) throws(Problem) -> RequestHead {
        guard isText(line) else { throw broken("It is not UTF-8") }
        do {
            return try Message.value(RequestHead.self, in: line)
        } catch let problem as Problem {
            throw problem
        } catch DecodingError.dataCorrupted {
            throw broken("It is not JSON, or too deeply nested")
        } catch {
            throw invalid(.null, "It is not an object")
        }
    }

    private static func isText(_ line: [UInt8]) -> Bool {
        !line.contains(0) && (try? UTF8Span(validating: line.span)) != nil
    }

    private static func broken(_ why: String) -> Problem {
        Problem(
            id: .null, error: ControlError(.parseError, "cannot read a message: \(why)"),
            isFatal: true)
    }

    private static func invalid(_ id: RequestID, _ why: String) -> Problem {
        Problem(
            id: id, error: ControlError(.invalidRequest, "cannot accept a message: \(why)"),
            isFatal: false)
    }
}

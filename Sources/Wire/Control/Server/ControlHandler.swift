public import UndersongBase

/// Handles the clients of a service. All methods are called on the wire thread, which serves all
/// clients, and must not block.
public protocol ControlHandler: AnyObject, Sendable {
    /// A client has connected.
    func opened(_ connection: ControlConnection)

    /// Handles a request. `reply` may be called once, on any thread; the connection's next request
    /// is handled after that. If it is released without a call, the client gets an error.
    ///
    /// The first request of a connection has to be `hello` with the same version of the wire; until
    /// then, no request reaches this method.
    func handle(
        _ request: ControlRequest, from connection: ControlConnection,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void)

    /// The connection has ended; no more requests come from it.
    func closed(_ connection: ControlConnection)
}

/// A request to handle.
public struct ControlRequest: Sendable {
    /// The name of the method.
    public let method: String
    /// The descriptors sent with the request.
    public let descriptors: PassedDescriptors
    private let line: [UInt8]

    init(method: String, line: [UInt8], descriptors: PassedDescriptors) {
        self.method = method
        self.line = line
        self.descriptors = descriptors
    }

    /// Decodes the parameters. Throws `invalidParams` if they do not fit the call.
    public func decode<Call: ControlCall>(_ type: Call.Type) throws(ControlError) -> Call {
        do {
            return try Message.value(Body<Call>.self, in: line).params
        } catch {
            throw ControlError(
                .invalidParams,
                "cannot read the parameters of \(method): \(Message.reason(error))")
        }
    }

    /// A request without parameters decodes as one in which none are set.
    private struct Body<Call: ControlCall>: Decodable {
        enum CodingKeys: CodingKey { case params }

        let params: Call

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            if members.contains(.params) {
                params = try members.decode(Call.self, forKey: .params)
            } else {
                params = try Message.value(Call.self, in: Array("{}".utf8))
            }
        }
    }
}

/// The reply to a request.
public struct ControlReply: Sendable {
    /// The encoded reply, or why it could not be encoded.
    let result: Result<[UInt8], ControlError>

    /// Encodes a call's `Reply`.
    public init(_ value: some Encodable) {
        do {
            result = .success(try JSONLine.bytes(of: value))
        } catch {
            result = .failure(
                ControlError(.internalError, "cannot write the answer: \(Message.reason(error))"))
        }
    }
}

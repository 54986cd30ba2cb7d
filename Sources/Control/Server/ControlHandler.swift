/// What a service does with its clients. Everything is called on the wire thread, which serves all
/// of them, and must not block.
public protocol ControlHandler: AnyObject, Sendable {
    /// Somebody has connected.
    func opened(_ connection: ControlConnection)

    /// Somebody asks for something. `reply` may be called on any thread, once, and the connection's
    /// next request is handled after it; a request for which it is released without a call is
    /// answered with an error.
    ///
    /// The first request of a connection is `hello` of a client that speaks the same version of
    /// the wire; others never come here.
    func handle(
        _ request: ControlRequest, from connection: ControlConnection,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void)

    /// The connection is over, and no request comes from it any more.
    func closed(_ connection: ControlConnection)
}

/// A request that has to be handled.
public struct ControlRequest: Sendable {
    /// The name of the method.
    public let method: String
    /// What came with it.
    public let descriptors: PassedDescriptors
    private let line: [UInt8]

    init(method: String, line: [UInt8], descriptors: PassedDescriptors) {
        self.method = method
        self.line = line
        self.descriptors = descriptors
    }

    /// The parameters. Throws `invalidParams` where they are not the call's.
    public func decode<Call: ControlCall>(_ type: Call.Type) throws(ControlError) -> Call {
        do {
            return try Message.value(Body<Call>.self, in: line).params
        } catch {
            throw ControlError(
                .invalidParams,
                "cannot read the parameters of \(method): \(Message.reason(error))")
        }
    }

    /// A request without parameters is one with none of them set.
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

/// The answer to a request.
public struct ControlReply: Sendable {
    /// Why it could not be written, if so.
    let result: Result<[UInt8], ControlError>

    /// Writes a call's `Reply`.
    public init(_ value: some Encodable) {
        do {
            result = .success(try Message.json(value))
        } catch {
            result = .failure(
                ControlError(.internalError, "cannot write the answer: \(Message.reason(error))"))
        }
    }
}

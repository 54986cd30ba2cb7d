/// A question to another process: the name of its method, its parameters, and the type of its reply.
///
/// It is declared beside the values it is about, so that the wire itself knows no feature. The wire
/// is JSON-RPC 2.0 with one message per line; `Documentation/protocol/control.md` describes it.
public protocol ControlCall: Codable, Sendable {
    /// The service's reply.
    associatedtype Reply: Codable & Sendable

    /// The name of the method.
    static var method: String { get }
}

/// A message that the service sends on its own.
public protocol ControlNotice: Codable, Sendable {
    /// The name of the method.
    static var method: String { get }
}

/// An empty reply.
public struct Nothing: Codable, Hashable, Sendable {
    /// Creates an empty reply.
    public init() {}
}

/// The version of the wire protocol. A service and a client of different versions do not
/// communicate.
public enum ControlProtocol {
    /// Increases when a message changes in a way that the other side would misread.
    public static let version = 1

    /// The maximum length of a line from a client, in bytes: enough for the paths of a command line
    /// of the default maximum length on Linux, 2 MiB, with room to spare.
    public static let longestLine = 4 * 1024 * 1024
}

/// The failure of a request, as JSON-RPC's error object.
public struct ControlError: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// A machine-readable reason: JSON-RPC's own codes, and ours from 1 on.
    public struct Code: RawRepresentable, Codable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: Int

        /// Creates a code from any number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The message is not JSON.
        public static let parseError = Code(rawValue: -32700)
        /// The message is not a request.
        public static let invalidRequest = Code(rawValue: -32600)
        /// There is no such method.
        public static let methodNotFound = Code(rawValue: -32601)
        /// The parameters do not fit the method, or are out of range.
        public static let invalidParams = Code(rawValue: -32602)
        /// The service failed for reasons of its own.
        public static let internalError = Code(rawValue: -32603)
        /// Something requested, such as an item, does not exist.
        public static let notFound = Code(rawValue: 1)
        /// The request is not possible now, or never is.
        public static let notPossible = Code(rawValue: 2)
        /// The other side uses another version of the wire.
        public static let versionMismatch = Code(rawValue: 3)
        /// Somebody else has it, as another process a session.
        public static let inUse = Code(rawValue: 5)
        /// No service answers, or it has gone away. Never sent on the wire.
        public static let unavailable = Code(rawValue: 4)
    }

    /// The reason.
    public var code: Code
    /// "cannot remove item 7: The queue has no such item"
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

public import UndersongBase

/// Identifies the client and its protocol version; the first request of every connection.
public struct Hello: ControlCall {
    /// The service's identity.
    public struct Reply: Codable, Hashable, Sendable {
        /// The service's `ControlProtocol.version`.
        public var `protocol`: Int
        /// The service's own version.
        public var version: String
        /// The session's name.
        public var session: String
        /// The service's process id.
        public var process: Int32
        /// The process that has the session's queue, if this service only reads it; 0 if that is
        /// not known.
        public var heldBy: Int32?

        /// Creates a reply.
        public init(protocol: Int, version: String, session: String, process: Int32) {
            self.`protocol` = `protocol`
            self.version = version
            self.session = session
            self.process = process
        }
    }

    /// The name of the method.
    public static let method = "hello"
    /// The client's `ControlProtocol.version`.
    public var `protocol` = ControlProtocol.version
    /// The client's name, as shown by `undersong why`.
    public var client: String

    /// Creates a greeting.
    public init(client: String) { self.client = client }
}

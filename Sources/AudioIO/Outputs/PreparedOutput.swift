import Playback

/// A connection to a sound server that is made before there is anything to play, so that both take
/// their time at once. Any thread may call it.
package final class PreparedOutput: Sendable {
    /// How long a connection that is not used stays open.
    static let duration: Int64 = 3_000_000_000

    private let server: String?
    private let connection: Prefetch<PulseConnection>

    /// Begins to connect, on a thread of its own. Nil where the sound goes to no server, or to one that
    /// no such connection is used for.
    package convenience init?(for destination: OutputDestination) {
        guard case .pulse(let server, _) = destination else { return nil }
        self.init(server: server) { () throws(OutputError) in try PulseConnection(server: server) }
    }

    init(
        server: String?, _ connect: @escaping @Sendable () throws(OutputError) -> PulseConnection
    ) {
        self.server = server
        connection = Prefetch(keptFor: Self.duration, connect)
    }

    /// Whether the connection, which may be still on its way, can be used for that destination.
    package func serves(_ destination: OutputDestination) -> Bool {
        guard case .pulse(let server, _) = destination else { return false }
        return server == self.server && connection.isPending
    }

    /// Closes the connection, unless it is used already.
    package func drop() { connection.drop() }

    /// The connection, once, to be used by the calling thread alone. Nil where there is none to be had:
    /// another is to be made then. Errors: the server does not answer, or refuses, while this waits.
    func take() throws(OutputError) -> PulseConnection? { try connection.take() }
}

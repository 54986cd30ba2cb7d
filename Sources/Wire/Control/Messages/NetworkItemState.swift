/// How an item on the network arrives.
public struct NetworkItemState: Codable, Hashable, Sendable {
    /// The server: `example.org`.
    public var host: String
    /// `idle` when all that is to be read ahead is there, `connecting`, `receiving`, `waiting` for
    /// another attempt, or `failed`.
    public var state: String
    /// The number of bytes that are there.
    public var received: Int64
    /// The number of all bytes; nil if unknown.
    public var total: Int64?
    /// Whether it is a live stream.
    public var live: Bool
    /// The name of the station.
    public var station: String?
    /// Why it waits, or has failed.
    public var reason: String?
    /// Seconds until the next attempt.
    public var retry: Double?
    /// The last two in words: `waiting for example.org: The connection was lost, retrying in 5 s`.
    public var trouble: String?

    /// Creates a state.
    public init(host: String, state: String, received: Int64, total: Int64?, live: Bool) {
        self.host = host
        self.state = state
        self.received = received
        self.total = total
        self.live = live
    }
}

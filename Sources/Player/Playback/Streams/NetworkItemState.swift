/// The progress of an item on the network.
public struct NetworkItemState: Codable, Hashable, Sendable {
    /// The activity of the program that fetches it.
    public enum State: String, Codable, Sendable {
        /// Everything that is to be read ahead is there.
        case idle
        case connecting
        case receiving
        /// The connection was lost, or is not possible; it is tried again.
        case waiting
        /// Nothing more comes.
        case failed
    }

    /// The server, for display: `example.org`.
    public var host: String
    /// The activity of the program that fetches it.
    public var state: State
    /// The number of bytes that are there.
    public var received: Int64
    /// The number of all bytes; nil if unknown.
    public var total: Int64?
    /// True for a live stream.
    public var live: Bool
    /// The name of the station.
    public var station: String?
    /// The reason why it waits, or has failed: a sentence without its full stop.
    public var reason: String?
    /// Seconds until the next attempt.
    public var retry: Double?
    /// The last two in words: `waiting for example.org: The connection was lost, retrying in 5 s`;
    /// nil while nothing is wrong.
    public var trouble: String?
}

extension NetworkItemState {
    /// Creates the state of a stream at `hostTime`, in nanoseconds of CLOCK_MONOTONIC.
    package init(_ stream: any NetworkStream, at hostTime: Int64) {
        let status = stream.status
        host = stream.host
        received = status.available.ranges.reduce(0) { $0 + Int64($1.count) }
        total = status.total
        live = status.isLive
        station = status.name
        switch status.activity {
        case .idle: state = .idle
        case .connecting: state = .connecting
        case .receiving: state = .receiving
        case .waiting(let reason, let time):
            let left = time.map { max(0, $0 - hostTime) }
            (state, self.reason, retry) = (.waiting, reason, left.map { Double($0) / 1e9 })
            let seconds = left.map { $0 / 1_000_000_000 }
            let text = seconds.map { $0 > 0 ? ", retrying in \($0) s" : ", retrying" } ?? ""
            trouble = "waiting for \(host): \(reason)\(text)"
        case .failed(let failure): (state, reason) = (.failed, failure.text)
        }
    }
}

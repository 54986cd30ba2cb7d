import UndersongPlayback

/// How what is played from the network arrives.
public struct NetworkReport: Equatable, Sendable {
    /// What the program that fetches it is doing.
    public enum State: String, Sendable {
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
    /// What the program that fetches it is doing.
    public var state: State
    /// Why it waits, or has failed: a sentence without its full stop.
    public var reason: String?
    /// When the next attempt is made, in nanoseconds of CLOCK_MONOTONIC.
    public var retryTime: Int64?
    /// Whether it is a live stream.
    public var isLive: Bool
    /// The name of the station.
    public var station: String?
    /// Which bytes are there, in order.
    public var available: [Range<Int64>]
    /// The number of all bytes; nil if unknown.
    public var total: Int64?

    /// `waiting for example.org: The connection was lost, retrying in 5 s`; nil while nothing is
    /// wrong. `hostTime` is the present time in nanoseconds of CLOCK_MONOTONIC.
    public func trouble(at hostTime: Int64) -> String? {
        guard state == .waiting, let reason else { return nil }
        let seconds = retryTime.map { max(0, ($0 - hostTime) / 1_000_000_000) }
        let retry = seconds.map { $0 > 0 ? ", retrying in \($0) s" : ", retrying" } ?? ""
        return "waiting for \(host): \(reason)\(retry)"
    }
}

extension NetworkReport {
    init(_ stream: any NetworkStream) {
        let status = stream.status
        host = stream.host
        isLive = status.isLive
        station = status.name
        available = status.available.ranges
        total = status.total
        switch status.activity {
        case .idle: state = .idle
        case .connecting: state = .connecting
        case .receiving: state = .receiving
        case .waiting(let reason, let time):
            (state, self.reason, retryTime) = (.waiting, reason, time)
        case .failed(let failure): (state, reason) = (.failed, failure.text)
        }
    }
}

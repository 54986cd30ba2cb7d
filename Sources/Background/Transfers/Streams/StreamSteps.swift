package import UndersongBase

extension StreamPlan {
    /// A request to send.
    package struct Request: Hashable, Sendable {
        package var url: String
        /// The first byte to ask for; 0 for everything.
        package var offset: Int64
        /// The value of `If-Range`, if any.
        package var ifRange: String?

        package init(url: String, offset: Int64, ifRange: String? = nil) {
            self.url = url
            self.offset = offset
            self.ifRange = ifRange
        }
    }

    package enum Input: Hashable, MachineInput {
        /// The player reads from the first offset on, and bytes up to the second are to be there.
        case want(from: Int64, until: Int64)
        case ended(Ending)
        /// Something else may have changed: time has passed, or bytes have come.
        case timePassed
    }

    /// The end of a request.
    package enum Ending: Hashable, Sendable {
        /// The server has sent all that it wanted to.
        case complete
        /// The connection was lost, or there was none, for this reason.
        case lost(String, Cause = .other)
        /// The disk is full.
        case diskFull
        /// The server has sent other bytes than before.
        case mismatch
        case failed(StreamFailure)
    }

    /// The cause of a missing connection, as far as it matters for another attempt.
    package enum Cause: Hashable, Sendable {
        /// The host's name does not resolve, although there is a network.
        case unknownHost
        /// The host refuses connections.
        case refused
        /// There is no network.
        case offline
        case other

        var code: StreamFailure.Code {
            switch self {
            case .unknownHost: .unknownHost
            case .refused, .other: .cannotConnect
            case .offline: .noNetwork
            }
        }
    }

    package enum Effect: Hashable, Sendable {
        case start(Request)
        /// End the request.
        case cancel
        /// Take no more bytes for now, and keep the connection.
        case pause
        /// Take bytes again.
        case resume
    }

    /// The state of the stream.
    package enum Phase: Hashable, Sendable {
        /// Nothing needs to be requested.
        case idle
        case connecting(Request)
        /// Bytes arrive, which belong at `offset`.
        case receiving(Request, offset: Int64, isPaused: Bool)
        /// Another attempt is due then, in seconds since the machine started.
        case waiting(until: Double, reason: String)
        case failed(StreamFailure)
    }
}

import Synchronization
import UndersongAudioIO
import UndersongAudioSession
package import UndersongTransferClient

/// This process's way to the network: through `undersong-transferd`, since nothing here uses the
/// network itself.
package enum NetworkMedia {
    private static let state = Mutex(State())

    private struct State {
        var location: TransferLocation?
        var streams: TransferStreams?
    }

    /// The location at which `undersong-transferd` is reached and started; by default this user's
    /// own one. To be set before anything is played from the network.
    package static func setLocation(_ location: TransferLocation) {
        state.withLock { ($0.location, $0.streams) = (location, nil) }
    }

    /// The streams of all players and assets, so that what one of them has fetched is there for the
    /// others.
    static var streams: TransferStreams {
        state.withLock { state in
            if let streams = state.streams { return streams }
            let streams = TransferStreams(
                state.location ?? .standard(), folder: "/var/tmp", name: "AVFoundation",
                clock: SessionConfiguration().clock, waitsForServers: false)
            state.streams = streams
            return streams
        }
    }
}

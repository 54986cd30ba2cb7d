import Control
import Synchronization

/// The connection that is not there yet when those who will use it are made.
final class ServiceLink: Sendable {
    private let service = Mutex<Service?>(nil)

    /// The connection is there.
    func connect(_ service: Service) { self.service.withLock { $0 = service } }

    /// Sends `call`, and nothing before there is a connection. Its answer goes to `completion`, on
    /// a thread of its own.
    func send<Call: ControlCall>(
        _ call: Call,
        _ completion: @escaping @Sendable (Result<Call.Reply, ControlError>) -> Void = { _ in }
    ) {
        service.withLock { $0 }?.send(call, completion)
    }

    /// Informs the service where this program is.
    func enter(_ state: HostState, _ source: String) {
        send(Attach(state: state.rawValue, source: source))
    }

    /// Does what a key asks for, as far as the service does it.
    func press(_ key: Key) {
        var change = Settings.Change()
        switch key {
        case .togglePause: return send(Command(.toggle))
        case .next: return send(Command(.next))
        case .previous: return send(Command(.previous))
        case .seek(let seconds):
            return send(Seek(by: WireTime(value: Int64(seconds), timescale: 1)))
        case .volume(let percent): change.volumeBy = percent
        case .mute: change.toggleMuted = true
        case .rate(let factor?): change.rateBy = factor
        case .rate(nil): change.rate = 1
        case .shuffle: change.toggleShuffle = true
        case .repeatMode: change.nextRepeat = true
        case .quit, .help: return
        }
        send(SetSettings(change))
    }
}

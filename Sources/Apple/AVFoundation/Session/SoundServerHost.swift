import Dispatch
import Synchronization
import UndersongAudioIO
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongPlayback

/// Plays the system's part in a session by what the sound server means for it: calls, other sessions,
/// devices, the server's own end (behaviour 4). It announces the session to other processes in turn.
///
/// One serial queue does it all.
final class SoundServerHost: AVAudioSessionClient {
    private let queue = DispatchQueue(label: "undersong.audio-session.server")
    /// The most seconds that `awaitAnswer` waits.
    private static let patience = 1.0

    private let clock: any HostClock
    private let connect: @Sendable (_ address: String?) -> any SoundServer
    private let state: Mutex<State>
    /// Signals that the first server has answered, or that it does not.
    private let answer = DispatchSemaphore(value: 0)

    private struct State {
        /// The server that is listened to, and how many were before.
        var server: (any SoundServer)?
        var number = 0
        var policy: SoundServerPolicy
        /// True if nobody waits for `answer` any more.
        var isAnswered = false

        mutating func handle(_ input: SoundServerPolicy.Input) -> [SoundServerPolicy.Effect] {
            let effects = policy.handle(input)
            // In here, so that what is announced last is what is true.
            for case .announce(let announcement) in effects { server?.announce(announcement) }
            return effects
        }
    }

    /// Makes one that does nothing yet; `name` is the session's for people, and `connect` makes the
    /// connection to a server.
    init(
        identifier: String, name: String, clock: any HostClock,
        connect: @escaping @Sendable (_ address: String?) -> any SoundServer
    ) {
        self.clock = clock
        self.connect = connect
        state = Mutex(
            State(policy: SoundServerPolicy(scope: .session, identifier: identifier, name: name)))
    }

    /// It makes no sound itself.
    var isRunningIO: Bool { false }

    /// Listens from now on to the server that `destination` names, for `session`, which it does not
    /// keep alive. Without effect where the sound goes to none, and where it does so already.
    func begin(_ session: AVAudioSession, on destination: OutputDestination) {
        guard case .some(let address) = destination.server else { return }
        typealias New = (server: any SoundServer, number: Int, isFirst: Bool)
        let new = state.withLock { state -> New? in
            let isFirst = state.server == nil
            guard isFirst || state.server?.address != address else { return nil }
            let server = connect(address)
            state.number += 1
            state.server = server
            return (server, state.number, isFirst)
        }
        guard let new else { return }
        if new.isFirst {
            session.addClient(self)
        } else {
            // What the server before was like says nothing any more.
            feed(.serverReplaced, session.host)
            session.host.resetMediaServices()
        }
        feed(.setUp(session.setup), session.host)
        new.server.listen { [weak self, weak session, queue] event in
            queue.async { [weak self, weak session] in
                guard let self, let session else { return }
                let effects = state.withLock { state in
                    new.number == state.number ? state.handle(.event(event)) : []
                }
                for effect in effects { perform(effect, session.host) }
            }
        }
    }

    /// Waits until what the first server means for the session is known, for at most a second, and
    /// only once. Precondition: the calling thread is not the one on which the server reports.
    func awaitAnswer() {
        guard state.withLock({ $0.server != nil && !$0.isAnswered }) else { return }
        _ = answer.wait(timeout: .now() + Self.patience)
        // Others may wait, too.
        answer.signal()
        becomeAnswered()
    }

    private func becomeAnswered() {
        let isFirst = state.withLock { state in
            defer { state.isAnswered = true }
            return !state.isAnswered
        }
        if isFirst { answer.signal() }
    }

    private func feed(_ input: SoundServerPolicy.Input, _ host: AVAudioSession.Host) {
        for effect in state.withLock({ $0.handle(input) }) { perform(effect, host) }
    }

    private func perform(_ effect: SoundServerPolicy.Effect, _ host: AVAudioSession.Host) {
        switch effect {
        case .mediaServicesWereLost: host.loseMediaServices()
        case .mediaServicesWereReset: host.resetMediaServices()
        case .routeChanged(let change):
            host.changeRoute(
                to: AVAudioSessionRouteDescription(change.current), reason: change.reason)
        case .interruptionBegan(let source):
            host.beginInterruption(isOverridable: source.isOverridable)
        case .interruptionEnded(_, let shouldResume):
            host.endInterruption(shouldResume: shouldResume)
        case .ducked(true): host.beginPrompt()
        case .ducked(false): host.endPrompt()
        case .otherAudio(let other):
            host.setOtherAudio(isPlaying: other != .none, isMixable: other == .mixable)
        case .answered: becomeAnswered()
        case .announce: break
        case .setVolumes, .beginRamp, .endRamp, .server, .pause, .setDeviceMissing, .useDevice,
            .moveStream, .volumeChanged, .muteChanged, .deviceSuspended, .deviceSilent:
            // These are the business of each player's engine.
            break
        }
    }

    // MARK: The session's part

    func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change) {
        switch change {
        case .activated: feed(.activated(at: clock.sinceBoot), session.host)
        case .deactivated(let notifyingOthers):
            feed(.deactivated(notifyingOthers: notifyingOthers), session.host)
        case .setup(let setup): feed(.setUp(setup), session.host)
        default: break
        }
    }
}

extension AVAudioSessionRouteDescription {
    /// The route to a device of the sound server; nil: there is none.
    fileprivate convenience init(_ device: OutputDevice?) {
        let ports = device.map { device in
            AVAudioSessionPortDescription(
                portType: AVAudioSession.Port(rawValue: device.port.rawValue),
                portName: device.description, uid: device.name)
        }
        self.init(outputs: ports.map { [$0] } ?? [])
    }
}

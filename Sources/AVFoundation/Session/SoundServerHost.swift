import AudioSession
import Background
import Dispatch
import Playback
import Synchronization

/// Plays the system's part for a session, according to the sound server: calls, other sessions,
/// devices, the end of the server (behaviour 4). It also announces the session to other processes.
///
/// All work runs on one serial queue.
final class SoundServerHost: AVAudioSessionClient {
    private let queue = DispatchQueue(label: "undersong.audio-session.server")
    private let clock: any HostClock
    private let state: Mutex<State>

    private struct State {
        /// The server being listened to, and the number of servers so far.
        var server: SoundServer?
        var number = 0
        var watch = SoundServerWatch()
        var announcement: SessionAnnouncement
        /// How many interruptions reported by the server have not ended.
        var interruptions = 0
    }

    /// Makes a host that is idle until `begin`; `name` is the session's display name.
    init(identifier: String, name: String, clock: any HostClock) {
        self.clock = clock
        state = Mutex(State(announcement: SessionAnnouncement(identifier: identifier, name: name)))
    }

    /// Always false: a host plays nothing.
    var isRunningIO: Bool { false }

    /// Starts listening to the server of `destination` for `session`, which is not retained. Does
    /// nothing if the destination has no server, or if it is listening to that one already.
    func begin(_ session: AVAudioSession, on destination: OutputDestination) {
        guard case .some(let server) = destination.server else { return }
        let (new, number, last) = state.withLock { state in
            let last = state.server
            guard last == nil || last?.address != server else {
                return (nil as SoundServer?, state.number, last)
            }
            let new = SoundServer(SoundServer.Configuration(server: server, clock: clock))
            state.number += 1
            (state.server, state.watch) = (new, SoundServerWatch())
            return (new, state.number, last)
        }
        guard let new else { return }
        if last != nil {
            // The state of the previous server no longer applies.
            forgetInterruptions(session.host)
            session.host.resetMediaServices()
        } else {
            session.addClient(self)
        }
        update { $0.set(session.setup) }
        new.listen(on: queue) { [weak self, weak session] event in
            guard let self, let session else { return }
            for change in take(event, of: number) { act(on: change, session.host) }
        }
    }

    private func take(_ event: SoundServerEvent, of number: Int) -> [SoundServerChange] {
        state.withLock { state in
            guard number == state.number else { return [] }
            return switch event {
            case .connected(let now): state.watch.connected(now)
            case .changed(let now): state.watch.changed(now)
            case .lost(let reason, _): state.watch.lost(reason: reason)
            case .unavailable: []
            }
        }
    }

    private func act(on change: SoundServerChange, _ host: AVAudioSession.Host) {
        switch change {
        case .mediaServicesWereLost:
            forgetInterruptions(host)
            host.loseMediaServices()
        case .mediaServicesWereReset: host.resetMediaServices()
        case .routeChanged(let change):
            host.changeRoute(
                to: AVAudioSessionRouteDescription(change.current), reason: change.reason)
        case .interruptionBegan(let source):
            state.withLock { $0.interruptions += 1 }
            host.beginInterruption(isOverridable: source.isOverridable)
        case .interruptionEnded(_, let shouldResume):
            state.withLock { $0.interruptions -= 1 }
            host.endInterruption(shouldResume: shouldResume)
        case .duckingBegan: host.beginPrompt()
        case .duckingEnded: host.endPrompt()
        case .otherAudio(let other):
            host.setOtherAudio(isPlaying: other != .none, isMixable: other == .mixable)
        case .volumeChanged, .muteChanged, .deviceSuspended:
            // These concern the player's stream, which follows them itself.
            break
        }
    }

    /// Ends all interruptions reported by a server; the next one reports its own.
    private func forgetInterruptions(_ host: AVAudioSession.Host) {
        let count = state.withLock { state in
            defer { state.interruptions = 0 }
            return state.interruptions
        }
        for _ in 0..<max(0, count) { host.endInterruption(shouldResume: true) }
    }

    // MARK: Session changes

    func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change) {
        switch change {
        case .activated:
            update { announcement in
                announcement.isActive = true
                announcement.notifiesOthers = false
                announcement.activationTime = clock.sinceBoot
            }
        case .deactivated(let notifyingOthers):
            update { announcement in
                announcement.isActive = false
                announcement.notifiesOthers = notifyingOthers
            }
        case .setup(let setup): update { $0.set(setup) }
        default: break
        }
    }

    private func update(_ change: (inout SessionAnnouncement) -> Void) {
        state.withLock { state in
            change(&state.announcement)
            state.watch.own = state.announcement
            state.server?.announce(state.announcement)
        }
    }
}

extension SessionAnnouncement {
    /// Describes to others how a session with this setup relates to them.
    fileprivate mutating func set(_ setup: SessionSetup) {
        isMixable = setup.isMixable
        ducksOthers = setup.options.contains(.duckOthers)
        interruptsSpokenAudio = setup.options.contains(.interruptSpokenAudioAndMixWithOthers)
    }
}

extension AVAudioSessionRouteDescription {
    /// Makes the route to a device of the sound server; nil for no device.
    fileprivate convenience init(_ device: OutputDevice?) {
        let ports = device.map { device in
            AVAudioSessionPortDescription(
                portType: AVAudioSession.Port(rawValue: device.port.rawValue),
                portName: device.description, uid: device.name)
        }
        self.init(outputs: ports.map { [$0] } ?? [])
    }
}

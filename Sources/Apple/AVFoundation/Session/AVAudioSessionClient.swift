import Synchronization
import UndersongAudioSession
package import UndersongBackground

/// A client of the session: one that plays, such as a player, or one that acts for it, such as a
/// host.
///
/// The session calls it on the thread that made the change, before any notification is posted and
/// without holding a lock: it may call the session, and must not block or wait.
package protocol AVAudioSessionClient: AnyObject, Sendable {
    /// True if the client is playing. Deactivating the session then throws `isBusy`.
    var isRunningIO: Bool { get }

    /// Reports a change that a player must act on.
    func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change)
}

extension AVAudioSession {
    /// A change reported to clients.
    package enum Change: Hashable, Sendable {
        /// The session is inactive: stop the sound. Call `PlaybackInterruption.begin(isPlaying:)`.
        case interruptionBegan
        /// Call `PlaybackInterruption.end(mayResume:)` and do what it returns; a player that
        /// resumes calls `activateForPlayback()` as for any start.
        case interruptionEnded(shouldResume: Bool)
        /// `setActive(true)` ended the interruption early; no end will be reported. Call
        /// `PlaybackInterruption.override()`; nothing resumes by itself.
        case interruptionOverridden
        /// The device has gone: pause, and do not resume when it returns (T58).
        case oldDeviceUnavailable
        /// Category, mode or options have changed: evaluate the session policy again.
        case setup(SessionSetup)
        /// The host has changed its state, with or without the `audio` mode declared: evaluate the
        /// session policy again.
        case application(ApplicationState, hasAudioCapability: Bool)
        /// The session is active.
        case activated
        /// The session was deactivated: stop the sound. If `notifyingOthers`, a host reports to the
        /// sessions interrupted by this one that they may resume.
        case deactivated(notifyingOthers: Bool)
        /// The sound server has gone; the position is kept.
        case mediaServicesLost
        /// The sound server is back.
        case mediaServicesReset
        /// Multiply the samples by this factor, with a ramp: another application is speaking (T56).
        case gain(Float)
        /// `outputVolume` has changed.
        case outputVolume(Float)
    }

    /// Reports every change to `client` from now on. The session does not retain it.
    package func addClient(_ client: any AVAudioSessionClient) {
        state.withLock { state in
            state.clients.removeAll { $0.client == nil }
            state.clients.append(WeakClient(client: client))
        }
    }

    /// Adds a player: its engine gets the current state, and `client` every change.
    func admit(_ client: any AVAudioSessionClient, _ post: PlayerCommands) {
        addClient(client)
        let (setup, circumstances) = state.withLock { ($0.setup, $0.circumstances) }
        post.apply(.setup(setup))
        post.apply(
            .application(
                circumstances.applicationState,
                hasAudioCapability: circumstances.hasAudioCapability))
    }

    /// Reports to the application whether something plays. Clients call it when they start or stop,
    /// without a lock.
    package func clientsChanged() {
        board?.setSound(isPlaying: isRunningIO)
        for handler in state.withLock(\.soundHandlers) { handler() }
    }

    /// Calls `handler` each time that `isSounding` may have changed, on the thread that has changed
    /// it.
    package func onSoundChange(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.soundHandlers.append(handler) }
    }

    /// True if a player plays; nil if there are no players.
    package var isSounding: Bool? {
        let players = state.withLock(\.liveClients).filter { !($0 is SoundServerHost) }
        return players.isEmpty ? nil : players.contains { $0.isRunningIO }
    }

    /// Stops reporting changes to `client`.
    package func removeClient(_ client: any AVAudioSessionClient) {
        state.withLock { $0.clients.removeAll { $0.client == nil || $0.client === client } }
    }

    /// Activates the session for a player that starts, as on Apple's systems. Returns whether the
    /// session is active; if not, the player must not sound.
    package func activateForPlayback() -> Bool {
        activate() == nil
    }

    /// True if the host's state and the category forbid sound (B4). A player that is playing is
    /// then paused, and only the application resumes it.
    var isSoundForbidden: Bool {
        state.withLock { !$0.circumstances.suppressions(of: $0.setup.category).isEmpty }
    }

    /// True if the session is active.
    package var isActive: Bool { state.withLock { $0.isActive } }

    /// The session's setup, for the session policy.
    package var setup: SessionSetup { state.withLock { $0.setup } }

    /// True if an interruption has begun and not ended.
    package var isInterrupted: Bool { state.withLock { $0.interruption.isActive } }
}

/// An entry in the session's list of clients.
struct WeakClient: Sendable {
    private(set) weak var client: (any AVAudioSessionClient)?
}

extension PlayerCommands {
    /// Passes a change to the engine. The player itself handles its own part.
    func apply(_ change: AVAudioSession.Change) {
        switch change {
        case .interruptionBegan: setInterrupted(true)
        case .interruptionEnded, .interruptionOverridden: setInterrupted(false)
        case .setup(let setup): setCategory(setup.category)
        case .application(let state, let hasAudioCapability):
            enter(state, hasAudioCapability: hasAudioCapability)
        case .oldDeviceUnavailable, .activated, .deactivated, .mediaServicesLost,
            .mediaServicesReset, .gain, .outputVolume:
            break
        }
    }
}

extension SessionConfiguration {
    /// The configuration of a player in this process: only the process's `AVAudioSession` talks to
    /// the sound server.
    static func player(
        on output: OutputDestination, leastSampleFormat: SampleFormat = .int16
    ) -> SessionConfiguration {
        var configuration = SessionConfiguration(
            output: output, interval: nil, endsWithQueue: false)
        configuration.serverScope = .stream
        configuration.leastSampleFormat = leastSampleFormat
        configuration.network = NetworkMedia.streams
        return configuration
    }
}

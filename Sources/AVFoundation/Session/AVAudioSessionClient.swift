import AudioSession
package import Background
import Synchronization

/// Something that plays in the session, such as a player, or that acts for it, such as a host.
///
/// The session calls it on the thread of whatever made the change, before any notification is
/// posted and without a lock: it may call the session, and it must neither block nor wait.
package protocol AVAudioSessionClient: AnyObject, Sendable {
    /// Whether sound runs now. Deactivating a session in which it does throws `isBusy`.
    var isRunningIO: Bool { get }

    /// Something has changed that a player must act on.
    func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change)
}

extension AVAudioSession {
    /// What a client is told.
    package enum Change: Hashable, Sendable {
        /// The session is inactive: fall silent. Feed `PlaybackInterruption.begin(isPlaying:)`.
        case interruptionBegan
        /// Feed `PlaybackInterruption.end(mayResume:)` and do what it says; a player that resumes
        /// calls `activateForPlayback()` as at any start.
        case interruptionEnded(shouldResume: Bool)
        /// The session took the sound back by `setActive(true)`, and no end will follow. Feed
        /// `PlaybackInterruption.override()`; nothing resumes by itself.
        case interruptionOverridden
        /// The device is gone: pause, and do not resume when it returns (T58).
        case oldDeviceUnavailable
        /// Category, mode or options are others: ask the session policy again.
        case setup(SessionSetup)
        /// The host has come to a state, with or without the `audio` mode declared: ask the session
        /// policy again.
        case application(ApplicationState, hasAudioCapability: Bool)
        /// The session is active.
        case activated
        /// The session was deactivated: fall silent. A host tells those that this session has
        /// interrupted that they may resume, if `notifyingOthers`.
        case deactivated(notifyingOthers: Bool)
        /// The sound server is gone; the position stays.
        case mediaServicesLost
        /// The sound server is back.
        case mediaServicesReset
        /// Samples are to be multiplied by this, with a ramp: another application speaks (T56).
        case gain(Float)
        /// `outputVolume` is another.
        case outputVolume(Float)
    }

    /// Tells `client` of every change from now on. The session does not keep it alive.
    package func addClient(_ client: any AVAudioSessionClient) {
        state.withLock { state in
            state.clients.removeAll { $0.client == nil }
            state.clients.append(WeakClient(client: client))
        }
    }

    /// Takes a player in: its engine is told how things are, and `client` of every change.
    func admit(_ client: any AVAudioSessionClient, _ post: PlayerPost) {
        addClient(client)
        let (setup, circumstances) = state.withLock { ($0.setup, $0.circumstances) }
        post.tell(.setup(setup))
        post.tell(
            .application(
                circumstances.applicationState,
                hasAudioCapability: circumstances.hasAudioCapability))
    }

    /// Tells `client` of no further change.
    package func removeClient(_ client: any AVAudioSessionClient) {
        state.withLock { $0.clients.removeAll { $0.client == nil || $0.client === client } }
    }

    /// Starting a player activates the session, as on Apple's systems. Returns whether it is
    /// active now: if not, the player must not sound.
    package func activateForPlayback() -> Bool {
        activate() == nil
    }

    /// Whether the host may not sound where it is now, in this category (B4). A player that does is
    /// paused then, and it is the application that plays again.
    var isSoundForbidden: Bool {
        state.withLock { !$0.circumstances.suppressions(of: $0.setup.category).isEmpty }
    }

    /// Whether the session is active.
    package var isActive: Bool { state.withLock { $0.isActive } }

    /// What the session is set to, for the session policy.
    package var setup: SessionSetup { state.withLock { $0.setup } }

    /// Whether an interruption has begun and not ended.
    package var isInterrupted: Bool { state.withLock { $0.interruption.isActive } }
}

/// One entry of the session's list.
struct WeakClient: Sendable {
    private(set) weak var client: (any AVAudioSessionClient)?
}

extension PlayerPost {
    /// Lets the engine know what has changed. What the player itself does then is its own.
    func tell(_ change: AVAudioSession.Change) {
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
    /// A player of this process, whose session is the process's `AVAudioSession`: that one speaks to
    /// the sound server for all.
    static func player(on output: OutputDestination) -> SessionConfiguration {
        var configuration = SessionConfiguration(
            output: output, interval: nil, endsWithQueue: false)
        configuration.serverScope = .stream
        return configuration
    }
}

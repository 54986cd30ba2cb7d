import Synchronization
package import UndersongBackground

/// Broadcasts the host's state in this process, so that what shows it and what acts on it need not
/// know each other. Any thread may use it.
package final class HostStateBroadcaster: Sendable {
    /// The host's state and what is declared.
    package struct Notice: Equatable, Sendable {
        /// The host's state.
        package var applicationState: ApplicationState
        /// The background modes and identifiers that are declared.
        package var capabilities: Capabilities

        /// True if the `audio` mode is declared.
        package var hasAudioCapability: Bool { capabilities.backgroundModes.contains(.audio) }

        package init(applicationState: ApplicationState, capabilities: Capabilities) {
            self.applicationState = applicationState
            self.capabilities = capabilities
        }
    }

    /// The board of this process.
    package static let shared = HostStateBroadcaster()

    private let state = Mutex<(notice: Notice?, readers: [@Sendable (Notice) -> Void])>((nil, []))
    private let sound = Mutex<(isPlaying: Bool, readers: [@Sendable (Bool) -> Void])>((false, []))

    package init() {}

    /// Puts a notice up; the readers have been called when this returns.
    package func post(_ notice: Notice) {
        let readers = state.withLock { state in
            state.notice = notice
            return state.readers
        }
        for reader in readers { reader(notice) }
    }

    /// Calls `reader` with what is up, if anything is, and with every notice from now on, on the
    /// thread that puts it up.
    package func read(_ reader: @escaping @Sendable (Notice) -> Void) {
        let notice = state.withLock { state in
            state.readers.append(reader)
            return state.notice
        }
        if let notice { reader(notice) }
    }

    /// Reports whether sound plays in this process; the readers have been called when this returns.
    package func setSound(isPlaying: Bool) {
        let readers = sound.withLock { sound in
            defer { sound.isPlaying = isPlaying }
            return sound.isPlaying == isPlaying ? [] : sound.readers
        }
        for reader in readers { reader(isPlaying) }
    }

    /// Calls `reader` whenever sound begins or ends, on the thread that reports it.
    package func readSound(_ reader: @escaping @Sendable (_ isPlaying: Bool) -> Void) {
        sound.withLock { $0.readers.append(reader) }
    }

    /// True if sound plays in this process.
    package var isSoundPlaying: Bool { sound.withLock(\.isPlaying) }
}

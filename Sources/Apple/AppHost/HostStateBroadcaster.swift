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
    private let sound = Mutex(Activity())
    private let locations = Mutex(Activity())
    private let handover = Mutex(Activity())
    private let wakes = Mutex<[Wake]>([])

    /// Handles a wake, and calls `done` once, on any thread, when what it brings has begun.
    package typealias Wake =
        @Sendable (AppReason, _ done: @escaping @Sendable () -> Void) -> Void

    /// Something that may keep the application running, and its readers.
    private struct Activity {
        var isActive = false
        var readers: [@Sendable (Bool) -> Void] = []

        /// Sets it. Returns the readers to call.
        mutating func set(_ isActive: Bool) -> [@Sendable (Bool) -> Void] {
            defer { self.isActive = isActive }
            return self.isActive == isActive ? [] : readers
        }
    }

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
        for reader in sound.withLock({ $0.set(isPlaying) }) { reader(isPlaying) }
    }

    /// Calls `reader` whenever sound begins or ends, on the thread that reports it.
    package func readSound(_ reader: @escaping @Sendable (_ isPlaying: Bool) -> Void) {
        sound.withLock { $0.readers.append(reader) }
    }

    /// True if sound plays in this process.
    package var isSoundPlaying: Bool { sound.withLock(\.isActive) }

    /// Reports whether this process receives locations; the readers have been called when this
    /// returns.
    package func setLocations(areReceived: Bool) {
        for reader in locations.withLock({ $0.set(areReceived) }) { reader(areReceived) }
    }

    /// Calls `reader` whenever locations begin or end to be received, on the thread that reports it.
    package func readLocations(_ reader: @escaping @Sendable (_ areReceived: Bool) -> Void) {
        locations.withLock { $0.readers.append(reader) }
    }

    /// True if this process receives locations.
    package var areLocationsReceived: Bool { locations.withLock(\.isActive) }

    /// Reports whether this process is handing over what wakes it later; the readers have been called
    /// when this returns.
    package func setHandover(isPending: Bool) {
        for reader in handover.withLock({ $0.set(isPending) }) { reader(isPending) }
    }

    /// Calls `reader` whenever a handover begins or ends, on the thread that reports it.
    package func readHandover(_ reader: @escaping @Sendable (_ isPending: Bool) -> Void) {
        handover.withLock { $0.readers.append(reader) }
    }

    /// True if this process is handing over what wakes it later: until then it must not be suspended.
    package var isHandoverPending: Bool { handover.withLock(\.isActive) }

    /// Calls `reader` whenever the service has woken the application.
    package func readWakes(_ reader: @escaping Wake) { wakes.withLock { $0.append(reader) } }

    /// Reports a wake for `reason`. Calls `done` once all readers have begun what it brings.
    package func wake(for reason: AppReason, _ done: @escaping @Sendable () -> Void) {
        let readers = wakes.withLock(\.self)
        let waiting = Mutex(readers.count + 1)
        let finish = { @Sendable in
            let isLast = waiting.withLock { count in
                count -= 1
                return count == 0
            }
            if isLast { done() }
        }
        for reader in readers { reader(reason, finish) }
        finish()
    }
}

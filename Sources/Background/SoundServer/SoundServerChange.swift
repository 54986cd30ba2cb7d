/// Why the sound goes elsewhere, with Apple's numbers (behaviour 2.5).
public enum RouteChangeReason: UInt, Hashable, Sendable {
    /// Nobody knows.
    case unknown = 0
    /// A device has come and is played on.
    case newDeviceAvailable = 1
    /// The device that was played on is gone.
    case oldDeviceUnavailable = 2
    /// The session's category is another.
    case categoryChange = 3
    /// Somebody has chosen another device.
    case override = 4
    /// The machine has slept.
    case wakeFromSleep = 6
    /// There is no device.
    case noSuitableRouteForCategory = 7
    /// The same device, set differently.
    case routeConfigurationChange = 8
}

/// The sound goes elsewhere.
public struct RouteChange: Hashable, Sendable {
    /// Why.
    public var reason: RouteChangeReason
    /// Where it went; nil: nowhere.
    public var previous: OutputDevice?
    /// Where it goes; nil: nowhere.
    public var current: OutputDevice?

    package init(reason: RouteChangeReason, previous: OutputDevice?, current: OutputDevice?) {
        self.reason = reason
        self.previous = previous
        self.current = current
    }
}

/// Who interrupts a session.
public enum InterruptionSource: Hashable, Sendable {
    /// A call, or another sound of its rank; the program's name.
    case call(application: String)
    /// Another session that does not mix; its name.
    case session(name: String)
    /// A command.
    case command
    /// The machine sleeps.
    case sleep

    /// `call`, `session`, `command` or `sleep`.
    public var kind: String {
        switch self {
        case .call: "call"
        case .session: "session"
        case .command: "command"
        case .sleep: "sleep"
        }
    }

    /// Whether a user who wants to play may end it: not so during a call.
    public var isOverridable: Bool { if case .session = self { true } else { false } }
}

/// Something about the sound server that a session must act on.
package enum SoundServerChange: Hashable, Sendable {
    /// The server is gone, and why: nothing sounds.
    case mediaServicesWereLost(reason: String)
    /// The server is back.
    case mediaServicesWereReset
    /// The sound goes elsewhere.
    case routeChanged(RouteChange)
    /// Another sound interrupts. Each has an end with the same source, unless the session takes the
    /// sound back.
    case interruptionBegan(InterruptionSource)
    /// It is over.
    case interruptionEnded(InterruptionSource, shouldResume: Bool)
    /// Another session speaks over this one, or no longer.
    case duckingBegan
    case duckingEnded
    /// What of other sounds can be heard now.
    case otherAudio(OtherAudio)
    /// Somebody else has set this session's volume, 0 to 1.
    case volumeChanged(Float)
    /// Somebody else has silenced this session, or lets it be heard.
    case muteChanged(Bool)
    /// The device that is played on sleeps, or is awake again.
    case deviceSuspended(Bool)
}

/// The reason the route changed, with Apple's numbers (behaviour 2.5).
public enum RouteChangeReason: UInt, Hashable, Sendable, CaseIterable {
    /// Unknown.
    case unknown = 0
    /// A new device appeared and is used.
    case newDeviceAvailable = 1
    /// The device in use disappeared.
    case oldDeviceUnavailable = 2
    /// The session's category changed.
    case categoryChange = 3
    /// Another device was chosen.
    case override = 4
    /// The machine woke up.
    case wakeFromSleep = 6
    /// There is no device.
    case noSuitableRouteForCategory = 7
    /// The same device, configured differently.
    case routeConfigurationChange = 8

    /// Apple's name for it, which is the case's.
    var name: String { "\(self)" }
}

/// The sound moved to another device.
public struct RouteChange: Codable, Hashable, Sendable {
    /// The reason for the change.
    public var reason: RouteChangeReason
    /// The device before; nil if there was none.
    public var previous: OutputDevice?
    /// The device now; nil if there is none.
    public var current: OutputDevice?

    package init(reason: RouteChangeReason, previous: OutputDevice?, current: OutputDevice?) {
        self.reason = reason
        self.previous = previous
        self.current = current
    }

    private enum CodingKeys: String, CodingKey {
        case reason, reasonCode, previous
        case current = "route"
    }

    /// Decodes a change from the members of an event.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let name = try members.decode(String.self, forKey: .reason)
        reason = RouteChangeReason.allCases.first { $0.name == name } ?? .unknown
        previous = try members.decodeIfPresent(OutputDevice.self, forKey: .previous)
        current = try members.decodeIfPresent(OutputDevice.self, forKey: .current)
    }

    /// Encodes the members of an event, with null for a missing device.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(reason.name, forKey: .reason)
        try members.encode(reason.rawValue, forKey: .reasonCode)
        try members.encode(previous, forKey: .previous)
        try members.encode(current, forKey: .current)
    }
}

/// The sources of an interruption.
public enum InterruptionSource: Hashable, Sendable {
    /// A call, or another sound of its rank, with the program's name.
    case call(application: String)
    /// Another session that does not mix, with its name.
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

    /// The name of the interrupting program or session; nil if the kind says it all.
    package var name: String? {
        switch self {
        case .call(let application): application
        case .session(let name): name
        case .command, .sleep: nil
        }
    }

    /// True if a user who wants to play may end it; a call cannot be ended that way.
    public var isOverridable: Bool { if case .session = self { true } else { false } }

    /// True for a call, and for the command that stands for one.
    package var isCall: Bool {
        switch self {
        case .call, .command: true
        case .session, .sleep: false
        }
    }
}

extension InterruptionSource: Codable {
    private enum CodingKeys: CodingKey { case source, by }

    /// Decodes a source from its kind and name; a kind that a later version has added counts as a
    /// session.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try members.decode(String.self, forKey: .source)
        let name = try members.decodeIfPresent(String.self, forKey: .by)
        self =
            switch kind {
            case "call": .call(application: name ?? "")
            case "command": .command
            case "sleep": .sleep
            default: .session(name: name ?? kind)
            }
    }

    /// Encodes the kind and the name.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(kind, forKey: .source)
        try members.encodeIfPresent(name, forKey: .by)
    }
}

/// A change on the sound server that a session must act on.
package enum SoundServerChange: Hashable, Sendable {
    /// The server disconnected, with the reason: nothing can be heard.
    case mediaServicesWereLost(reason: String)
    /// The server is back.
    case mediaServicesWereReset
    /// The sound moved to another device.
    case routeChanged(RouteChange)
    /// Another sound interrupts. An end with the same source follows unless the session takes the
    /// sound back.
    case interruptionBegan(InterruptionSource)
    /// The interruption ended.
    case interruptionEnded(InterruptionSource, shouldResume: Bool)
    /// Another session begins, or stops, speaking over this one.
    case duckingBegan
    case duckingEnded
    /// The sound of others that can be heard has changed.
    case otherAudio(OtherAudio)
    /// Another program set this session's volume, 0 to 1.
    case volumeChanged(Float)
    /// Another program muted or unmuted this session.
    case muteChanged(Bool)
    /// The device in use was suspended or woken.
    case deviceSuspended(Bool)
}

public import UndersongPlayback

/// The configuration of a session.
public struct SessionDescription: Codable, Equatable, Sendable {
    /// The library's version.
    public var version: String
    /// The version of the schema of events.
    public private(set) var schema = 1
    /// `pulse`, `null` or `wav`.
    public var output: String
    /// The seconds between time events on an item's timeline.
    public var interval: WireTime?
    /// The session's category.
    public var category: SessionCategory
    /// The declared background modes, in alphabetical order.
    public private(set) var capabilities: [BackgroundMode] = []
    /// The place of the declaration: a path, an option's name, or `none`.
    public private(set) var capabilitySource = "none"

    package init(version: String, output: String, interval: CMTime?, category: SessionCategory) {
        self.version = version
        self.output = output
        self.interval = interval.map { WireTime($0) }
        self.category = category
    }

    /// Sets the declared background modes and where they are declared.
    package mutating func declare(_ declaration: Declaration) {
        capabilities = declaration.capabilities.backgroundModes
            .sorted { $0.rawValue < $1.rawValue }
        capabilitySource = declaration.source
    }
}

/// The members of a change of the host's state.
struct HostChange: Codable {
    var lifecycle: [LifecycleEvent]
    var source: String
}

/// The bytes of the current item have ceased to arrive, or arrive again.
public struct NetworkEvent: Codable, Hashable, Sendable {
    /// The server, for display: `example.org`.
    public var host: String
    /// The activity of the program that fetches the item.
    public var network: NetworkItemState.State
    /// The reason nothing arrives: a sentence without its full stop; nil if something does.
    public var trouble: String?
    /// Seconds until the next attempt.
    public var retry: Double?

    package init(
        host: String, network: NetworkItemState.State, trouble: String?, retry: Double?
    ) {
        (self.host, self.network, self.trouble, self.retry) = (host, network, trouble, retry)
    }
}

/// A failure with its code, its cause and, when there is one, the item.
public struct SessionFailure: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    /// A machine-readable reason.
    public var code: String
    /// The item concerned; nil if it is not in the queue.
    public var item: ItemID?
    /// "cannot open /a.mp3: No such file or directory"
    public var message: String
    /// The part after the colon.
    public var reason: String

    /// The message.
    public var description: String { message }

    /// Creates a failure that does not concern an item. The message reads "cannot do this: That
    /// is why".
    public init(code: String, message: String) {
        self.code = code
        self.message = message
        let parts = message.split(separator: ": ", maxSplits: 1)
        reason = parts.count == 2 ? String(parts[1]) : message
    }

    package init(_ error: MediaError, item: ItemID?) {
        code = error.code.rawValue
        self.item = item
        message = error.description
        reason = error.reason
    }

    package init(_ error: OutputError) {
        code = error.code.rawValue
        message = error.description
        reason = error.reason
    }
}

/// The members of the end of a run: the run's number and the output's error are not among them.
struct RunResult: Codable {
    var end: SessionEnd

    private enum CodingKeys: CodingKey { case reason, played, failed }

    init(end: SessionEnd) { self.end = end }

    init(from decoder: any Decoder) throws { end = try SessionEnd(from: decoder) }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(end.reason.word, forKey: .reason)
        try members.encode(end.playedCount, forKey: .played)
        try members.encode(end.failedCount, forKey: .failed)
    }
}

public import UndersongBackground
public import UndersongBase
import UndersongPlayback
package import UndersongTransfers

/// Why there is or is no sound: everything that has an influence on it.
public struct Why: Codable, Hashable, Sendable {
    /// A reason that forbids playback.
    public struct Suppression: Codable, Hashable, Sendable {
        /// The name as in events: `appBackgrounded`, `interrupted` ...
        public var reason: String
        /// Since when, in nanoseconds of CLOCK_MONOTONIC.
        public var since: Int64

        /// Creates a suppression.
        public init(reason: String, since: Int64) {
            self.reason = reason
            self.since = since
        }
    }

    /// A client whose state counts, and that state.
    public struct Client: Codable, Hashable, Sendable {
        /// The client's name.
        public var name: String
        /// The client's process id.
        public var process: Int32
        /// `active`, `inactive` or `background`.
        public var state: String
        /// Where the state was observed: `terminal`, `none`, `option` ...
        public var source: String

        /// Creates a client.
        public init(name: String, process: Int32, state: String, source: String) {
            self.name = name
            self.process = process
            self.state = state
            self.source = source
        }
    }

    /// An ongoing interruption.
    public struct Interruption: Codable, Hashable, Sendable {
        /// `call`, `session`, `command` or `sleep`.
        public var source: String
        /// The program of a call, or the session.
        public var by: String?

        /// Creates an interruption.
        public init(source: String, by: String?) {
            self.source = source
            self.by = by
        }
    }

    /// The state of the sound server.
    public struct Sound: Codable, Hashable, Sendable {
        /// The server and its devices.
        public var outputs: Outputs
        /// Since when no server answers, in nanoseconds of CLOCK_MONOTONIC; nil if one answers, or
        /// the loss was not noticed.
        public var lostSince: Int64?
        /// The ongoing interruptions, in the order in which they began.
        public var interruptions: [Interruption]

        /// Creates the state.
        public init(outputs: Outputs, lostSince: Int64?, interruptions: [Interruption]) {
            self.outputs = outputs
            self.lostSince = lostSince
            self.interruptions = interruptions
        }
    }

    /// What the player is doing.
    public var status: PlayerStatus
    /// The reasons that forbid playback; empty if there are none.
    public var suppressions: [Suppression]
    /// The current time in nanoseconds of CLOCK_MONOTONIC.
    public var now: Int64
    /// Since when the host is in its state, in nanoseconds of CLOCK_MONOTONIC.
    public var hostSince: Int64
    /// The clients whose states make up the host's.
    public var clients: [Client]
    /// The state set by `undersong host`; nil for none, or `auto`.
    public var hostOverride: String?
    /// The state of the login session: `active`, `locked`, `sleeping`, `inactive`; nil if unknown.
    public var loginSession: String?
    /// The session's category.
    public var category: String
    /// Whether the `audio` mode is declared.
    public var audioCapability: Bool
    /// Where it is declared: a path, `--background-audio`, or `none`.
    public var capabilitySource: String
    /// The output: `pulse`, `pulse on SERVER`, `null`.
    public var output: String
    /// The sound server; nil if the output does not use one.
    public var sound: Sound?
    /// What keeps the sound from being heard: `muted`, `volumeZero`, `deviceMuted`,
    /// `deviceVolumeZero`; nil if nothing does.
    public var silencedBy: [String]?
    /// Why the queue cannot be saved to disk; nil if it can.
    public var stateTrouble: String?
    /// The names of the finite-length tasks that keep the host running.
    public var tasks: [String]
    /// The seconds that they have left; nil in the foreground.
    public var backgroundTimeRemaining: Double?
    /// Remote notifications, if any are waiting.
    package var pushes: PushStatus?
    /// Locations, if anything of them is wanted.
    package var locations: LocationStatus?
    /// Downloads that are not over. The service does not know them: the client adds them.
    package var downloads: TransferList?
    /// Background fetches, refreshes and processing. The client asks for them.
    package var background: RefreshStatus?

    /// Creates a reply.
    public init(
        status: PlayerStatus, suppressions: [Suppression], now: Int64, hostSince: Int64,
        clients: [Client], hostOverride: String?, loginSession: String?, category: String,
        audioCapability: Bool, capabilitySource: String, output: String, tasks: [String],
        sound: Sound? = nil, stateTrouble: String? = nil, backgroundTimeRemaining: Double?
    ) {
        self.status = status
        self.suppressions = suppressions
        self.now = now
        self.hostSince = hostSince
        self.clients = clients
        self.hostOverride = hostOverride
        self.loginSession = loginSession
        self.category = category
        self.audioCapability = audioCapability
        self.capabilitySource = capabilitySource
        self.output = output
        self.sound = sound
        self.tasks = tasks
        self.stateTrouble = stateTrouble
        silencedBy = Self.silencers(status.settings, sound?.outputs.current)
        self.backgroundTimeRemaining = backgroundTimeRemaining
    }
}

extension Why {
    private static func silencers(_ settings: Settings, _ device: Outputs.Device?) -> [String]? {
        var found: [String] = []
        if settings.muted == true { found.append("muted") }
        if settings.volume == 0 { found.append("volumeZero") }
        if device?.isMuted == true {
            found.append("deviceMuted")
        } else if device?.volume == 0 {
            found.append("deviceVolumeZero")
        }
        return found.isEmpty ? nil : found
    }
}

/// Requests the reasons for sound or silence.
public struct GetWhy: ControlCall {
    /// The reasons.
    public typealias Reply = Why
    /// The name of the method.
    public static let method = "why"

    /// Creates a request.
    public init() {}
}

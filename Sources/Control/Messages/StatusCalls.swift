/// What the player does, and why. Asked for by `GetStatus`.
public struct Status: Codable, Hashable, Sendable {
    /// `playing`, `waiting` or `paused`.
    public var status: String
    /// Why it does not play, as in the events: `userPaused`, `appBackgrounded`, `noItem` ...
    public var reason: String?
    /// Whether the user wants sound.
    public var wantsPlayback: Bool
    /// The current item.
    public var item: QueueEntry?
    /// Its place in the queue, from 0; as `index`.
    public var place: Int
    /// Its place in the queue, from 0; nil without a current item.
    public var index: Int?
    /// Its place in the queue, from 1, as people see it and verbs take it; nil without a current item.
    public var number: Int?
    /// Items in the queue.
    public var count: Int
    /// Where it is heard.
    public var position: WireTime
    /// How it plays.
    public var settings: Settings
    /// The host's state: `active`, `inactive` or `background`.
    public var host: String
    /// Where that was seen.
    public var hostSource: String
    /// Whether everything stands still: no thread of the service wakes up.
    public var suspended: Bool
    /// When it stops by itself; nil: it does not.
    public var sleep: SleepState?
    /// True when the sound server's device is muted or at volume 0.
    public var deviceSilent: Bool?

    /// Makes a status.
    public init(
        status: String, reason: String?, wantsPlayback: Bool, item: QueueEntry?, place: Int,
        count: Int, position: WireTime, settings: Settings, host: String, hostSource: String,
        suspended: Bool, sleep: SleepState? = nil
    ) {
        self.status = status
        self.reason = reason
        self.wantsPlayback = wantsPlayback
        self.item = item
        self.place = place
        index = item == nil ? nil : place
        number = item == nil ? nil : place + 1
        self.count = count
        self.position = position
        self.settings = settings
        self.host = host
        self.hostSource = hostSource
        self.suspended = suspended
        self.sleep = sleep
    }
}

/// Asks what the player does.
public struct GetStatus: ControlCall {
    /// It all.
    public typealias Reply = Status
    /// What it is called on the wire.
    public static let method = "status"

    /// Asks.
    public init() {}
}

/// Why there is sound, or none: everything that has a say in it.
public struct Why: Codable, Hashable, Sendable {
    /// One thing that forbids sound.
    public struct Suppression: Codable, Hashable, Sendable {
        /// As in the events: `appBackgrounded`, `interrupted` ...
        public var reason: String
        /// Nanoseconds of CLOCK_MONOTONIC since which it does.
        public var since: Int64

        /// Makes a suppression.
        public init(reason: String, since: Int64) {
            self.reason = reason
            self.since = since
        }
    }

    /// A client whose state counts, and what it says.
    public struct Client: Codable, Hashable, Sendable {
        /// What it calls itself.
        public var name: String
        /// Its process.
        public var process: Int32
        /// `active`, `inactive` or `background`.
        public var state: String
        /// Where it saw that: `terminal`, `none`, `option` ...
        public var source: String

        /// Makes a client.
        public init(name: String, process: Int32, state: String, source: String) {
            self.name = name
            self.process = process
            self.state = state
            self.source = source
        }
    }

    /// Something that interrupts.
    public struct Interruption: Codable, Hashable, Sendable {
        /// `call`, `session`, `command` or `sleep`.
        public var source: String
        /// The program of a call, or the session.
        public var by: String?

        /// Makes an interruption.
        public init(source: String, by: String?) {
            self.source = source
            self.by = by
        }
    }

    /// What the sound server has to do with it.
    public struct Sound: Codable, Hashable, Sendable {
        /// The server and its devices.
        public var outputs: Outputs
        /// Nanoseconds of CLOCK_MONOTONIC since which no server answers; nil: one does, or nobody
        /// has noticed.
        public var lostSince: Int64?
        /// What interrupts, the first first.
        public var interruptions: [Interruption]

        /// Makes an answer's part.
        public init(outputs: Outputs, lostSince: Int64?, interruptions: [Interruption]) {
            self.outputs = outputs
            self.lostSince = lostSince
            self.interruptions = interruptions
        }
    }

    /// What the player does.
    public var status: Status
    /// What forbids sound; empty when nothing does.
    public var suppressions: [Suppression]
    /// Nanoseconds of CLOCK_MONOTONIC now.
    public var now: Int64
    /// Nanoseconds of CLOCK_MONOTONIC since which the host is in its state.
    public var hostSince: Int64
    /// The clients whose states make the host's.
    public var clients: [Client]
    /// What `undersong host` has said; nil: nothing, or `auto`.
    public var hostOverride: String?
    /// What the login session says: `active`, `locked`, `sleeping`, `inactive`; nil: unknown.
    public var loginSession: String?
    /// The session's category.
    public var category: String
    /// Whether the `audio` mode is declared.
    public var audioCapability: Bool
    /// Where: a path, `--background-audio`, or `none`.
    public var capabilitySource: String
    /// Where the sound goes: `pulse`, `pulse on SERVER`, `null`.
    public var output: String
    /// The sound server; nil: the sound does not go to one.
    public var sound: Sound?
    /// What of the loudness keeps anything from being heard: `muted`, `volumeZero`, `deviceMuted`,
    /// `deviceVolumeZero`; nil: nothing does.
    public var silencedBy: [String]?
    /// Why the queue cannot be kept on the disk; nil: it is.
    public var stateTrouble: String?
    /// Finite-length tasks that keep the host running, by name.
    public var tasks: [String]
    /// Seconds that they have left; nil in the foreground.
    public var backgroundTimeRemaining: Double?

    /// Makes an answer.
    public init(
        status: Status, suppressions: [Suppression], now: Int64, hostSince: Int64,
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

/// Asks why there is sound or none.
public struct GetWhy: ControlCall {
    /// It all.
    public typealias Reply = Why
    /// What it is called on the wire.
    public static let method = "why"

    /// Asks.
    public init() {}
}

/// Ends the service. The queue's edits and the place are kept where the service keeps them.
public struct Shutdown: ControlCall {
    /// It is done.
    public typealias Reply = Nothing
    /// What it is called on the wire.
    public static let method = "shutdown"

    /// Asks for it.
    public init() {}
}

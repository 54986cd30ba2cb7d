package import UndersongBase
package import UndersongLocation
package import UndersongPlayback

/// The reasons for sound or silence: everything that has an influence on it.
package struct Why: Codable, Hashable, Sendable {
    /// A reason that forbids playback.
    package struct Suppression: Codable, Hashable, Sendable {
        package var reason: Open<SilenceReason>
        /// The time since which it holds, in nanoseconds of CLOCK_MONOTONIC.
        package var since: Int64

        package init(reason: Open<SilenceReason>, since: Int64) {
            self.reason = reason
            self.since = since
        }
    }

    /// A client whose state counts, and that state.
    package struct Client: Codable, Hashable, Sendable {
        /// The client's name; `unknown` if it gave none, or has gone.
        package var name: String
        /// The client's process id; 0 if unknown.
        package var process: Int32
        package var state: ApplicationState
        /// The source of that state: `terminal`, `none`, `option` ...
        package var source: String

        package init(name: String, process: Int32, state: ApplicationState, source: String) {
            self.name = name
            self.process = process
            self.state = state
            self.source = source
        }
    }

    /// The state of the sound server.
    package struct Sound: Codable, Hashable, Sendable {
        /// The server and its devices.
        package var outputs: Outputs
        /// The time since which no server answers, in nanoseconds of CLOCK_MONOTONIC; nil if one
        /// answers, or the loss was not noticed.
        package var lostSince: Int64?
        /// The ongoing interruptions, in the order in which they began.
        package var interruptions: [InterruptionSource]

        package init(
            outputs: Outputs, lostSince: Int64?, interruptions: [InterruptionSource] = []
        ) {
            self.outputs = outputs
            self.lostSince = lostSince
            self.interruptions = interruptions
        }
    }

    /// The silencers of a player that plays.
    package enum Silencer: String, Codable, Sendable {
        case muted, volumeZero, deviceMuted, deviceVolumeZero
    }

    /// Something that does not work.
    package struct Trouble: Codable, Hashable, Sendable {
        /// A sentence without its full stop: `cannot keep the library in /a: the disk is full`.
        package var reason: String
        /// Instructions that end it.
        package var remedy: String

        package init(reason: String, remedy: String) {
            (self.reason, self.remedy) = (reason, remedy)
        }
    }

    /// The player's status.
    package var status: PlayerStatus
    /// The reasons that forbid playback; empty if there are none.
    package var suppressions: [Suppression]
    /// The current time in nanoseconds of CLOCK_MONOTONIC.
    package var now: Int64
    /// The time since which the host is in its state, in nanoseconds of CLOCK_MONOTONIC.
    package var hostSince: Int64
    /// The clients whose states make up the host's.
    package var clients: [Client]
    /// The state set by `undersong host`; nil for none, or `auto`.
    package var hostOverride: ApplicationState?
    /// The state of the login session: `active`, `locked`, `sleeping`, `inactive`; nil if unknown.
    package var loginSession: String?
    /// The session's category.
    package var category: SessionCategory
    /// True if the `audio` mode is declared.
    package var audioCapability: Bool
    /// The place of the declaration: a path, `--background-audio`, or `none`.
    package var capabilitySource: String
    /// The output: `pulse`, `pulse on SERVER`, `null`.
    package var output: String
    /// The sound server; nil if the output does not use one.
    package var sound: Sound?
    /// The silencers; nil if there are none.
    package var silencedBy: [Silencer]?
    /// The time since which the sound of the items has been exact digital silence in the background,
    /// in nanoseconds of CLOCK_MONOTONIC; nil if it was for less than 10 minutes. The user's volume
    /// and mute do not count.
    package var digitalSilenceSince: Int64?
    /// The reason the queue cannot be saved to disk; nil if it can.
    package var stateTrouble: String?
    /// The reason the library cannot be read or kept; nil if it can.
    package var libraryTrouble: Trouble?
    /// The names of the finite-length tasks that keep the host running.
    package var tasks: [String]
    /// The seconds that they have left; nil in the foreground.
    package var backgroundTimeRemaining: Double?
    /// Remote notifications, if any are waiting.
    package var pushes: PushStatus?
    /// Locations, if anything of them is wanted.
    package var locations: LocationStatus?

    package init(
        status: PlayerStatus, suppressions: [Suppression], now: Int64, hostSince: Int64,
        clients: [Client], category: SessionCategory, audioCapability: Bool,
        capabilitySource: String, output: String, sound: Sound? = nil,
        tasks: [String] = []
    ) {
        self.status = status
        self.suppressions = suppressions
        self.now = now
        self.hostSince = hostSince
        self.clients = clients
        self.category = category
        self.audioCapability = audioCapability
        self.capabilitySource = capabilitySource
        self.output = output
        self.sound = sound
        self.tasks = tasks
        let silencers = Self.silencers(status.settings, sound?.outputs.current)
        silencedBy = silencers.isEmpty ? nil : silencers
    }

    private static func silencers(_ settings: Settings, _ device: Outputs.Device?) -> [Silencer] {
        var found: [Silencer] = []
        if settings.muted == true { found.append(.muted) }
        if settings.volume == 0 { found.append(.volumeZero) }
        if device?.isMuted == true {
            found.append(.deviceMuted)
        } else if device?.volume == 0 {
            found.append(.deviceVolumeZero)
        }
        return found
    }
}

/// Requests the reasons for sound or silence.
package struct GetWhy: ControlCall {
    package typealias Reply = Why
    package static let method = "player.why"

    package init() {}
}

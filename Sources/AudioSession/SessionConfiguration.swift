public import AudioIO
public import Background
public import Playback
import Threads

/// What an `AudioSession` is made with.
public struct SessionConfiguration: Sendable {
    /// The session's name, for people: other sessions tell who has interrupted them.
    public var name = "Undersong"
    /// Where the sound goes.
    public var output: OutputDestination
    /// Seconds between time events on an item's timeline, a positive fraction; nil for none.
    public var interval: CMTime?
    /// Times on every item's timeline that are told of when they are crossed.
    public var boundaries: [CMTime]
    /// How the player begins to play.
    public var settings: PlayerSettings
    /// Whether the session is over when its queue is.
    public var endsWithQueue: Bool
    /// A folder for what was found out about long files, so that seeks in them cost nothing next
    /// time; nil: nothing is saved. It is made when it is missing.
    public var indexFolder: String?
    /// The folder in which the user's sound server has its socket: a server that comes is noticed at
    /// once; nil: it is looked for every two seconds at least.
    public var soundServerFolder: String?
    /// What of the sound server's changes the session acts on itself.
    package var serverScope: SoundServerPolicy.Scope = [.session, .stream]
    /// Where the queue is kept, and with it the player's record; nil: with the process.
    package var store: (any QueueStore)?
    /// What the player begins with, instead of an empty queue and `settings`.
    package var record: PlayerRecord?
    /// A connection to the sound server of what is played first, which was begun already.
    package var soundServer: (any SoundServer)?
    /// Where it is remembered how far long files were heard; nil: nowhere.
    package var fileMemory: (any FileMemory)?
    /// The time by which the session lives.
    package var clock: any HostClock = SystemClock()
    /// The session's category; `playback` is the one for a music player.
    public var category: SessionCategory
    /// The declared background modes.
    public var capabilities: Capabilities
    /// Where they are declared, as events tell it: a path, an option's name, or `none`.
    public var capabilitySource: String
    /// The host's state at the start.
    public var applicationState: ApplicationState
    /// Where that comes from, as events tell it: `terminal`, `option` or `none`.
    public var applicationStateSource: String

    /// Makes a configuration: an active host that has declared nothing, playing on the user's
    /// sound server.
    public init(
        output: OutputDestination = .pulse(server: nil, device: nil), interval: CMTime? = nil,
        boundaries: [CMTime] = [], settings: PlayerSettings = PlayerSettings(),
        endsWithQueue: Bool = true, indexFolder: String? = nil,
        category: SessionCategory = .playback, capabilities: Capabilities = Capabilities(),
        capabilitySource: String = "none", applicationState: ApplicationState = .active,
        applicationStateSource: String = "none"
    ) {
        self.output = output
        self.interval = interval
        self.boundaries = boundaries
        self.settings = settings
        self.endsWithQueue = endsWithQueue
        self.indexFolder = indexFolder
        self.category = category
        self.capabilities = capabilities
        self.capabilitySource = capabilitySource
        self.applicationState = applicationState
        self.applicationStateSource = applicationStateSource
    }

    var description: SessionDescription {
        SessionDescription(
            version: AudioSession.version, output: output.name, interval: interval,
            category: category, capabilities: capabilities, capabilitySource: capabilitySource)
    }
}

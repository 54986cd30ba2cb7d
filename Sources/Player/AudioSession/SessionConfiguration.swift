public import UndersongAudioIO
public import UndersongBackground
import UndersongBase
public import UndersongPlayback

/// The configuration of an `AudioSession`.
public struct SessionConfiguration: Sendable {
    /// The session's name for display: other sessions show which one has interrupted them.
    public var name = "Undersong"
    /// The destination of the sound.
    public var output: OutputDestination
    /// The seconds between time events on an item's timeline, a positive fraction; nil for none.
    public var interval: CMTime?
    /// Times on every item's timeline to report when they are crossed.
    public var boundaries: [CMTime]
    /// The player's initial settings.
    public var settings: PlayerSettings
    /// True if the session ends with its queue.
    public var endsWithQueue: Bool
    /// The folder for indexes of long files, which make the next seeks in them fast; nil to save
    /// none. It is created if it is missing.
    public var indexFolder: String?
    /// The folder with the socket of the user's sound server, which makes a new server noticed at
    /// once; nil to look for one at least every two seconds.
    public var soundServerFolder: String?
    /// The sound server's changes that the session acts on itself.
    package var serverScope: SoundServerPolicy.Scope = [.session, .stream]
    /// The store of the queue and the player's record; nil to keep them only in the process.
    package var store: (any QueueStore)?
    /// The player's initial state, instead of an empty queue and `settings`.
    package var record: PlayerRecord?
    /// A connection to the sound server, already begun, for what plays first.
    package var soundServer: (any SoundServer)?
    /// The store of positions in long files; nil for none.
    package var fileMemory: (any FileMemory)?
    /// Remembers how loud files without ReplayGain tags are; nil if nothing does.
    package var loudnessMemory: (any LoudnessMemory)?
    /// The way to the network; nil if there is none.
    package var network: (any NetworkStreams)?
    /// The narrowest sample format of a stream. `float32` is for queues to which anything may be
    /// added later, so that its samples need no other stream.
    package var leastSampleFormat = SampleFormat.int16
    /// The clock that the session uses.
    package var clock: any HostClock = SystemClock()
    /// The session's category; for a music player, `playback`.
    public var category: SessionCategory
    /// The declared background modes.
    public var declaration: Declaration
    /// The host's initial state.
    public var applicationState: ApplicationState
    /// Its source, as reported in events: `terminal`, `option` or `none`.
    public var applicationStateSource: String

    /// Creates a configuration: an active host that has declared nothing, playing on the user's
    /// sound server.
    public init(
        output: OutputDestination = .pulse(server: nil, device: nil), interval: CMTime? = nil,
        boundaries: [CMTime] = [], settings: PlayerSettings = PlayerSettings(),
        endsWithQueue: Bool = true, indexFolder: String? = nil,
        category: SessionCategory = .playback, declaration: Declaration = Declaration(),
        applicationState: ApplicationState = .active, applicationStateSource: String = "none"
    ) {
        self.output = output
        self.interval = interval
        self.boundaries = boundaries
        self.settings = settings
        self.endsWithQueue = endsWithQueue
        self.indexFolder = indexFolder
        self.category = category
        self.declaration = declaration
        self.applicationState = applicationState
        self.applicationStateSource = applicationStateSource
    }

    var description: SessionDescription {
        var description = SessionDescription(
            version: AudioSession.version, output: output.name, interval: interval,
            category: category)
        description.declare(declaration)
        return description
    }
}

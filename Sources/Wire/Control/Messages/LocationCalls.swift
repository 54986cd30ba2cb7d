public import UndersongBase
public import UndersongLocation
import UndersongPlayback

/// Shows and changes what the service does with places: updates, watched places, rules, replays.
public struct LocationCall: ControlCall, Hashable {
    /// What to do.
    public enum Action: String, Codable, Sendable {
        /// Return the state.
        case status
        /// Begin updates.
        case start
        /// End updates.
        case stop
        /// Set `authorization`.
        case authorize
        /// Set `accuracy`, or `background`, or both.
        case accuracy
        /// Set `distance`.
        case filter
        /// Set `source`, with `host` and `port` for gpsd.
        case source
        /// Return the newest fixes.
        case track
        /// Set whether fixes are kept on the disk (`keep`).
        case keep
        /// Replay the track that came as a descriptor, at `speed`; without one, end a replay.
        case replay
        /// Watch the place `place`, in place of one with its name.
        case addPlace = "place.add"
        /// Stop watching a place, and remove its rules.
        case removePlace = "place.remove"
        /// Do `command` on an `event` at a place, in place of what was done there.
        case addRule = "rule.add"
        /// Do nothing more on an `event` at a place.
        case removeRule = "rule.remove"
    }

    /// The reply; which members it has depends on the action.
    public struct Reply: Codable, Hashable, Sendable {
        /// The state, after what was done.
        public var state: LocationState?
        /// For `track`, the newest fixes, the newest last.
        public var fixes: [MeasuredLocation]?
        /// For `track` with `gpx`, the same as a file.
        public var gpx: String?

        /// Creates a reply.
        public init(
            state: LocationState? = nil, fixes: [MeasuredLocation]? = nil, gpx: String? = nil
        ) {
            self.state = state
            self.fixes = fixes
            self.gpx = gpx
        }
    }

    /// The name of the method.
    public static let method = "location"
    /// What to do.
    public var action: Action
    /// `notDetermined`, `never`, `whenInUse` or `always`.
    public var authorization: String?
    /// How exact fixes should be: see `LocationState.accuracy`.
    public var accuracy: String?
    /// The same while the host is in the background; `same` for no difference.
    public var background: String?
    /// Meters of movement below which there is no new fix; 0 for all fixes.
    public var distance: Double?
    /// `geoclue` or `gpsd`.
    public var source: String?
    /// The machine of gpsd; nil for this one.
    public var host: String?
    /// The port of gpsd; nil for 2947.
    public var port: Int?
    /// Whether fixes are kept on the disk.
    public var keep: Bool?
    /// For `track`, whether the reply has a file of GPX instead of `fixes`.
    public var gpx: Bool?
    /// The name of the replayed file, for display.
    public var name: String?
    /// Seconds of the track per second; nil for 1.
    public var speed: Double?
    /// The place of `place.add`.
    public var place: LocationState.Place?
    /// The name of the place to remove, or of a rule.
    public var placeName: String?
    /// `enter` or `exit`.
    public var event: String?
    /// `pause`, `resume`, `load` or `volume`.
    public var command: String?
    /// The name of the queue to load, or the volume.
    public var value: String?

    /// Creates a request.
    public init(_ action: Action) { self.action = action }
}

/// What the service does with places.
public struct LocationState: Codable, Hashable, Sendable {
    /// A place that is watched.
    public struct Place: Codable, Hashable, Sendable {
        /// Its name.
        public var name: String
        /// Degrees north of its center; nil in a request for where the machine is.
        public var latitude: Double?
        /// Degrees east of its center.
        public var longitude: Double?
        /// Its radius in meters.
        public var radius: Double
        /// `inside`, `outside` or `unknown`.
        public var state: String?

        /// Creates a place.
        public init(
            name: String, latitude: Double?, longitude: Double?, radius: Double,
            state: String? = nil
        ) {
            self.name = name
            self.latitude = latitude
            self.longitude = longitude
            self.radius = radius
            self.state = state
        }
    }

    /// What is done when a place is entered or left.
    public struct Rule: Codable, Hashable, Sendable {
        /// `enter` or `exit`.
        public var event: String
        /// The place's name.
        public var place: String
        /// `pause`, `resume`, `load` or `volume`.
        public var command: String
        /// The name of the queue to load, or the volume.
        public var value: String?

        /// Creates a rule.
        public init(event: String, place: String, command: String, value: String? = nil) {
            self.event = event
            self.place = place
            self.command = command
            self.value = value
        }
    }

    /// A replay.
    public struct Replay: Codable, Hashable, Sendable {
        /// The name of the file.
        public var name: String
        /// Seconds of the track per second.
        public var speed: Double
        /// How many fixes have come.
        public var done: Int
        /// How many there are.
        public var count: Int
        /// How many points or sentences of the file were left out.
        public var skipped: Int
        /// The seconds from the first fix to the last, of the track.
        public var duration: Double

        /// Creates a replay.
        public init(
            name: String, speed: Double, done: Int, count: Int, skipped: Int, duration: Double
        ) {
            self.name = name
            self.speed = speed
            self.done = done
            self.count = count
            self.skipped = skipped
            self.duration = duration
        }
    }

    /// Whether updates were begun, and not ended.
    public var updating: Bool
    /// `notDetermined`, `denied`, `whenInUse` or `always`.
    public var authorization: String
    /// Whether the mode `location` is declared.
    public var declared: Bool
    /// `bestForNavigation`, `best`, `10m`, `100m`, `1km` or `3km`.
    public var accuracy: String
    /// The same while the host is in the background; nil for no difference.
    public var backgroundAccuracy: String?
    /// Meters of movement below which there is no new fix; 0 for all fixes.
    public var filter: Double
    /// `geoclue`, `gpsd HOST:PORT`, or `replay`.
    public var source: String
    /// `closed`, `searching`, `available`, `unavailable` or `denied`.
    public var sourceState: String
    /// Why the source is closed, or cannot measure; nil if it does.
    public var because: String?
    /// The newest fix; nil if there is none.
    public var last: MeasuredLocation?
    /// The seconds since that has arrived.
    public var age: Double?
    /// Whether fixes are kept on the disk.
    public var keeps: Bool
    /// How many of the newest fixes there are.
    public var fixes: Int
    /// How many fixes were not believed, by the reason.
    public var refused: [String: Int]?
    /// The replay that is under way.
    public var replay: Replay?
    /// The places that are watched, by name.
    public var places: [Place]
    /// What is done there.
    public var rules: [Rule]

    /// Creates a state.
    public init(
        updating: Bool, authorization: String, declared: Bool, accuracy: String, filter: Double,
        source: String, sourceState: String, keeps: Bool, fixes: Int, places: [Place] = [],
        rules: [Rule] = []
    ) {
        self.updating = updating
        self.authorization = authorization
        self.declared = declared
        self.accuracy = accuracy
        self.filter = filter
        self.source = source
        self.sourceState = sourceState
        self.keeps = keeps
        self.fixes = fixes
        self.places = places
        self.rules = rules
    }
}

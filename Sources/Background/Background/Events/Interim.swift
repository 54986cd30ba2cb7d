public import UndersongLocation
public import UndersongPlayback
/// What becomes of a background fetch, refresh or processing task.
public struct RefreshEvent: Codable, Equatable, Sendable {
    /// `scheduled`, `refused`, `began`, `expired` or `ended`.
    public var phase: String
    /// The identifier of the task.
    public var identifier: String
    /// The number of the run.
    public var task: Int?
    /// Why it runs: `schedule`, `push`, `simulate`, `foreground`, `command`.
    public var cause: String?
    /// `newData`, `noData`, `done`, `failed` or `overran`.
    public var result: String?
    /// How much is new.
    public var new: Int?
    /// How long it took, in seconds.
    public var seconds: Double?
    /// When it is due next, in seconds since 1970, if nothing has to change first.
    public var next: Double?
    /// What stands against it.
    public var because: String?

    /// Creates an event.
    public init(phase: String, identifier: String) {
        self.phase = phase
        self.identifier = identifier
    }
}
/// What has become of an episode of a podcast.
public struct EpisodeReport: Codable, Hashable, Sendable {
    /// The episode.
    public var episode: Int
    /// The feed.
    public var feed: Int
    /// The podcast's title, or the feed's URL.
    public var podcast: String
    /// The episode's title.
    public var title: String
    /// What has happened: `available` when it was found, `wanted` when its download begins,
    /// `downloaded`, `failed`, `removed` or `notPlayable`.
    public var state: String
    /// The absolute path of the file: where it is to be, or where it is.
    public var path: String?
    /// Why it could not be downloaded.
    public var reason: String?

    private enum CodingKeys: String, CodingKey {
        case episode, feed, podcast, title, path
        case state = "phase"
        case reason = "problem"
    }

    /// Creates a report.
    public init(
        episode: Int, feed: Int, podcast: String, title: String, state: String,
        path: String? = nil, reason: String? = nil
    ) {
        self.episode = episode
        self.feed = feed
        self.podcast = podcast
        self.title = title
        self.state = state
        self.path = path
        self.reason = reason
    }
}

/// Where the machine is, or why nobody knows.
public struct LocationEvent: Codable, Hashable, Sendable {
    /// Where it is; nil if there is no fix.
    public var location: MeasuredLocation?
    /// Why there is no fix, as a clause.
    public var problem: String?

    private enum CodingKeys: CodingKey { case lat, lon, accuracy, altitude, speed, course, time, problem }
    public init(from decoder: any Decoder) throws {
        let m = try decoder.container(keyedBy: CodingKeys.self)
        problem = try m.decodeIfPresent(String.self, forKey: .problem)
        guard problem == nil else { return }
        location = MeasuredLocation(
            latitude: try m.decode(Double.self, forKey: .lat), longitude: try m.decode(Double.self, forKey: .lon),
            accuracy: try m.decode(Double.self, forKey: .accuracy), altitude: try m.decodeIfPresent(Double.self, forKey: .altitude),
            speed: try m.decodeIfPresent(Double.self, forKey: .speed), course: try m.decodeIfPresent(Double.self, forKey: .course), time: try m.decode(Double.self, forKey: .time))
    }
    public func encode(to encoder: any Encoder) throws {
        var m = encoder.container(keyedBy: CodingKeys.self)
        try m.encodeIfPresent(problem, forKey: .problem)
        guard let l = location else { return }
        try m.encode(l.latitude, forKey: .lat)
        try m.encode(l.longitude, forKey: .lon)
        try m.encode(l.accuracy, forKey: .accuracy)
        try m.encodeIfPresent(l.altitude, forKey: .altitude)
        try m.encodeIfPresent(l.speed, forKey: .speed)
        try m.encodeIfPresent(l.course, forKey: .course)
        try m.encode(l.time, forKey: .time)
    }

    /// Creates an event with a fix.
    public init(_ location: MeasuredLocation) { self.location = location }

    /// Creates an event without a fix.
    public init(problem: String) { self.problem = problem }
}

/// The machine has entered a place that is watched, or left it.
public struct PlaceEvent: Codable, Hashable, Sendable {
    /// The place's name.
    public var place: String
    /// `entered` or `exited`; `determined` when it is known for the first time where the machine is.
    public var phase: String
    /// `inside` or `outside`.
    public var state: String

    private enum CodingKeys: String, CodingKey { case place = "region", phase, state = "side" }

    /// Creates an event.
    public init(place: String, phase: String, state: String) {
        self.place = place
        self.phase = phase
        self.state = state
    }
}

/// A stay at a place has begun, or is over.
public struct VisitEvent: Codable, Hashable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// The radius in meters within which the place is.
    public var accuracy: Double
    /// When it began, in seconds since 1970 by the source's clock.
    public var arrival: Double
    /// When it ended; nil while it lasts.
    public var departure: Double?

    private enum CodingKeys: String, CodingKey { case latitude = "lat", longitude = "lon", accuracy, arrival, departure }

    /// Creates an event.
    public init(
        latitude: Double, longitude: Double, accuracy: Double, arrival: Double,
        departure: Double? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.arrival = arrival
        self.departure = departure
    }
}
/// When playback stops by itself; empty if it does not.
public struct SleepReport: Codable, Hashable, Sendable {
    /// When the sleep timer ends, in seconds since 1970; nil if none is running.
    public var time: Double?
    /// The seconds until then; nil in events.
    public var remaining: Double?
    /// The length of the fade before that, in seconds.
    public var fade: Double?
    /// Whether the fade is running.
    public var fading: Bool?
    /// What playback stops after.
    public var after: StopCondition?

    /// Creates a report.
    public init(
        time: Double? = nil, remaining: Double? = nil, fade: Double? = nil, fading: Bool? = nil,
        after: StopCondition? = nil
    ) {
        self.time = time
        self.remaining = remaining
        self.fade = fade
        self.fading = fading
        self.after = after
    }
}
    /// The settings, with those that concern the play order in `modes`.
    @dynamicMemberLookup
    public struct SettingsEvent: Hashable, Sendable {
        private var fields: [String: SettingValue] = [:]
        private var modes: [String: SettingValue] = [:]

        package init(_ settings: PlayerSettings) {
            for row in SettingTable.rows {
                guard let name = row.name else { continue }
                if row.names.isMode {
                    modes[name] = row.value(in: settings)
                } else {
                    fields[name] = row.value(in: settings)
                }
            }
            modes["stopAfter"] = (settings.modes.stopCondition?.rawValue).map { .text($0) }
        }

        /// The value of a setting.
        public subscript<Value>(
            dynamicMember setting: KeyPath<SettingTable, Setting<Value>>
        ) -> Value? {
            let name = SettingTable.standard[keyPath: setting].name
            return (fields[name] ?? modes[name]).flatMap { Value($0) }
        }

        /// What playback stops after: an item, a chapter or the queue; nil if it does not.
        package var stopAfter: String? { modes["stopAfter"].flatMap { String($0) } }
    }
extension SettingsEvent: Codable {
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: SettingName.self)
        let key = SettingName(stringValue: "modes")
        let modes = try members.nestedContainer(keyedBy: SettingName.self, forKey: key)
        for row in SettingTable.rows {
            guard let name = row.name else { continue }
            let key = SettingName(stringValue: name)
            if row.names.isMode {
                self.modes[name] = try modes.value(forKey: key)
            } else {
                fields[name] = try members.value(forKey: key)
            }
        }
        self.modes["stopAfter"] = try modes.value(forKey: SettingName(stringValue: "stopAfter"))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: SettingName.self)
        for (name, value) in fields {
            try members.encode(value, forKey: SettingName(stringValue: name))
        }
        var nested = members.nestedContainer(
            keyedBy: SettingName.self, forKey: SettingName(stringValue: "modes"))
        for (name, value) in modes {
            try nested.encode(value, forKey: SettingName(stringValue: name))
        }
    }
}

extension KeyedDecodingContainer<SettingName> {
    /// A value of its own type; nil if there is none.
    fileprivate func value(forKey key: SettingName) throws -> SettingValue? {
        if let isOn = try? decode(Bool.self, forKey: key) { return .flag(isOn) }
        if let number = try? decode(Double.self, forKey: key) { return .number(number) }
        return try decodeIfPresent(String.self, forKey: key).map { .text($0) }
    }
}

private struct SettingName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
extension PushReport.Phase: Codable {}
extension PushResult: Codable {}
extension PushReport: Codable {
    private enum CodingKeys: CodingKey { case phase, push, topic, because, result }
    public init(from decoder: any Decoder) throws {
        let m = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try m.decode(Phase.self, forKey: .phase), try m.decodeIfPresent(Int.self, forKey: .push),
            topic: try m.decode(String.self, forKey: .topic), because: try m.decodeIfPresent(String.self, forKey: .because),
            result: try m.decodeIfPresent(PushResult.self, forKey: .result))
    }
    public func encode(to encoder: any Encoder) throws {
        var m = encoder.container(keyedBy: CodingKeys.self)
        try m.encode(phase, forKey: .phase)
        try m.encodeIfPresent(number, forKey: .push)
        try m.encode(topic, forKey: .topic)
        try m.encodeIfPresent(because, forKey: .because)
        try m.encodeIfPresent(result, forKey: .result)
    }
}

public import UndersongBase

/// Hands over the regions of a program: `undersong-transferd` watches them while the program does not
/// run, and starts it when one of them is entered or left. Each call takes the place of the program's
/// last one; no regions end that. A program runs as long as the connection of its last call.
public struct WatchRegions: ControlCall, Hashable {
    /// A circle on the Earth, and where the machine is.
    public struct Region: Codable, Hashable, Sendable {
        /// Its name, one for each region of the program.
        public var identifier: String
        /// Degrees north of its center.
        public var latitude: Double
        /// Degrees east of its center.
        public var longitude: Double
        /// In meters.
        public var radius: Double
        /// Whether the program is started when it is entered.
        public var notifiesOnEntry: Bool
        /// Whether the program is started when it is left.
        public var notifiesOnExit: Bool
        /// `inside`, `outside` or `unknown`: what the program knows.
        public var state: String

        /// Creates a region.
        public init(
            identifier: String, latitude: Double, longitude: Double, radius: Double,
            notifiesOnEntry: Bool, notifiesOnExit: Bool, state: String
        ) {
            self.identifier = identifier
            self.latitude = latitude
            self.longitude = longitude
            self.radius = radius
            self.notifiesOnEntry = notifiesOnEntry
            self.notifiesOnExit = notifiesOnExit
            self.state = state
        }
    }

    /// What measures where the machine is.
    public struct Source: Codable, Hashable, Sendable {
        /// The machine of gpsd; nil for GeoClue.
        public var host: String?
        /// The port of gpsd.
        public var port: Int?

        /// Creates a source: GeoClue, or gpsd.
        public init(host: String? = nil, port: Int? = nil) {
            self.host = host
            self.port = port
        }
    }

    /// What has happened while the program did not run.
    public struct Reply: Codable, Hashable, Sendable {
        /// The regions whose state has changed, with the new one.
        public var changed: [Region]

        /// Creates a reply.
        public init(changed: [Region]) { self.changed = changed }
    }

    /// The name of the method.
    public static let method = "regions.watch"
    /// The program's name, by which GeoClue knows it, too.
    public var program: String
    /// The absolute path of the program, and its arguments.
    public var launch: [String]
    /// What measures where the machine is.
    public var source: Source
    /// The regions.
    public var regions: [Region]

    /// Creates a request.
    public init(program: String, launch: [String], source: Source, regions: [Region]) {
        self.program = program
        self.launch = launch
        self.source = source
        self.regions = regions
    }
}

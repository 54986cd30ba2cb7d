public import UndersongBase

/// Has positions of a gpsd reported by `GPSChanged` until it is closed, or the connection ends.
/// Answered by `undersong-transferd`.
public struct OpenGPS: ControlCall, Hashable {
    /// The new watch.
    public struct Reply: Codable, Hashable, Sendable {
        /// Identifies it; never reused.
        public var id: Int

        /// Creates a reply.
        public init(id: Int) { self.id = id }
    }

    /// The name of the method.
    public static let method = "gps.open"
    /// The port of gpsd.
    public static let standardPort = 2947
    /// The name or the address of gpsd's machine.
    public var host: String
    /// Its port, 1 to 65535.
    public var port: Int

    /// Creates a request.
    public init(host: String, port: Int = standardPort) {
        self.host = host
        self.port = port
    }
}

/// Ends a watch; its connection to gpsd is closed at once.
public struct CloseGPS: ControlCall, Hashable {
    /// An empty reply.
    public typealias Reply = Nothing
    /// The name of the method.
    public static let method = "gps.close"
    /// The watch.
    public var id: Int

    /// Creates a request.
    public init(id: Int) { self.id = id }
}

/// Something new of a gpsd that is watched.
public struct GPSChanged: ControlNotice, Hashable {
    /// A position.
    public struct Fix: Codable, Hashable, Sendable {
        /// When it was, in gpsd's words: `2026-11-22T20:59:15.000Z`; nil if the receiver does not
        /// say.
        public var time: String?
        /// Degrees north.
        public var latitude: Double
        /// Degrees east.
        public var longitude: Double
        /// Meters above the sea; nil if unknown.
        public var altitude: Double?
        /// Meters per second; nil if unknown.
        public var speed: Double?
        /// Degrees clockwise from true north; nil if unknown.
        public var course: Double?
        /// The radius in meters within which the position is with a probability of 95 %; nil if
        /// unknown.
        public var horizontalError: Double?
        /// The same of the altitude.
        public var verticalError: Double?

        /// Creates a position.
        public init(time: String?, latitude: Double, longitude: Double) {
            self.time = time
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// The name of the method.
    public static let method = "gps.changed"
    /// The watch.
    public var id: Int
    /// The newest position; nil if there is none.
    public var fix: Fix?
    /// Why there is no position.
    public var reason: String?
    /// The seconds until gpsd, which does not answer, is tried again; nil if it answers.
    public var retry: Double?

    /// Creates a notice.
    public init(id: Int, fix: Fix? = nil, reason: String? = nil, retry: Double? = nil) {
        self.id = id
        self.fix = fix
        self.reason = reason
        self.retry = retry
    }
}

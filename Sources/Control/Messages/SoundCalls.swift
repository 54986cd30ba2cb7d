/// What is known of the sound server and its devices.
public struct Outputs: Codable, Hashable, Sendable {
    /// A device that plays.
    public struct Device: Codable, Hashable, Sendable {
        /// What it is known by, also after the server has begun anew.
        public var name: String
        /// The name for people.
        public var description: String
        /// What it sounds from, in Apple's words: `Speaker`, `Headphones` ...
        public var port: String
        /// Whether something is plugged in there, as far as the device knows.
        public var isAvailable: Bool
        /// Whether it sleeps.
        public var isSuspended: Bool
        /// Its own loudness in percent, 0 to 100; 0 while it is muted.
        public var volume: Double
        /// Whether it is silent whatever its loudness.
        public var isMuted: Bool?
        /// Whether it is played on where no device is chosen.
        public var isDefault: Bool
        /// Whether this session plays on it, or would.
        public var isCurrent: Bool

        /// Makes a device.
        public init(
            name: String, description: String, port: String, isAvailable: Bool, isSuspended: Bool,
            volume: Double, isMuted: Bool? = nil, isDefault: Bool, isCurrent: Bool
        ) {
            self.name = name
            self.description = description
            self.port = port
            self.isAvailable = isAvailable
            self.isSuspended = isSuspended
            self.volume = volume
            self.isMuted = isMuted
            self.isDefault = isDefault
            self.isCurrent = isCurrent
        }
    }

    /// The server's name and version; nil: none has answered yet.
    public var server: String?
    /// Whether no server answers.
    public var isLost: Bool
    /// Why none does.
    public var lostReason: String?
    /// The device that is played on, or would be; nil: there is none.
    public var current: Device?
    /// The name of the device to play on; nil: the default one.
    public var chosen: String?
    /// All devices, in the server's order.
    public var devices: [Device]

    /// Makes an answer.
    public init(
        server: String?, lostReason: String?, current: Device?, chosen: String?, devices: [Device]
    ) {
        self.server = server
        isLost = lostReason != nil
        self.lostReason = lostReason
        self.current = current
        self.chosen = chosen
        self.devices = devices
    }
}

/// Asks what there is to play on.
public struct GetOutputs: ControlCall {
    /// It all.
    public typealias Reply = Outputs
    /// What it is called on the wire.
    public static let method = "outputs"

    /// Asks.
    public init() {}
}

/// Plays on another device from now on, which is remembered. Where no server answers, the name is
/// taken as it is.
public struct SetOutput: ControlCall {
    /// What there is behind that.
    public typealias Reply = Outputs
    /// What it is called on the wire.
    public static let method = "output"
    /// The device by its name; nil: the default one.
    public var device: String?

    /// Asks for it.
    public init(device: String?) { self.device = device }
}

/// Begins or ends an interruption, as a call would.
public struct Interrupt: ControlCall {
    /// What came of it.
    public typealias Reply = Status
    /// What it is called on the wire.
    public static let method = "interrupt"
    /// Whether it begins; else it ends.
    public var begin: Bool
    /// At the end: whether playing may go on by itself.
    public var shouldResume: Bool

    /// Asks for it.
    public init(begin: Bool, shouldResume: Bool = false) {
        self.begin = begin
        self.shouldResume = shouldResume
    }
}

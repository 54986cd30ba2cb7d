public import UndersongBase
import UndersongPlayback

/// The sound server and its devices.
public struct Outputs: Codable, Hashable, Sendable {
    /// An output device.
    public struct Device: Codable, Hashable, Sendable {
        /// The device's name, which stays the same when the server restarts.
        public var name: String
        /// The name for display.
        public var description: String
        /// The kind of port, named as by Apple: `Speaker`, `Headphones` ...
        public var port: String
        /// True if something is plugged in, as far as the device can detect.
        public var isAvailable: Bool
        /// True if the device is suspended.
        public var isSuspended: Bool
        /// The device's own volume in percent as mixers show it, 0 to 100; 0 while it is muted.
        public var volume: Double
        /// True if the device is muted, whatever its volume.
        public var isMuted: Bool?
        /// True if this is the default device.
        public var isDefault: Bool
        /// True if this session plays on the device, or would.
        public var isCurrent: Bool

        /// Creates a device.
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

    /// The server's name and version; nil if none has answered yet.
    public var server: String?
    /// True if no server answers.
    public var isLost: Bool
    /// The reason no server answers.
    public var lostReason: String?
    /// The device in use, or to be used; nil if there is none.
    public var current: Device?
    /// The name of the chosen device; nil for the default one.
    public var chosen: String?
    /// All devices, in the server's order.
    public var devices: [Device]

    /// Creates outputs from the devices of a server.
    package init(
        server: String?, lostReason: String?, devices: [OutputDevice], defaultDevice: String?,
        current: OutputDevice?, chosen: String?
    ) {
        let shown = { (device: OutputDevice) in
            Device(
                name: device.name, description: device.description, port: device.port.rawValue,
                isAvailable: device.isAvailable, isSuspended: device.isSuspended,
                volume: (Double(device.volume).cubeRoot * 1000).rounded() / 10,
                isMuted: device.isMuted, isDefault: device.name == defaultDevice,
                isCurrent: device.name == current?.name)
        }
        self.init(
            server: server, lostReason: lostReason, current: current.map(shown), chosen: chosen,
            devices: devices.map(shown))
    }

    /// Creates outputs.
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

/// Requests the sound server and its devices.
public struct GetOutputs: ControlCall {
    /// The sound server and its devices.
    public typealias Reply = Outputs
    /// The name of the method.
    public static let method = "output.list"

    /// Creates a request.
    public init() {}
}

/// Chooses and remembers an output device. If no server answers, the name is not checked.
public struct SetOutput: ControlCall {
    /// The outputs, once the sound is on the device.
    public typealias Reply = Outputs
    /// The name of the method.
    public static let method = "output.set"
    /// The name of the device; nil for the default one.
    public var device: String?

    /// Creates a request.
    public init(device: String?) { self.device = device }
}

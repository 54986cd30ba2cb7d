/// The kinds of outputs, named after `AVAudioSession.Port` (behaviour 2.5).
public enum OutputPort: String, Codable, Hashable, Sendable, CaseIterable {
    /// A speaker built into the machine.
    case builtInSpeaker = "Speaker"
    /// Wired headphones or a wired headset.
    case headphones = "Headphones"
    /// A line output for other equipment.
    case lineOut = "LineOut"
    /// A screen or receiver on HDMI.
    case hdmi = "HDMIOutput"
    /// A screen on DisplayPort.
    case displayPort = "DisplayPort"
    /// Bluetooth stereo.
    case bluetoothA2DP = "BluetoothA2DPOutput"
    /// A Bluetooth hands-free device.
    case bluetoothHFP = "BluetoothHFP"
    /// A USB device.
    case usbAudio = "USBAudio"
    /// A receiver in the network.
    case airPlay = "AirPlay"
    /// A sound card of which nothing else is known.
    case pci = "PCI"
    /// A virtual device.
    case virtual = "Virtual"
}

/// An output device of the sound server; PulseAudio calls it a sink.
public struct OutputDevice: Hashable, Sendable {
    /// The identifier, which survives restarts of the server: `alsa_output.pci-0000_00_1f.3`.
    public var name: String
    /// The name to show to people.
    public var description: String
    /// The kind of output.
    public var port: OutputPort
    /// The server's number for it, which changes with each start of the server.
    package var index: UInt32
    /// The server's name for the port in use; nil if it has none.
    package var portName: String?
    /// True if something is plugged in, as far as the device can detect.
    public var isAvailable: Bool
    /// True if the server has suspended it, so that nothing is heard on it.
    public var isSuspended: Bool
    /// The own volume, 0 to 1, which scales every stream on it; 0 while it is muted.
    public var volume: Float
    /// True if it is muted, whatever its volume.
    public var isMuted: Bool
    /// Frames per second.
    public var sampleRate: Int
    /// The number of channels.
    public var channelCount: Int

    /// True if the server made it up because there is no other device: it cannot be heard.
    package var isPlaceholder: Bool { name == "auto_null" }

    /// Creates a device that is available, awake and at full volume.
    package init(
        name: String, description: String? = nil, port: OutputPort = .virtual, index: UInt32,
        portName: String? = nil, isAvailable: Bool = true, isSuspended: Bool = false,
        volume: Float = 1, isMuted: Bool = false, sampleRate: Int = 44100, channelCount: Int = 2
    ) {
        self.name = name
        self.description = description ?? name
        self.port = port
        self.index = index
        self.portName = portName
        self.isAvailable = isAvailable
        self.isSuspended = isSuspended
        self.volume = volume
        self.isMuted = isMuted
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }
}

extension OutputDevice: Codable {
    private enum CodingKeys: CodingKey { case name, description, port }

    /// Decodes a device as events describe it.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let port = OutputPort(rawValue: try members.decode(String.self, forKey: .port))
        self.init(
            name: try members.decode(String.self, forKey: .name),
            description: try members.decode(String.self, forKey: .description),
            port: port ?? .virtual, index: 0)
    }

    /// Encodes the device's name, description and port.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .name)
        try members.encode(description, forKey: .description)
        try members.encode(port, forKey: .port)
    }
}

/// What a sound comes out of, with Apple's words for `AVAudioSession.Port` (behaviour 2.5).
public enum OutputPort: String, Hashable, Sendable, CaseIterable {
    /// A speaker that is part of the machine.
    case builtInSpeaker = "Speaker"
    /// Headphones or a headset on a wire.
    case headphones = "Headphones"
    /// A socket for other equipment.
    case lineOut = "LineOut"
    /// A screen or receiver by HDMI.
    case hdmi = "HDMIOutput"
    /// A screen by DisplayPort.
    case displayPort = "DisplayPort"
    /// Stereo by Bluetooth.
    case bluetoothA2DP = "BluetoothA2DPOutput"
    /// A hands-free device by Bluetooth.
    case bluetoothHFP = "BluetoothHFP"
    /// A device by USB.
    case usbAudio = "USBAudio"
    /// A receiver in the network.
    case airPlay = "AirPlay"
    /// A card of which no more is known.
    case pci = "PCI"
    /// Something made of software.
    case virtual = "Virtual"
}

/// A device of the sound server that plays; PulseAudio calls it a sink.
public struct OutputDevice: Hashable, Sendable {
    /// What it is known by, also after the server has begun anew: `alsa_output.pci-0000_00_1f.3`.
    public var name: String
    /// The name for people.
    public var description: String
    /// What it sounds from.
    public var port: OutputPort
    /// The server's number for it, which is another after each start.
    package var index: UInt32
    /// The server's name for the port in use; nil: it has none.
    package var portName: String?
    /// Whether something is plugged in there, as far as the device knows.
    public var isAvailable: Bool
    /// Whether it is put to sleep: nothing sounds on it until it is woken.
    public var isSuspended: Bool
    /// Its own volume, 0 to 1, by which every stream on it is scaled; 0 while it is muted.
    public var volume: Float
    /// Whether it is silent whatever its volume.
    public var isMuted: Bool
    /// Frames a second.
    public var sampleRate: Int
    /// Channels.
    public var channelCount: Int

    /// Whether the server has made it up, since it has no other: nobody hears it.
    package var isPlaceholder: Bool { name == "auto_null" }

    /// Makes a device that is there, awake and as loud as can be.
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

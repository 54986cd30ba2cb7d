public import Foundation

/// The inputs and outputs of the sound.
public final class AVAudioSessionRouteDescription: NSObject, Sendable {
    /// The inputs in use: empty unless a host reports any, since recording is not supported.
    public let inputs: [AVAudioSessionPortDescription]
    /// The outputs in use; empty if there are none.
    public let outputs: [AVAudioSessionPortDescription]

    /// Makes a route. An addition to Apple's API, for hosts and tests.
    public init(
        inputs: [AVAudioSessionPortDescription] = [], outputs: [AVAudioSessionPortDescription]
    ) {
        self.inputs = inputs
        self.outputs = outputs
    }

    public override var description: String {
        let names = { (ports: [AVAudioSessionPortDescription]) in
            ports.map(\.description).joined(separator: ", ")
        }
        return "<AVAudioSessionRouteDescription: inputs = (\(names(inputs))); "
            + "outputs = (\(names(outputs)))>"
    }
}

/// One device or connector of a route.
public final class AVAudioSessionPortDescription: NSObject, Sendable {
    /// The type of the port.
    public let portType: AVAudioSession.Port
    /// The name to display.
    public let portName: String
    /// The unique name: the sound server's name of the sink.
    public let uid: String

    /// Makes a port. An addition to Apple's API, for hosts and tests.
    public init(portType: AVAudioSession.Port, portName: String, uid: String) {
        self.portType = portType
        self.portName = portName
        self.uid = uid
    }

    public override var description: String {
        "<AVAudioSessionPortDescription: type = \(portType.rawValue); name = \(portName); "
            + "UID = \(uid)>"
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioSessionPortDescription else { return false }
        return portType == other.portType && portName == other.portName && uid == other.uid
    }

    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(portType)
        hasher.combine(uid)
        return hasher.finalize()
    }
}

extension AVAudioSession {
    /// The type of a port.
    public struct Port: RawRepresentable, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: String

        /// Makes a type of any value.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A line input.
        public static let lineIn = Port(rawValue: "LineIn")
        /// A built-in microphone.
        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        /// The microphone of a wired headset.
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        /// A line output.
        public static let lineOut = Port(rawValue: "LineOut")
        /// Headphones or a headset.
        public static let headphones = Port(rawValue: "Headphones")
        /// Stereo Bluetooth.
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        /// An earpiece.
        public static let builtInReceiver = Port(rawValue: "Receiver")
        /// A built-in speaker.
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        // swift-format-ignore: AlwaysUseLowerCamelCase
        /// An HDMI output.
        public static let HDMI = Port(rawValue: "HDMIOutput")
        /// A network speaker.
        public static let airPlay = Port(rawValue: "AirPlay")
        /// Bluetooth Low Energy.
        public static let bluetoothLE = Port(rawValue: "BluetoothLE")
        /// A Bluetooth hands-free device.
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        /// A USB device.
        public static let usbAudio = Port(rawValue: "USBAudio")
        /// A car's audio system.
        public static let carAudio = Port(rawValue: "CarAudio")
        /// A port without hardware.
        public static let virtual = Port(rawValue: "Virtual")
        // swift-format-ignore: AlwaysUseLowerCamelCase
        /// A PCI card.
        public static let PCI = Port(rawValue: "PCI")
        /// A FireWire device.
        public static let fireWire = Port(rawValue: "FireWire")
        /// A DisplayPort output.
        public static let displayPort = Port(rawValue: "DisplayPort")
        // swift-format-ignore: AlwaysUseLowerCamelCase
        /// Audio Video Bridging.
        public static let AVB = Port(rawValue: "AVB")
        /// A Thunderbolt device.
        public static let thunderbolt = Port(rawValue: "Thunderbolt")
    }
}

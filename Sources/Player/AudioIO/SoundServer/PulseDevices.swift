import CUndersongPulse
import UndersongBackground

extension OutputDevice {
    /// Creates a device from the server's information; nil if there is none.
    init?(_ info: pa_sink_info) {
        guard let name = unsafe info.name else { return nil }
        let port = unsafe info.active_port?.pointee
        var volume = unsafe info.volume
        let loudness = unsafe Float(pa_sw_volume_to_linear(pa_cvolume_avg(&volume)))
        unsafe self.init(
            name: String(cString: name),
            description: info.description.map { unsafe String(cString: $0) },
            port: OutputPort(info), index: info.index,
            portName: port?.name.map { unsafe String(cString: $0) },
            isAvailable: port?.available != Int32(PA_PORT_AVAILABLE_NO.rawValue),
            isSuspended: info.state == PA_SINK_SUSPENDED,
            volume: info.mute != 0 ? 0 : loudness, isMuted: info.mute != 0,
            sampleRate: Int(info.sample_spec.rate), channelCount: Int(info.sample_spec.channels))
    }
}

extension OutputPort {
    /// The kind of device by all that the server knows: its connection, the port in use, its form
    /// factor, and whether it is hardware at all.
    fileprivate init(_ info: pa_sink_info) {
        let bus = unsafe propertyText(info.proplist, PA_PROP_DEVICE_BUS)
        let api = unsafe propertyText(info.proplist, PA_PROP_DEVICE_API)
        if bus == "bluetooth" || api == "bluez" || api == "bluez5" {
            self = unsafe Self.isHandsFree(info) ? .bluetoothHFP : .bluetoothA2DP
        } else if bus == "usb" {
            self = .usbAudio
        } else if let port = unsafe info.active_port?.pointee, let known = unsafe Self(port) {
            self = known
        } else if let known = unsafe Self(
            formFactor: propertyText(info.proplist, PA_PROP_DEVICE_FORM_FACTOR))
        {
            self = known
        } else if unsafe info.flags.rawValue & PA_SINK_NETWORK.rawValue != 0 {
            self = .airPlay
        } else {
            let isHardware = unsafe info.flags.rawValue & PA_SINK_HARDWARE.rawValue != 0
            self = isHardware && bus == "pci" || api == "alsa" ? .pci : .virtual
        }
    }

    private init?(_ port: pa_sink_port_info) {
        let name = unsafe port.name.map { unsafe String(cString: $0) } ?? ""
        if name.contains("displayport") {
            self = .displayPort
            return
        }
        switch unsafe pa_device_port_type_t(rawValue: port.type) {
        case PA_DEVICE_PORT_TYPE_SPEAKER, PA_DEVICE_PORT_TYPE_HANDSET, PA_DEVICE_PORT_TYPE_EARPIECE:
            self = .builtInSpeaker
        case PA_DEVICE_PORT_TYPE_HEADPHONES, PA_DEVICE_PORT_TYPE_HEADSET: self = .headphones
        case PA_DEVICE_PORT_TYPE_LINE, PA_DEVICE_PORT_TYPE_SPDIF, PA_DEVICE_PORT_TYPE_AUX,
            PA_DEVICE_PORT_TYPE_HIFI:
            self = .lineOut
        case PA_DEVICE_PORT_TYPE_HDMI, PA_DEVICE_PORT_TYPE_TV: self = .hdmi
        case PA_DEVICE_PORT_TYPE_USB: self = .usbAudio
        case PA_DEVICE_PORT_TYPE_BLUETOOTH, PA_DEVICE_PORT_TYPE_PORTABLE, PA_DEVICE_PORT_TYPE_CAR:
            self = .bluetoothA2DP
        case PA_DEVICE_PORT_TYPE_HANDSFREE: self = .bluetoothHFP
        case PA_DEVICE_PORT_TYPE_NETWORK: self = .airPlay
        default: return nil
        }
    }

    private init?(formFactor: String?) {
        switch formFactor {
        case "internal", "speaker", "handset": self = .builtInSpeaker
        case "headphone", "headset": self = .headphones
        case "tv": self = .hdmi
        case "hifi": self = .lineOut
        default: return nil
        }
    }

    /// True if a Bluetooth device uses the profile for calls. The two servers name it differently.
    private static func isHandsFree(_ info: pa_sink_info) -> Bool {
        let profile =
            unsafe propertyText(info.proplist, "bluetooth.protocol")
            ?? propertyText(info.proplist, "api.bluez5.profile") ?? ""
        return profile.hasPrefix("head") || profile.hasPrefix("hands") || profile.hasPrefix("hfp")
            || profile.hasPrefix("hsp")
    }
}

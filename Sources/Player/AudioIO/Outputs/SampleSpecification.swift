import CUndersongPulse
import UndersongPlayback

extension pa_sample_spec {
    /// The libpulse equivalent of `format`.
    init(_ format: StreamFormat) {
        self.init(
            format: format.sampleFormat == .int16 ? PA_SAMPLE_S16LE : PA_SAMPLE_FLOAT32LE,
            rate: UInt32(format.sampleRate), channels: UInt8(format.channelCount))
    }
}

/// Calls `body` with the channel map of `format`; nil for one or two channels, which need none.
func withMap<Result>(
    of format: StreamFormat, _ body: (UnsafePointer<pa_channel_map>?) -> Result
) -> Result {
    guard format.channelCount > 2 else { return body(nil) }
    var map = pa_channel_map()
    unsafe pa_channel_map_init(&map)
    map.channels = UInt8(format.channelCount)
    unsafe withUnsafeMutableBytes(of: &map.map) { bytes in
        let positions = unsafe bytes.bindMemory(to: pa_channel_position_t.self)
        for (index, speaker) in format.speakers.enumerated() {
            unsafe positions[index] = speaker.position
        }
    }
    return unsafe withUnsafePointer(to: map) { unsafe body($0) }
}

extension Speaker {
    fileprivate var position: pa_channel_position_t {
        switch self {
        case .frontLeft: PA_CHANNEL_POSITION_FRONT_LEFT
        case .frontRight: PA_CHANNEL_POSITION_FRONT_RIGHT
        case .frontCenter: PA_CHANNEL_POSITION_FRONT_CENTER
        case .lowFrequency: PA_CHANNEL_POSITION_LFE
        case .rearLeft: PA_CHANNEL_POSITION_REAR_LEFT
        case .rearRight: PA_CHANNEL_POSITION_REAR_RIGHT
        case .rearCenter: PA_CHANNEL_POSITION_REAR_CENTER
        case .sideLeft: PA_CHANNEL_POSITION_SIDE_LEFT
        case .sideRight: PA_CHANNEL_POSITION_SIDE_RIGHT
        }
    }
}

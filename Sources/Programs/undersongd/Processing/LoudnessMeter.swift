import CUndersongEBUR128
import UndersongPlayback

/// Measures the integrated loudness and the peaks of a decoded file (EBU R 128, ITU-R BS.1770).
///
/// Memory grows by some 3 MB for ten hours of sound. One thread at a time may use it.
@safe
struct LoudnessMeter: ~Copyable {
    private static let mode = Int32(
        EBUR128_MODE_I.rawValue | EBUR128_MODE_SAMPLE_PEAK.rawValue
            | EBUR128_MODE_TRUE_PEAK.rawValue)

    /// Nil until there are samples, and if there is no memory.
    private var state: UnsafeMutablePointer<ebur128_state>?
    private var format: StreamFormat?
    /// The peaks of what had another format.
    private var earlier = (truePeak: 0.0, samplePeak: 0.0)

    deinit {
        var state = unsafe state
        if unsafe state != nil { unsafe ebur128_destroy(&state) }
    }

    /// Measures the samples that follow the earlier ones.
    mutating func add(_ samples: SampleBuffer, _ format: StreamFormat) {
        guard !samples.isEmpty else { return }
        if format.sampleRate != self.format?.sampleRate
            || format.channelCount != self.format?.channelCount
        {
            change(to: format)
        }
        guard let state = unsafe state else { return }
        let count = samples.count / format.channelCount
        unsafe samples.withUnsafeBytes { bytes in
            _ =
                switch samples.format {
                case .int16:
                    unsafe ebur128_add_frames_short(
                        state, bytes.assumingMemoryBound(to: Int16.self).baseAddress, count)
                case .float32:
                    unsafe ebur128_add_frames_float(
                        state, bytes.assumingMemoryBound(to: Float.self).baseAddress, count)
                }
        }
    }

    /// The loudness of everything so far; nil if it is silent or shorter than 0.4 s.
    var loudness: MeasuredLoudness? {
        guard let state = unsafe state else { return nil }
        var integrated = 0.0
        guard unsafe ebur128_loudness_global(state, &integrated) == success, integrated.isFinite
        else { return nil }
        let peaks = peaks
        return MeasuredLoudness(
            integrated: integrated, truePeak: peaks.truePeak, samplePeak: peaks.samplePeak)
    }

    private let success = Int32(EBUR128_SUCCESS.rawValue)

    init() {}

    private var peaks: (truePeak: Double, samplePeak: Double) {
        var peaks = earlier
        guard let state = unsafe state else { return peaks }
        for channel in 0..<(unsafe state.pointee.channels) {
            var peak = 0.0
            if unsafe ebur128_true_peak(state, channel, &peak) == success {
                peaks.truePeak = max(peaks.truePeak, peak)
            }
            if unsafe ebur128_sample_peak(state, channel, &peak) == success {
                peaks.samplePeak = max(peaks.samplePeak, peak)
            }
        }
        return peaks
    }

    /// Continues with samples of another format.
    private mutating func change(to format: StreamFormat) {
        self.format = format
        let (channels, rate) = (UInt32(format.channelCount), UInt(format.sampleRate))
        if let state = unsafe state {
            // The library forgets the peaks with the channels.
            earlier = peaks
            let code = unsafe ebur128_change_parameters(state, channels, rate)
            if code == Int32(EBUR128_ERROR_NOMEM.rawValue) { return destroy() }
        } else {
            unsafe state = ebur128_init(channels, rate, Self.mode)
        }
        guard let state = unsafe state else { return }
        for (index, channel) in format.loudnessChannels.enumerated() {
            unsafe ebur128_set_channel(state, UInt32(index), Int32(channel.rawValue))
        }
    }

    /// The library destroys no state that is not there.
    private mutating func destroy() { if unsafe state != nil { unsafe ebur128_destroy(&state) } }
}

extension StreamFormat {
    /// The weight of each channel. Mono is heard from both front speakers.
    fileprivate var loudnessChannels: [channel] {
        if channelCount == 1 { return [EBUR128_DUAL_MONO] }
        let speakers = speakers
        return speakers.map { speaker in
            switch speaker {
            case .frontLeft: EBUR128_LEFT
            case .frontRight: EBUR128_RIGHT
            case .frontCenter: EBUR128_CENTER
            case .lowFrequency: EBUR128_UNUSED
            case .sideLeft: EBUR128_Mp090
            case .sideRight: EBUR128_Mm090
            case .rearCenter: EBUR128_Mp180
            // With speakers at the sides, these are at the back.
            case .rearLeft: speakers.contains(.sideLeft) ? EBUR128_Mp135 : EBUR128_LEFT_SURROUND
            case .rearRight: speakers.contains(.sideLeft) ? EBUR128_Mm135 : EBUR128_RIGHT_SURROUND
            }
        }
    }
}

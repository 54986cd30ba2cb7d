package import Playback
import Synchronization

/// What the output thread reports; the handler runs on the clock thread.
package enum OutputReport: Sendable {
    /// The output is silent; `frame` is the first one that was not heard. Clock readings of an
    /// earlier epoch say nothing any more.
    case held(frame: Int, epoch: Int)
    /// Everything was heard; `frame` is after the last one. More may follow.
    case finished(frame: Int)
    /// The output has failed; it is not tried again.
    case failed(OutputError)
    /// The output was lost, or cannot be opened; it is tried again at `retry`. `frame` is the first
    /// one that was not heard, as in `held`.
    case lost(OutputError, frame: Int, epoch: Int)
    /// It could not be opened once more.
    case stillLost(OutputError)
    /// The output works: it was opened, or answers after a long time.
    case works
    /// The stream's volume on the sound server is about to be set so.
    case settingVolume(StreamVolume.Change)
    /// The thread ends, after `stop`.
    case stopped
}

/// Commands the output thread. Any thread may call it; nothing here waits.
package final class OutputControl: Sendable {
    enum Command: UInt8 {
        /// Nothing has been asked yet.
        case idle
        case hold
        /// Hold, and give the device back.
        case release
        case run
        case stop
    }

    private let command = Atomic<UInt8>(Command.idle.rawValue)
    private let packedLoudness = Atomic<UInt64>(OutputControl.pack(Loudness()))
    private let loudnessChanges = Atomic<Int>(0)
    private let share = Atomic<UInt8>(0)
    private let attempts = Atomic<Int>(0)
    private let callStart = Atomic<Int64>(0)
    private let chosenDevice: Mutex<String?>
    private let signals: PipelineSignals

    init(signals: PipelineSignals, device: String? = nil) {
        self.signals = signals
        chosenDevice = Mutex(device)
    }

    /// Starts, or continues with the very next unheard frame.
    package func run() { give(.run) }

    /// Silences the output and keeps the place; `held` is reported. With `release` the device is
    /// given back at once, else after some seconds.
    package func hold(release: Bool) { give(release ? .release : .hold) }

    /// Says how loud the sound is: what is in the device already too, by a short ramp. Where the
    /// stream has a volume on a sound server, that follows the user's.
    package func setLoudness(_ loudness: Loudness) {
        packedLoudness.store(Self.pack(loudness), ordering: .releasing)
        loudnessChanges.wrappingAdd(1, ordering: .releasing)
        signals.output.wake()
    }

    /// Whether the volume that the stream has on the server is the user's: who changes it there has
    /// changed that.
    package var sharesVolume: Bool { share.load(ordering: .acquiring) & Self.sharedVolume != 0 }

    /// Whether it is the user's wish when the server silences the stream.
    package var sharesMute: Bool { share.load(ordering: .acquiring) & Self.sharedMute != 0 }

    /// Silences the output and ends the thread.
    package func stop() { give(.stop) }

    /// Tries once more to open an output that was lost.
    package func retry() {
        attempts.wrappingAdd(1, ordering: .releasing)
        signals.output.wake()
    }

    /// Which device the output is opened on next; nil: the default one.
    package func setDevice(_ device: String?) { chosenDevice.withLock { $0 = device } }

    /// Since when, in nanoseconds of CLOCK_MONOTONIC, the thread waits for the device to take or tell
    /// something; nil: it does not. It may wait for long only where the device does not answer.
    package var waitsSince: Int64? {
        let start = callStart.load(ordering: .acquiring)
        return start == 0 ? nil : start
    }

    /// How often a lost output was to be tried again.
    var attempt: Int { attempts.load(ordering: .acquiring) }

    var device: String? { chosenDevice.withLock { $0 } }

    /// The output thread calls the device from now on; 0: it is back.
    @_noLocks
    func setCallStart(_ hostTime: Int64) { callStart.store(hostTime, ordering: .releasing) }

    var current: Command { Command(rawValue: command.load(ordering: .acquiring)) ?? .stop }

    var loudness: Loudness { Self.unpack(packedLoudness.load(ordering: .acquiring)) }

    /// Counts how often the loudness was set, also to what it was: a mixer may have changed it in
    /// between.
    var loudnessChange: Int { loudnessChanges.load(ordering: .acquiring) }

    func setShares(volume: Bool, mute: Bool) {
        share.store(
            (volume ? Self.sharedVolume : 0) | (mute ? Self.sharedMute : 0), ordering: .releasing)
    }

    private static let sharedVolume: UInt8 = 1
    private static let sharedMute: UInt8 = 2

    /// All of it at once: no factor is negative, so that a sign can say that it is muted.
    private static func pack(_ loudness: Loudness) -> UInt64 {
        let gain = loudness.isMuted ? -loudness.gain : loudness.gain
        return UInt64(loudness.volume.bitPattern) | UInt64(gain.bitPattern) << 32
    }

    private static func unpack(_ packed: UInt64) -> Loudness {
        let gain = Float(bitPattern: UInt32(packed >> 32))
        return Loudness(
            volume: Float(bitPattern: UInt32(truncatingIfNeeded: packed)), gain: gain.magnitude,
            isMuted: gain.sign == .minus)
    }

    private func give(_ next: Command) {
        command.store(next.rawValue, ordering: .releasing)
        signals.output.wake()
    }
}

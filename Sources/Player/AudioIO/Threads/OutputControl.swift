import Synchronization
package import UndersongPlayback

/// Reports of the output thread; the handler runs on the clock thread.
package enum OutputReport: Sendable {
    /// The output is silent; `frame` is the first one not heard. Clock readings of an earlier epoch
    /// are invalid now.
    case held(frame: Int, epoch: Int)
    /// Everything was heard; `frame` is the one after the last. More may follow.
    case finished(frame: Int)
    /// Everything was heard, and the bytes of what follows have not arrived; `frame` is the one after
    /// the last.
    case starved(frame: Int)
    /// The output failed; it is not tried again.
    case failed(OutputError)
    /// The output was lost or cannot be opened; it is tried again at `retry`. `frame` is the first
    /// one not heard, as in `held`.
    case lost(OutputError, frame: Int, epoch: Int)
    /// Another attempt to open it failed.
    case stillLost(OutputError)
    /// The output works: it was opened, or answers again after a long time.
    case works
    /// The stream's volume on the sound server is about to be set to this.
    case settingVolume(StreamVolume.Change)
    /// The thread ends after `stop`.
    case stopped
}

/// Commands the output thread. Any thread may call it; nothing here waits.
package final class OutputControl: Sendable {
    enum Command: UInt8 {
        /// No command was given yet.
        case idle
        case hold
        /// Hold, and release the device.
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
    private let silence = Atomic<Int64>(0)
    private let chosenDevice: Mutex<String?>
    private let signals: PipelineSignals

    init(signals: PipelineSignals, device: String? = nil) {
        self.signals = signals
        chosenDevice = Mutex(device)
    }

    /// Starts, or continues with the very next unheard frame.
    package func run() { give(.run) }

    /// Silences the output and keeps the position; `held` is reported. With `release` the device is
    /// released at once, otherwise after some seconds.
    package func hold(release: Bool) { give(release ? .release : .hold) }

    /// Sets the loudness, also of what the device already holds, by a short ramp. If the stream has
    /// a volume on a sound server, that follows the user's volume.
    package func setLoudness(_ loudness: Loudness) {
        packedLoudness.store(Self.pack(loudness), ordering: .releasing)
        loudnessChanges.wrappingAdd(1, ordering: .releasing)
        signals.output.wake()
    }

    /// True if the stream's volume on the server is the user's, so that a change there changes the
    /// user's volume.
    package var sharesVolume: Bool { share.load(ordering: .acquiring) & Self.sharedVolume != 0 }

    /// True if the server's mute of the stream is the user's.
    package var sharesMute: Bool { share.load(ordering: .acquiring) & Self.sharedMute != 0 }

    /// Silences the output and ends the thread.
    package func stop() { give(.stop) }

    /// Tries again to open a lost output.
    package func retry() {
        attempts.wrappingAdd(1, ordering: .releasing)
        signals.output.wake()
    }

    /// Sets the device on which to open the output next; nil for the default one.
    package func setDevice(_ device: String?) { chosenDevice.withLock { $0 = device } }

    /// The time since which the thread is waiting for a call to the device, in nanoseconds of
    /// CLOCK_MONOTONIC; nil if it is not. Such a wait is long only if the device does not answer.
    package var waitsSince: Int64? {
        let start = callStart.load(ordering: .acquiring)
        return start == 0 ? nil : start
    }

    /// The length of the exact digital silence at the end of what was given to the device, before
    /// the volume and mute, in nanoseconds; 0 if there was sound last.
    package var silentNanoseconds: Int64 { silence.load(ordering: .relaxed) }

    /// Sets the length of the digital silence. The output thread only.
    @_noLocks
    func setSilence(_ nanoseconds: Int64) { silence.store(nanoseconds, ordering: .relaxed) }

    /// The number of requests for another attempt at a lost output.
    var attempt: Int { attempts.load(ordering: .acquiring) }

    var device: String? { chosenDevice.withLock { $0 } }

    /// The output thread calls the device from now on; 0 when the call has returned.
    @_noLocks
    func setCallStart(_ hostTime: Int64) { callStart.store(hostTime, ordering: .releasing) }

    var current: Command { Command(rawValue: command.load(ordering: .acquiring)) ?? .stop }

    var loudness: Loudness { Self.unpack(packedLoudness.load(ordering: .acquiring)) }

    /// Counts how often the loudness was set, even to the same value: a mixer may have changed it
    /// in between.
    var loudnessChange: Int { loudnessChanges.load(ordering: .acquiring) }

    func setShares(volume: Bool, mute: Bool) {
        share.store(
            (volume ? Self.sharedVolume : 0) | (mute ? Self.sharedMute : 0), ordering: .releasing)
    }

    private static let sharedVolume: UInt8 = 1
    private static let sharedMute: UInt8 = 2

    /// The whole loudness in one word: no factor is negative, so a sign bit can encode the mute.
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

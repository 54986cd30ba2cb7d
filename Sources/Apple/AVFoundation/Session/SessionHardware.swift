public import Foundation
import Synchronization
import UndersongBackground

extension AVAudioSession {
    /// The properties of the playback device.
    public struct Output: Hashable, Sendable {
        /// The device's volume, 0 to 1.
        public var volume: Float = 1
        /// The time from writing a sample to hearing it, in seconds.
        public var latency: TimeInterval = 0
        /// The size of a requested block of sound, in seconds.
        public var ioBufferDuration: TimeInterval = 0
        /// The sample rate in Hz.
        public var sampleRate: Double = 44_100
        /// The number of channels.
        public var numberOfChannels = 2

        /// Makes a stereo device of 44.1 kHz at full volume.
        public init() {}
    }

    /// The current route.
    public var currentRoute: AVAudioSessionRouteDescription { state.withLock { $0.route } }

    /// True if any other application is playing. The first call waits for the sound server's
    /// answer, at most a second.
    public var isOtherAudioPlaying: Bool { otherAudio != .none }

    /// True if secondary audio should be silent: another application is playing and does not mix.
    /// The first call waits as for `isOtherAudioPlaying`.
    public var secondaryAudioShouldBeSilencedHint: Bool { otherAudio == .nonMixable }

    /// The device's volume, 0 to 1.
    public var outputVolume: Float {
        keyValueObservers.access("outputVolume")
        return output.volume
    }

    /// The time from writing a sample to hearing it, in seconds, as last reported by the host.
    public var outputLatency: TimeInterval { output.latency }

    /// Always 0: recording is not supported.
    public var inputLatency: TimeInterval { 0 }

    /// The size of a requested block of sound, in seconds, as last reported by the host.
    public var ioBufferDuration: TimeInterval { output.ioBufferDuration }

    /// The device's sample rate in Hz, as last reported by the host.
    public var sampleRate: Double { output.sampleRate }

    /// The device's number of channels, as last reported by the host.
    public var outputNumberOfChannels: Int { output.numberOfChannels }

    /// The most channels that can be requested.
    public var maximumOutputNumberOfChannels: Int { output.numberOfChannels }

    /// Always 0: recording is not supported.
    public var inputNumberOfChannels: Int { 0 }

    /// Always 0: recording is not supported.
    public var maximumInputNumberOfChannels: Int { 0 }

    /// Always false: recording is not supported.
    public var isInputAvailable: Bool { false }

    /// Always nil: recording is not supported.
    public var availableInputs: [AVAudioSessionPortDescription]? { nil }

    /// Always `normal`: there is no voice assistant.
    public var promptStyle: PromptStyle { .normal }

    /// The requested sample rate in Hz; 0 if none was requested.
    public var preferredSampleRate: Double { state.withLock { $0.preferred.sampleRate } }

    /// The requested buffer in seconds; 0 if none was requested.
    public var preferredIOBufferDuration: TimeInterval {
        state.withLock { $0.preferred.ioBufferDuration }
    }

    /// The requested number of channels; 0 if none was requested.
    public var preferredOutputNumberOfChannels: Int {
        state.withLock { $0.preferred.outputNumberOfChannels }
    }

    /// Requests a sample rate in Hz: a hint, which `sampleRate` need not follow. Throws `badParam`
    /// below 0.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        try checkHint(sampleRate, "set the preferred sample rate")
        state.withLock { $0.preferred.sampleRate = sampleRate }
    }

    /// Requests a buffer in seconds: a hint, which `ioBufferDuration` need not follow. Throws
    /// `badParam` below 0.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        try checkHint(duration, "set the preferred buffer duration")
        state.withLock { $0.preferred.ioBufferDuration = duration }
    }

    /// Requests a number of channels: a hint. Throws `badParam` below 0 or above what the device
    /// has.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws {
        guard (0...maximumOutputNumberOfChannels).contains(count) else {
            throw SessionRefusal.badParameter.error("set the preferred number of channels")
        }
        state.withLock { $0.preferred.outputNumberOfChannels = count }
    }

    /// Selects the speaker, or the default route. Throws `incompatibleCategory` except for
    /// `playAndRecord`. There is no earpiece here, so the sound stays where it is.
    public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
        let outcome = state.withLock { state -> SessionOutcome? in
            guard portOverride == .none || state.setup.category == .playAndRecord else {
                return nil
            }
            guard portOverride != state.portOverride else { return SessionOutcome() }
            state.portOverride = portOverride
            return SessionOutcome(notices: [.routeChanged(.override, previous: state.route)])
        }
        guard let outcome else {
            throw SessionRefusal.incompatibleCategory.error("override the output")
        }
        perform(outcome)
    }

    private var output: Output { state.withLock { $0.output } }

    private func checkHint(_ value: Double, _ operation: String) throws {
        guard value.isFinite, value >= 0 else { throw SessionRefusal.badParameter.error(operation) }
    }
}

import Background
public import Foundation
import Synchronization

extension AVAudioSession {
    /// What is known of the device that plays.
    public struct Output: Hashable, Sendable {
        /// Loudness of the device, 0 to 1.
        public var volume: Float = 1
        /// Seconds from writing a sample to hearing it.
        public var latency: TimeInterval = 0
        /// Seconds of sound that are asked for at a time.
        public var ioBufferDuration: TimeInterval = 0
        /// Frames a second.
        public var sampleRate: Double = 44_100
        /// Channels.
        public var numberOfChannels = 2

        /// Makes a stereo device of 44.1 kHz at full volume.
        public init() {}
    }

    /// Where the sound goes.
    public var currentRoute: AVAudioSessionRouteDescription { state.withLock { $0.route } }

    /// Whether any other application can be heard.
    public var isOtherAudioPlaying: Bool {
        state.withLock { $0.circumstances.otherAudio != .none }
    }

    /// Whether secondary sounds should be silent: another application plays, and does not mix.
    public var secondaryAudioShouldBeSilencedHint: Bool {
        state.withLock { $0.circumstances.shouldSilenceSecondaryAudio }
    }

    /// Loudness of the device, 0 to 1.
    public var outputVolume: Float {
        keyValueObservers.access("outputVolume")
        return output.volume
    }

    /// Seconds from writing a sample to hearing it, as the host last reported.
    public var outputLatency: TimeInterval { output.latency }

    /// Always 0: nothing is recorded.
    public var inputLatency: TimeInterval { 0 }

    /// Seconds of sound that are asked for at a time, as the host last reported.
    public var ioBufferDuration: TimeInterval { output.ioBufferDuration }

    /// The device's frames a second, as the host last reported.
    public var sampleRate: Double { output.sampleRate }

    /// The device's channels, as the host last reported.
    public var outputNumberOfChannels: Int { output.numberOfChannels }

    /// The most channels that can be asked for.
    public var maximumOutputNumberOfChannels: Int { output.numberOfChannels }

    /// Always 0: nothing is recorded.
    public var inputNumberOfChannels: Int { 0 }

    /// Always 0: nothing is recorded.
    public var maximumInputNumberOfChannels: Int { 0 }

    /// Always false: nothing is recorded.
    public var isInputAvailable: Bool { false }

    /// Always nil: nothing is recorded.
    public var availableInputs: [AVAudioSessionPortDescription]? { nil }

    /// Always `normal`: no assistant listens here.
    public var promptStyle: PromptStyle { .normal }

    /// The rate that was asked for; 0 if none was.
    public var preferredSampleRate: Double { state.withLock { $0.preferred.sampleRate } }

    /// The buffer that was asked for, in seconds; 0 if none was.
    public var preferredIOBufferDuration: TimeInterval {
        state.withLock { $0.preferred.ioBufferDuration }
    }

    /// The channels that were asked for; 0 if none were.
    public var preferredOutputNumberOfChannels: Int {
        state.withLock { $0.preferred.outputNumberOfChannels }
    }

    /// Asks for a rate; a hint, which `sampleRate` need not follow. Throws `badParam` below 0.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        try checkHint(sampleRate, "set the preferred sample rate")
        state.withLock { $0.preferred.sampleRate = sampleRate }
    }

    /// Asks for a buffer; a hint, which `ioBufferDuration` need not follow. Throws `badParam`
    /// below 0.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        try checkHint(duration, "set the preferred buffer duration")
        state.withLock { $0.preferred.ioBufferDuration = duration }
    }

    /// Asks for channels; a hint. Throws `badParam` below 0 or above what the device has.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws {
        guard (0...maximumOutputNumberOfChannels).contains(count) else {
            throw SessionRefusal.badParameter.error("set the preferred number of channels")
        }
        state.withLock { $0.preferred.outputNumberOfChannels = count }
    }

    /// Chooses the speaker or lets the route be. Throws `incompatibleCategory` but for
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

public import Foundation
import Synchronization

/// The number of a node's input or output.
public typealias AVAudioNodeBus = Int

/// Something in an audio engine's graph. Any thread may call it.
///
/// Every player node has a stream of its own to the sound server, which mixes them; the nodes after
/// it only state what becomes of its sound.
open class AVAudioNode: NSObject, @unchecked Sendable {
    // Sendable: all that changes is in a mutex.
    private let place = Mutex(WeakEngine())

    /// The engine to which the node is attached. Not retained.
    open internal(set) var engine: AVAudioEngine? {
        get { place.withLock { $0.engine } }
        set { place.withLock { $0.engine = newValue } }
    }

    /// The number of inputs.
    open var numberOfInputs: Int { 1 }

    /// The number of outputs.
    open var numberOfOutputs: Int { 1 }

    /// The format with which the node is connected to the next, or else what the audio session's
    /// hardware has. It only counts for `AVAudioPlayerNode`'s times: sound is played in its own
    /// format.
    open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        engine?.format(after: self) ?? .hardware
    }

    /// The format with which another node is connected to this one, or else what the audio session's
    /// hardware has.
    open func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        engine?.format(before: self, bus: bus) ?? .hardware
    }

    /// Now, by the clock and in frames of the node's output format; nil unless the engine is
    /// running.
    open var lastRenderTime: AVAudioTime? {
        guard let engine, engine.isRunning else { return nil }
        return AVAudioTime(now: engine.clock.now, rate: outputFormat(forBus: 0).sampleRate)
    }

    /// Discards what the node still has to play.
    open func reset() {}

    /// The factor on the volume of what passes through the node.
    var gain: Float { 1 }

    /// The factor on the rate of what passes through the node.
    var tempo: Float { 1 }

    /// The change of pitch of what passes through the node, in cents.
    var cents: Float { 0 }
}

/// A node's engine, which owns the node.
private struct WeakEngine: Sendable {
    weak var engine: AVAudioEngine?
}

extension AVAudioFormat {
    /// The hardware's format, according to the audio session.
    static var hardware: AVAudioFormat {
        AVAudioFormat(
            commonFormat: .pcmFormatFloat32,
            sampleRate: AVAudioSession.sharedInstance().sampleRate, channelCount: 2,
            isInterleaved: false)
    }
}

extension AVAudioTime {
    /// A moment of `CLOCK_MONOTONIC`, with frames that are counted from the clock's start.
    convenience init(now: Int64, rate: Double) {
        self.init(
            hostTime: UInt64(now), sampleTime: Int64((Double(now) / 1e9 * rate).rounded()),
            atRate: rate)
    }

    /// Nanoseconds of `CLOCK_MONOTONIC`, if frames are counted from the clock's start.
    var clockTime: Int64? {
        if isHostTimeValid { return Int64(hostTime) }
        guard isSampleTimeValid, sampleRate > 0 else { return nil }
        return Int64((Double(sampleTime) / sampleRate * 1e9).rounded())
    }
}

public import Foundation
import Synchronization

/// The mixing of a node's sound into a mixer with two channels.
public protocol AVAudioStereoMixing: NSObjectProtocol {
    /// From -1, left, to 1, right. Stored for ported code; it has no effect.
    var pan: Float { get set }
}

/// The mixing of a node's sound into the next mixer.
public protocol AVAudioMixing: AVAudioStereoMixing {
    /// From 0, silent, to 1, the samples unchanged.
    var volume: Float { get set }
}

/// Mixes what is connected to it. The volumes are ramped over 20 ms.
open class AVAudioMixerNode: AVAudioNode, AVAudioMixing, @unchecked Sendable {
    private let levels = Mutex((output: Float(1), volume: Float(1), pan: Float(0)))

    /// The volume of everything that comes out of it, 0 to 1.
    open var outputVolume: Float {
        get { levels.withLock(\.output) }
        set {
            levels.withLock { $0.output = min(max(newValue, 0), 1) }
            engine?.refreshPlayers()
        }
    }

    /// Its volume in the next mixer, 0 to 1.
    open var volume: Float {
        get { levels.withLock(\.volume) }
        set {
            levels.withLock { $0.volume = min(max(newValue, 0), 1) }
            engine?.refreshPlayers()
        }
    }

    /// From -1, left, to 1, right. Stored for ported code; it has no effect.
    open var pan: Float {
        get { levels.withLock(\.pan) }
        set { levels.withLock { $0.pan = min(max(newValue, -1), 1) } }
    }

    /// The number of the first input to which nothing is connected.
    open var nextAvailableInputBus: AVAudioNodeBus { engine?.freeInput(of: self) ?? 0 }

    override var gain: Float { levels.withLock { $0.output * $0.volume } }
}

/// The end of an audio engine's graph: the sound server. An engine has one and creates it itself.
open class AVAudioOutputNode: AVAudioNode, @unchecked Sendable {
    /// The number of outputs.
    open override var numberOfOutputs: Int { 0 }
}

import Foundation
import Synchronization

/// A node that processes sound.
open class AVAudioUnit: AVAudioNode, @unchecked Sendable {}

/// A unit whose output takes another time than its input.
open class AVAudioUnitTimeEffect: AVAudioUnit, @unchecked Sendable {
    private let isBypassed = Mutex(false)

    /// True if the sound passes unchanged.
    open var bypass: Bool {
        get { isBypassed.withLock { $0 } }
        set {
            isBypassed.withLock { $0 = newValue }
            engine?.refreshPlayers()
        }
    }
}

/// Plays what comes through it faster or slower, and higher or lower.
open class AVAudioUnitTimePitch: AVAudioUnitTimeEffect, @unchecked Sendable {
    private let values = Mutex((rate: Float(1), pitch: Float(0)))

    /// The rate, 1/32 to 32; other values are clamped. It does not change the pitch, and may be set
    /// during playback.
    open var rate: Float {
        get { values.withLock(\.rate) }
        set {
            values.withLock { $0.rate = min(max(newValue, 1 / 32), 32) }
            engine?.refreshPlayers()
        }
    }

    /// The change of pitch in cents, -2400 to 2400; other values are clamped. It does not change the
    /// rate, and may be set during playback.
    open var pitch: Float {
        get { values.withLock(\.pitch) }
        set {
            values.withLock { $0.pitch = min(max(newValue, -2400), 2400) }
            engine?.refreshPlayers()
        }
    }

    override var tempo: Float { bypass ? 1 : rate }
    override var cents: Float { bypass ? 0 : pitch }
}

/// Plays what comes through it faster and higher, or slower and lower, as a tape does.
open class AVAudioUnitVarispeed: AVAudioUnitTimeEffect, @unchecked Sendable {
    private let speed = Mutex(Float(1))

    /// The rate, 1/4 to 4; other values are clamped. It may be set during playback.
    open var rate: Float {
        get { speed.withLock { $0 } }
        set {
            speed.withLock { $0 = min(max(newValue, 1 / 4), 4) }
            engine?.refreshPlayers()
        }
    }

    override var tempo: Float { bypass ? 1 : rate }
    override var cents: Float { bypass ? 0 : 1200 * log2(rate) }
}

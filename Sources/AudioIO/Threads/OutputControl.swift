package import Playback
import Synchronization

/// What the output thread tells; the handler runs on it.
package enum OutputReport: Sendable {
    /// The output is silent; `frame` is the first one that was not heard. Clock readings of an
    /// earlier epoch say nothing any more.
    case held(frame: Int, epoch: Int)
    /// Everything was heard; `frame` is behind the last one. More may follow.
    case finished(frame: Int)
    /// The output has failed; it is not tried again.
    case failed(OutputError)
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
    private let factor = Atomic<UInt32>(Float(1).bitPattern)
    private let signals: PipelineSignals

    init(signals: PipelineSignals) { self.signals = signals }

    /// Starts or goes on with the very next unheard frame.
    package func run() { give(.run) }

    /// Silences the output and keeps the place; `held` is reported. With `release` the device is
    /// given back at once, else after some seconds.
    package func hold(release: Bool) { give(release ? .release : .hold) }

    /// Scales the sound by `factor`, 0 to 1: what is in the device already too, by a short ramp.
    package func setVolume(_ factor: Float) {
        self.factor.store(factor.bitPattern, ordering: .releasing)
        signals.output.wake()
    }

    /// Silences the output and ends the thread.
    package func stop() { give(.stop) }

    var current: Command { Command(rawValue: command.load(ordering: .acquiring)) ?? .stop }

    var volume: Float { Float(bitPattern: factor.load(ordering: .acquiring)) }

    private func give(_ next: Command) {
        command.store(next.rawValue, ordering: .releasing)
        signals.output.wake()
    }
}

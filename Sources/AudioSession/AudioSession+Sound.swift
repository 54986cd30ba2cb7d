public import AudioIO
public import Background
import Playback

/// What is known of the sound server and of what it does to a session.
public struct SoundReport: Sendable {
    /// The server's name and version; nil: it does not answer.
    public var server: String?
    /// Why there is no server, where that is known.
    public var lostReason: String?
    /// Its devices.
    public var devices: [OutputDevice]
    /// The name of the device for streams that name none.
    public var defaultDevice: String?
    /// The device that is played on, or would be.
    public var current: OutputDevice?
    /// The device that was chosen and is remembered; nil: the default one.
    public var chosen: String?
    /// The interruptions that have begun and not ended.
    public var interruptions: [InterruptionSource]
}

extension AudioSession {
    /// What is known of the sound server. Connects to it where that was not done yet, and waits up
    /// to `seconds` for its answer.
    public func soundReport(waitingUpTo seconds: Double) async -> SoundReport {
        await engine.soundReport(waitingUpTo: seconds)
    }

    /// Lets what is played go to `output` from now on. What sounds elsewhere falls silent before this
    /// returns, and its run is over; the queue and the place in it stay.
    public func setOutput(_ output: OutputDestination) async { await engine.setOutput(output) }

    /// Plays on the device of that name from now on, nil: on the default one, and remembers it in
    /// the settings.
    public func setOutputDevice(_ name: String?) async {
        await engine.set { $0.outputDevice = name }
    }

    /// Something interrupts: the session is silent, and what is wanted stays as it is. Interruptions
    /// nest (behaviour 3.1).
    public func beginInterruption(_ source: InterruptionSource) async {
        await engine.handle(.interruptionBegan(source))
    }

    /// An interruption is over. With the last one the session goes on where it was heard, if it
    /// `shouldResume` and sound is wanted. False: none with that source has begun.
    @discardableResult
    public func endInterruption(
        _ source: InterruptionSource, shouldResume: Bool
    ) async -> Bool {
        await engine.endInterruption(source, shouldResume: shouldResume)
    }
}

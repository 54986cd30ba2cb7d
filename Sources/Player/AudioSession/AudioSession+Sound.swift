public import UndersongAudioIO
public import UndersongBackground
import UndersongPlayback

/// The sound server and its effects on a session.
public struct SoundReport: Sendable {
    /// The server's name and version; nil if it does not answer.
    public var server: String?
    /// Why there is no server, if known.
    public var lostReason: String?
    /// The server's devices.
    public var devices: [OutputDevice]
    /// The name of the device for streams that do not name one.
    public var defaultDevice: String?
    /// The device in use, or to be used.
    public var current: OutputDevice?
    /// The name of the device that was chosen and remembered; nil for the default one.
    public var chosen: String?
    /// The ongoing interruptions.
    public var interruptions: [InterruptionSource]
}

extension AudioSession {
    /// The state of the sound server. Connects if necessary, and waits up to `seconds` for the
    /// server to answer.
    public func soundReport(waitingUpTo seconds: Double) async -> SoundReport {
        await engine.soundReport(waitingUpTo: seconds)
    }

    /// Sends the sound to `output` from now on. Anything playing elsewhere is silenced before this
    /// returns, which ends its run; the queue and the position stay.
    public func setOutput(_ output: OutputDestination) async { await engine.setOutput(output) }

    /// Switches to the named device, or to the default one for nil, and saves that in the settings.
    public func setOutputDevice(_ name: String?) async { await engine.setOutputDevice(name) }

    /// Returns once the sound is on the device on which it is to play, or there is no sound. False
    /// if the sound server refuses to move it there, or has not done so after `seconds`.
    package func soundHasMoved(within seconds: Double) async -> Bool {
        await engine.streamHasMoved(within: seconds)
    }

    /// Begins an interruption: the session goes silent, but its intent to play is unchanged.
    /// Interruptions nest (behaviour 3.1).
    public func beginInterruption(_ source: InterruptionSource) async {
        await engine.handle(.interruptionBegan(source))
    }

    /// Ends an interruption. After the last one the session resumes at its position, if it
    /// `shouldResume` and playback is wanted. Returns false if none with that source has begun.
    @discardableResult
    public func endInterruption(
        _ source: InterruptionSource, shouldResume: Bool
    ) async -> Bool {
        await engine.endInterruption(source, shouldResume: shouldResume)
    }
}

public import UndersongAudioIO
public import UndersongBackground
import UndersongPlayback

extension AudioSession {
    /// The state of the sound server. Connects if necessary, and waits up to `seconds` for the
    /// server to answer.
    public func outputs(waitingUpTo seconds: Double) async -> Outputs {
        await engine.outputs(waitingUpTo: seconds)
    }

    /// The ongoing interruptions, in the order in which they began.
    package var interruptions: [InterruptionSource] {
        get async { await engine.permission.interruptions }
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

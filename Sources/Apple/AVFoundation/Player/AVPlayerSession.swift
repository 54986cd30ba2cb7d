import Synchronization
import UndersongBackground

/// The audio session's effects on a player (behaviour 2.5, 3.1; T51-T58).
extension AVPlayer: AVAudioSessionClient {
    package var isRunningIO: Bool { state.withLock { $0.rate != 0 && $0.current != nil } }

    package func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change) {
        post.apply(change)
        switch change {
        case .interruptionBegan: interruptionBegan()
        case .interruptionEnded(let shouldResume): interruptionEnded(shouldResume)
        case .interruptionOverridden: state.withLock { $0.interruption.override() }
        case .oldDeviceUnavailable, .deactivated, .mediaServicesLost: setRate(0)
        case .setup, .application: pauseWhereForbidden(session)
        case .gain(let gain):
            state.withLock { $0.gain = gain }
            postVolume()
        case .activated, .mediaServicesReset, .outputVolume: break
        }
    }

    /// True if playback may start. During an interruption it is postponed until its end; otherwise
    /// starting activates the session, as on Apple's systems.
    func mayPlay(at rate: Float) -> Bool {
        let isFree = state.withLock { state in
            state.resumeRate = rate
            return state.interruption.play()
        }
        return isFree && AVAudioSession.sharedInstance().activateForPlayback()
    }

    func postVolume() {
        let volume = state.withLock { $0.volume * $0.gain }
        post.set { $0.volume = volume }
    }

    private func pauseWhereForbidden(_ session: AVAudioSession) {
        guard session.isSoundForbidden, state.withLock({ $0.rate != 0 }) else { return }
        setRate(0, reason: .appBackgrounded)
    }

    private func interruptionBegan() {
        let action = state.withLock { state in
            if state.rate != 0 { state.resumeRate = state.rate }
            return state.interruption.begin(isPlaying: state.rate != 0)
        }
        if action == .pause { setRate(0, reason: .audioSessionInterrupted) }
    }

    private func interruptionEnded(_ shouldResume: Bool) {
        let (action, rate) = state.withLock { state in
            (state.interruption.end(mayResume: shouldResume), state.resumeRate)
        }
        if action == .resume { setRate(rate) }
    }
}

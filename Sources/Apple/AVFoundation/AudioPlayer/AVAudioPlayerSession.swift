import Synchronization
import UndersongBackground

/// The audio session's effects on a player (behaviour 2.5, 3.1).
extension AVAudioPlayer: AVAudioSessionClient {
    package var isRunningIO: Bool { isPlaying }

    package func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change) {
        post.apply(change)
        switch change {
        case .interruptionBegan: interruptionBegan()
        case .interruptionEnded(let shouldResume):
            let action = state.withLock { $0.interruption.end(mayResume: shouldResume) }
            if action == .resume { play() }
        case .interruptionOverridden: state.withLock { $0.interruption.override() }
        case .oldDeviceUnavailable, .deactivated, .mediaServicesLost: pause()
        case .setup, .application: if session.isSoundForbidden { pause() }
        case .gain(let gain):
            state.withLock { $0.gain = gain }
            postVolume()
        case .activated, .mediaServicesReset, .outputVolume: break
        }
    }

    private func interruptionBegan() {
        hold { $0.interruption.begin(isPlaying: $0.isPlaying) == .pause }
    }
}

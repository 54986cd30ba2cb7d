import Background
import Synchronization

/// What the audio session does to a player (contract 2.5, 3.1).
extension AVAudioPlayer: AVAudioSessionClient {
    package var isRunningIO: Bool { isPlaying }

    package func audioSession(_ session: AVAudioSession, didChange change: AVAudioSession.Change) {
        switch change {
        case .interruptionBegan: interruptionBegan()
        case .interruptionEnded(let shouldResume):
            post.setInterrupted(false)
            let action = state.withLock { $0.interruption.end(mayResume: shouldResume) }
            if action == .resume { play() }
        case .interruptionOverridden:
            state.withLock { $0.interruption.override() }
            post.setInterrupted(false)
        case .oldDeviceUnavailable, .deactivated, .mediaServicesLost: pause()
        case .setup(let setup):
            post.setCategory(setup.category)
            if session.isSoundForbidden { pause() }
        case .application(let state, let hasAudioCapability):
            post.enter(state, hasAudioCapability: hasAudioCapability)
            if session.isSoundForbidden { pause() }
        case .gain(let gain):
            state.withLock { $0.gain = gain }
            postVolume()
        case .activated, .mediaServicesReset, .outputVolume: break
        }
    }

    private func interruptionBegan() {
        post.setInterrupted(true)
        state.withLock { state in
            let action = state.interruption.begin(isPlaying: state.isPlaying)
            guard action == .pause else { return }
            state.isPlaying = false
            state.starts += 1
        }
        post.pause()
    }
}

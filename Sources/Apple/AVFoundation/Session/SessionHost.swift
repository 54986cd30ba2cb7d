import Synchronization
public import UndersongBackground

extension AVAudioSession {
    /// The system's side of the session. See `Host`.
    public var host: Host { Host(session: self) }

    /// Plays the system's part for a session: calls, other applications, devices.
    ///
    /// On Apple's systems a system server does this. Here it is the program that embeds this
    /// library, the listener to the sound server, or a test. Players have acted when a call
    /// returns; the application's notifications follow on their queues. Make related calls from one
    /// thread.
    public struct Host: Sendable {
        fileprivate let session: AVAudioSession

        /// Begins an interruption: the session is inactive and its players are silent when this
        /// returns. Interruptions nest; only the outermost is reported.
        ///
        /// `isOverridable` is whether `setActive(true)` may end it, as with another player; during
        /// a call it may not.
        public func beginInterruption(
            reason: InterruptionReason = .default, isOverridable: Bool = false
        ) {
            let wasAudible = session.isRunningIO
            session.act { state in
                guard state.interruption.begin(isOverridable: isOverridable) else { return nil }
                state.hasReportedInterruption = state.isActive || wasAudible
                state.isActive = false
                return SessionOutcome(
                    changes: [.interruptionBegan],
                    notices: state.hasReportedInterruption ? [.interruptionBegan(reason)] : [])
            }
        }

        /// Ends the interruption; with `shouldResume`, players that it stopped resume. An end
        /// without a begin is ignored, and of nested ones only the last counts.
        public func endInterruption(shouldResume: Bool) {
            session.act { state in
                guard state.interruption.end() else { return nil }
                return SessionOutcome(
                    changes: [.interruptionEnded(shouldResume: shouldResume)],
                    notices: state.hasReportedInterruption
                        ? [.interruptionEnded(shouldResume: shouldResume)] : [])
            }
        }

        /// Changes the route. With `oldDeviceUnavailable` players pause.
        public func changeRoute(
            to route: AVAudioSessionRouteDescription, reason: RouteChangeReason
        ) {
            session.act { state in
                defer { state.route = route }
                return SessionOutcome(
                    changes: reason == .oldDeviceUnavailable ? [.oldDeviceUnavailable] : [],
                    notices: [.routeChanged(reason, previous: state.route)])
            }
        }

        /// Reports whether other applications are playing. `isMixable` is false if one of them does
        /// not mix.
        public func setOtherAudio(isPlaying: Bool, isMixable: Bool = false) {
            session.act { state in
                let before = state.circumstances.shouldSilenceSecondaryAudio
                state.circumstances.otherAudio =
                    isPlaying ? (isMixable ? .mixable : .nonMixable) : .none
                let after = state.circumstances.shouldSilenceSecondaryAudio
                let isReported =
                    state.isActive && state.circumstances.applicationState != .background
                guard before != after, isReported else { return nil }
                return SessionOutcome(notices: [.silenceHint(after ? .begin : .end)])
            }
        }

        /// Begins a spoken prompt of another application: a session in the mode `spokenAudio` is
        /// interrupted, any other ducked. Each begin needs an end.
        public func beginPrompt() {
            let interrupts = session.mode == .spokenAudio
            session.state.withLock { $0.prompts.append(interrupts ? .interrupting : .ducking) }
            if interrupts {
                beginInterruption(isOverridable: true)
            } else {
                session.duck { $0.begin() }
            }
        }

        /// Ends the prompt. An end without a begin is ignored.
        public func endPrompt() {
            switch session.state.withLock({ $0.prompts.popLast() }) {
            case .interrupting: endInterruption(shouldResume: true)
            case .ducking: session.duck { $0.end() }
            case nil: break
            }
        }

        /// Reports that the sound server has gone: the session becomes inactive. Its setup is kept.
        public func loseMediaServices() {
            session.act { state in
                guard !state.circumstances.areMediaServicesLost else { return nil }
                state.circumstances.areMediaServicesLost = true
                state.isActive = false
                return SessionOutcome(
                    changes: [.mediaServicesLost], notices: [.mediaServicesLost])
            }
        }

        /// Reports that the sound server is back.
        public func resetMediaServices() {
            session.act { state in
                guard state.circumstances.areMediaServicesLost else { return nil }
                state.circumstances.areMediaServicesLost = false
                return SessionOutcome(
                    changes: [.mediaServicesReset], notices: [.mediaServicesReset])
            }
        }

        /// Sets the properties of the device.
        public func setOutput(_ output: Output) {
            session.act { state in
                defer { state.output = output }
                guard output.volume != state.output.volume else { return nil }
                return SessionOutcome(changes: [.outputVolume(output.volume)])
            }
        }

        /// Sets the host's state, and whether the `audio` mode is declared: both decide whether the
        /// session may be activated, and continue to play, in the background. A program that
        /// reports its state through `UIApplication` need not call this.
        public func enter(_ state: ApplicationState, hasAudioCapability: Bool) {
            session.act {
                $0.circumstances.applicationState = state
                $0.circumstances.hasAudioCapability = hasAudioCapability
                return SessionOutcome(
                    changes: [.application(state, hasAudioCapability: hasAudioCapability)])
            }
        }
    }

    fileprivate func act(_ change: (inout SessionState) -> SessionOutcome?) {
        if let outcome = state.withLock({ change(&$0) }) { perform(outcome) }
    }

    fileprivate func duck(_ change: (inout Ducking) -> Void) {
        act { state in
            let before = state.ducking.gain
            change(&state.ducking)
            guard state.ducking.gain != before else { return nil }
            return SessionOutcome(changes: [.gain(state.ducking.gain)])
        }
    }
}

/// Handles the loss and return of the output. By then the sound path has kept the position to the
/// sample and waits for a retry.
extension Player {
    /// How long the output may go without taking sound before it counts as stalled.
    private static let stallNanoseconds: Int64 = 800_000_000

    mutating func take(_ fact: OutputFact) {
        guard !hasEnded else { return }
        switch fact {
        case .works:
            emit(.endRetries)
            sound?.isOutputLost = false
            run?.hasOutputWorked = true
            lastLoss = nil
            follow(machine.outputWorks())
        case .lost(let error, let isDeviceRemembered):
            lost(error, isDeviceRemembered: isDeviceRemembered)
        case .failed(let error): fail(error)
        case .retryIsDue: retry(isDue: true)
        case .secondPassed(let waitsSince): secondPassed(waitsSince: waitsSince)
        // A lost output does not return just because its device has woken up.
        case .deviceSuspended(false):
            if sound?.isOutputLost != true { follow(machine.outputWorks()) }
        case .deviceSuspended(true): if status == .playing { follow(machine.outputStalled()) }
        case .server(let server): follow(server)
        }
    }

    mutating func take(_ fact: SessionFact) {
        switch fact {
        case .policyDecided(let reasons): follow(machine.policyDecided(reasons))
        case .willStop: intentAtStop = wantsPlayback
        case .flush: if keeping == .always { emit(.keep(record(at: now))) }
        }
    }

    /// Performs the actions that follow from a change of the status.
    mutating func follow(_ actions: [PlayerStateMachine.Action]) {
        for action in actions {
            switch action {
            case .runOutput:
                sound?.motion = .running
                emit(.runOutput)
                if machine.isWithoutOutput { retry() }
            case .holdOutput(let release, let status):
                sound?.motion = .stopping
                emit(.holdOutput(release: release, then: status))
            case .publish(let status):
                // Until the output is silent, the status stays that of the sound being heard.
                emit(.statusWhenSilent(status))
                if sound?.motion != .stopping { emit(.report(.status(status))) }
            }
        }
    }

    // MARK: Loss and recovery

    private mutating func lost(_ error: OutputError, isDeviceRemembered: Bool) {
        emit(.listenToServer)
        sound?.isOutputLost = true
        guard run?.hasOutputWorked == true || error.code != .noSuchDevice || isDeviceRemembered
        else {
            fail(error)
            return emit(.stopStream)
        }
        if !error.isOfServer, error != lastLoss { emit(.report(.outputFailure(error))) }
        lastLoss = error
        follow(machine.outputLost())
        // The position is right, although it is not heard yet.
        answerSeek(true)
        if error.code == .noSuchDevice { emit(.useDefaultDevice) }
        // The output may have reported that it stopped before being asked to.
        if status != .waiting(.noOutput) { emit(.report(.status(status))) }
        emit(.retryLater)
    }

    /// Tries to open a lost output, unless the server is known to be gone. A server that has just
    /// appeared may have no devices yet: PipeWire's session manager may not be ready, and streams
    /// that connect too early may stay silent forever. In that state, only a retry that `isDue`
    /// counts.
    private mutating func retry(isDue: Bool = false) {
        guard machine.isWithoutOutput else { return }
        switch server {
        case .gone(let wasPresent):
            // The server's return is reported, unless it has never let us connect.
            if isDue, !wasPresent { emit(.retryOutput) }
        case .present(hasDefaultDevice: false):
            emit(isDue ? .retryOutput : .retryLater)
        case .present, .unknown:
            emit(.retryOutput)
        }
    }

    private mutating func follow(_ server: Server) {
        let before = self.server
        self.server = server
        guard case .present(let hasDefaultDevice) = server else { return }
        guard case .present(let hadDefaultDevice) = before else { return retry() }
        if hasDefaultDevice, !hadDefaultDevice { retry() }
    }

    private mutating func secondPassed(waitsSince: Int64?) {
        if let waitsSince, now.hostTime - waitsSince > Self.stallNanoseconds, status == .playing {
            follow(machine.outputStalled())
            answerSeek(true)
            emit(.pingServer)
        }
        if keeping == .always, let current = queue.currentID {
            emit(.keepPosition(currentTime, of: current))
        }
    }
}

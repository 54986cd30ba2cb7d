import UndersongAudioIO
import UndersongBackground
import UndersongBase
import UndersongPlayback

/// The connection to the sound server: its events are fed to a `SoundServerPolicy`, and the
/// resulting effects are performed here (behaviour 2.5).
extension PlayerEngine {
    /// The connection to the sound server of `destination`, which replaces one to another server;
    /// nil if the sound goes to none.
    func connection(for destination: OutputDestination) -> (any SoundServer)? {
        guard case .some(let address) = destination.server else { return nil }
        if let soundServer, soundServer.address == address { return soundServer }
        let server = PulseServer(
            PulseServer.Configuration(
                server: address, socketFolder: configuration.soundServerFolder,
                clock: configuration.clock))
        serverNumber += 1
        feed(server: .serverReplaced)
        soundServer = server
        return server
    }

    /// Makes the next stream reconnect to the sound server, which may refuse access this time.
    func renewConnection() { soundServer = nil }

    /// Listens to the sound server from now on, if the sound goes to one.
    func listen() {
        guard end == nil, let server = connection(for: output), !server.isListening else { return }
        let (number, inbox, queue) = (serverNumber, inbox, executor.queue)
        feed(server: .listening)
        server.listen { event in queue.async { inbox.put((number, .server(event))) } }
    }

    /// Feeds the policy and performs the effects.
    func feed(server input: SoundServerPolicy.Input) {
        for effect in serverPolicy.handle(input) { perform(effect) }
        if !serverWaiters.isEmpty, !serverPolicy.isMoving { resume(.move) }
    }

    private func perform(_ effect: SoundServerPolicy.Effect) {
        switch effect {
        case .routeChanged(let change): publish(.routeChanged(change))
        case .interruptionBegan(let source): feed(.interruptionBegan(source))
        case .interruptionEnded(let source, let shouldResume):
            feed(.interruptionEnded(source, shouldResume: shouldResume))
        case .ducked: applyVolume()
        case .otherAudio(let other): publish(.otherAudio(other))
        case .announce(let announcement): soundServer?.announce(announcement)
        case .setVolumes(let volumes): soundServer?.setVolumes(volumes)
        case .beginRamp: beginRamp()
        case .endRamp: endRamp()
        case .server(let server): feed(.output(.server(server)))
        case .pause: feed(.command(.pause(.oldDeviceUnavailable)))
        case .setDeviceMissing(let isMissing): feed(.setDeviceMissing(isMissing))
        case .useDevice(let name): pipeline?.output.setDevice(name)
        case .moveStream(let stream, let device): move(stream, to: device)
        case .volumeChanged(let volume):
            if pipeline?.output.sharesVolume == true { set { $0.volume = volume } }
        case .muteChanged(let isMuted):
            if pipeline?.output.sharesMute == true { set { $0.isMuted = isMuted } }
        case .deviceSuspended(let isSuspended): feed(.output(.deviceSuspended(isSuspended)))
        case .deviceSilent(let isSilent): publish(.state) { $0.isDeviceSilent = isSilent }
        case .mediaServicesWereLost(let reason): reporter.handle(.serverLost(reason))
        case .mediaServicesWereReset: reporter.handle(.serverReset)
        case .answered: resume(.answer)
        }
    }

    // MARK: The device

    /// Plays on the named device from now on, and saves that in the settings; nil for the default
    /// one.
    func setOutputDevice(_ name: String?) {
        let isChosen = settings.outputDevice == name
        set { $0.outputDevice = name }
        // Another program may have moved the stream meanwhile.
        if isChosen { feed(server: .chooseDevice(name)) }
    }

    private func move(_ stream: UInt32, to device: String) {
        isMoveRefused = false
        soundServer?.move(stream, to: device) { [weak self, executor] isDone in
            guard !isDone else { return }
            executor.post { [weak self] in
                self?.assumeIsolated { engine in
                    engine.isMoveRefused = true
                    engine.resume(.move)
                }
            }
        }
    }

    /// Returns once the stream plays on the device on which it is to play, or has none or no server.
    /// False if the server refuses the move, or does not complete it within `seconds`.
    func streamHasMoved(within seconds: Double) async -> Bool {
        catchUp()
        await wait(for: .move, within: seconds)
        return !serverPolicy.isMoving
    }

    // MARK: Asking

    /// The state of the sound server, after `seconds` at the latest.
    func outputs(waitingUpTo seconds: Double) async -> Outputs {
        catchUp()
        listen()
        await wait(for: .answer, within: seconds)
        let state = serverPolicy.state
        return Outputs(
            server: state?.name, lostReason: serverPolicy.trouble, devices: state?.devices ?? [],
            defaultDevice: state?.defaultDevice, current: serverPolicy.currentDevice,
            chosen: settings.outputDevice)
    }

    /// Checks whether the server answers; if it does not, it counts as lost.
    func pingServer() {
        guard let soundServer else { return }
        let reporter = reporter
        Task(executorPreference: executor) {
            guard await !soundServer.ping() else { return }
            reporter.handle(.serverLost("It does not answer"))
        }
    }
}

/// Calls to the engine that wait for the sound server, each for some seconds at most.
extension PlayerEngine {
    /// The event that they await.
    enum Awaited {
        /// The server has answered, or is lost.
        case answer
        /// The stream is on its device, or will not get there.
        case move
    }

    /// A call that waits.
    struct Waiter {
        let number: Int
        let awaited: Awaited
        let timer: HostTimer
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Returns once this is no longer awaited, or `seconds` have passed.
    func wait(for awaited: Awaited, within seconds: Double) async {
        await withCheckedContinuation { continuation in
            // Checked here, since it may come on the way: a call switches executors.
            guard isPending(awaited) else { return continuation.resume() }
            waiterCount += 1
            let number = waiterCount
            let timer = call(after: seconds) { $0.resume { $0.number == number } }
            serverWaiters.append(
                Waiter(
                    number: number, awaited: awaited, timer: timer, continuation: continuation))
        }
    }

    private func isPending(_ awaited: Awaited) -> Bool {
        switch awaited {
        case .answer: soundServer?.isListening == true && serverPolicy.isAwaitingAnswer
        case .move: serverPolicy.isMoving && !isMoveRefused
        }
    }

    /// Lets all calls return that wait for this.
    func resume(_ awaited: Awaited) { resume { $0.awaited == awaited } }

    private func resume(where isDone: (Waiter) -> Bool) {
        for waiter in serverWaiters where isDone(waiter) {
            waiter.timer.cancel()
            waiter.continuation.resume()
        }
        serverWaiters.removeAll(where: isDone)
    }
}

import AudioIO
import Background
import Dispatch
import Playback

/// What the player does when something about the sound server changes: routes, calls, other
/// sessions, volumes (behaviour 2.5).
extension PlayerEngine {
    /// The connection to the sound server of `destination`, which takes the place of one to another;
    /// nil: the sound goes to none.
    func connection(for destination: OutputDestination) -> SoundServer? {
        guard case .some(let address) = destination.server else { return nil }
        if let soundServer, soundServer.address == address { return soundServer }
        let server = SoundServer(
            SoundServer.Configuration(
                server: address, socketFolder: configuration.soundServerFolder,
                clock: configuration.clock))
        serverNumber += 1
        (serverState, serverTrouble, hasConnected) = (nil, nil, false)
        feed(.output(.server(.unknown)))
        watch = SoundServerWatch()
        soundServer = server
        return server
    }

    /// The next stream connects to the sound server once more, which may not let it in again.
    func renewConnection() { soundServer = nil }

    /// Listens to the sound server from now on, where the sound goes to one.
    func listen() {
        guard end == nil, let server = connection(for: output), !server.isListening else { return }
        let (number, inbox) = (serverNumber, inbox)
        announce()
        server.listen(on: executor.queue) { inbox.put((number, .server($0))) }
    }

    /// Whether somebody listens.
    private var isListening: Bool { soundServer?.isListening == true }

    func take(_ event: SoundServerEvent) {
        switch event {
        case .connected(let state):
            (serverState, serverTrouble, hasConnected) = (state, nil, true)
            duckOthers()
            reporter.resetServer()
            for change in watch.connected(state) { act(on: change) }
            followDevices()
            followDeviceLoudness()
            reportServer()
            tellServerWaiters()
        case .changed(let state):
            serverState = state
            duckOthers()
            for change in watch.changed(state) { act(on: change) }
            followDevices()
            followDeviceLoudness()
            reportServer()
        case .lost(let reason, _):
            (serverState, serverTrouble) = (nil, reason)
            reportServer()
            reporter.lostServer(reason)
            for change in watch.lost(reason: reason) { act(on: change) }
            feed(.serverLost)
        case .unavailable(let reason):
            serverTrouble = reason
            reportServer()
            tellServerWaiters()
        }
    }

    /// Has the player know what is known of the server.
    private func reportServer() {
        let server: Player.Server =
            if let serverState {
                .present(hasDefaultDevice: serverState.hasDefaultDevice)
            } else {
                .gone(wasPresent: hasConnected)
            }
        feed(.output(.server(server)))
    }

    /// Says when the device lets nothing be heard, or does so again.
    private func followDeviceLoudness() {
        let isSilent = isDeviceSilent
        guard isSilent != hasReportedDeviceSilent else { return }
        hasReportedDeviceSilent = isSilent
        publish(.state) { $0.isDeviceSilent = isSilent }
    }

    /// Whether the device that is played on is muted, or its volume 0.
    var isDeviceSilent: Bool {
        serverState?.currentDevice.map { $0.isMuted || $0.volume == 0 } ?? false
    }

    // MARK: Asking

    /// What is known of the sound server, `seconds` from now at the latest.
    func soundReport(waitingUpTo seconds: Double) async -> SoundReport {
        catchUp()
        listen()
        if isListening, serverState == nil, serverTrouble == nil {
            await withCheckedContinuation { waiter in
                serverWaiters.append(waiter)
                executor.queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
                    self?.assumeIsolated { $0.tellServerWaiters() }
                }
            }
        }
        return SoundReport(
            server: serverState?.name, lostReason: serverTrouble,
            devices: serverState?.devices ?? [], defaultDevice: serverState?.defaultDevice,
            current: serverState?.currentDevice, chosen: settings.outputDevice,
            interruptions: permission.interruptions)
    }

    private func tellServerWaiters() {
        for waiter in serverWaiters { waiter.resume() }
        serverWaiters = []
    }

    private func act(on change: SoundServerChange) {
        switch change {
        case .mediaServicesWereLost, .mediaServicesWereReset:
            // The output knows it as well, and whoever is first has told it.
            break
        case .routeChanged, .interruptionBegan, .interruptionEnded, .duckingBegan, .duckingEnded,
            .otherAudio:
            if configuration.isOwnSession { actOnSession(change) }
        case .volumeChanged(let volume):
            guard pipeline?.output.sharesVolume == true else { break }
            set { $0.volume = min(max(volume, 0), 1) }
        case .muteChanged(let isMuted):
            guard pipeline?.output.sharesMute == true else { break }
            set { $0.isMuted = isMuted }
        case .deviceSuspended(let isSuspended):
            feed(.output(.deviceSuspended(isSuspended)))
        }
    }

    /// Acts on what concerns the session as a whole.
    private func actOnSession(_ change: SoundServerChange) {
        switch change {
        case .routeChanged(let change): routeChanged(change)
        case .interruptionBegan(let source): feed(.interruptionBegan(source))
        case .interruptionEnded(let source, let shouldResume):
            feed(.interruptionEnded(source, shouldResume: shouldResume))
        case .duckingBegan:
            ducking.begin()
            applyVolume()
        case .duckingEnded:
            ducking.end()
            applyVolume()
        case .otherAudio(let other): publish(.otherAudio(other))
        case .mediaServicesWereLost, .mediaServicesWereReset, .volumeChanged, .muteChanged,
            .deviceSuspended:
            break
        }
    }

    /// The output is about to set its stream's volume: what the server says of it is no news.
    func settingVolume(_ change: StreamVolume.Change) {
        if let volume = change.factor { watch.willSet(volume: volume) }
        if let isMuted = change.isMuted { watch.willSet(mute: isMuted) }
    }

    // MARK: Devices

    /// The sound goes elsewhere: where its device is gone, the policy says what follows (T58).
    private func routeChanged(_ change: RouteChange) {
        publish(.routeChanged(change))
        guard [.oldDeviceUnavailable, .noSuitableRouteForCategory].contains(change.reason) else {
            return
        }
        switch settings.unplugPolicy {
        case .pause: feed(.command(.pause(.oldDeviceUnavailable)))
        case .follow: break
        case .wait: wait(forDevice: change.previous?.name)
        }
    }

    /// Stands still until the device of that name is there.
    private func wait(forDevice name: String?) {
        guard let name else { return }
        awaitedDevice = name
        feed(.setDeviceMissing(true))
    }

    /// Does not wait for a device any longer.
    func stopWaitingForDevice() {
        guard awaitedDevice != nil else { return }
        awaitedDevice = nil
        chooseDevice()
        feed(.setDeviceMissing(awaitedDevice != nil))
    }

    /// Goes to the device that is wanted where it has come.
    private func followDevices() {
        guard let serverState else { return }
        if let awaitedDevice, serverState.hasDevice(awaitedDevice) {
            self.awaitedDevice = nil
            pipeline?.output.setDevice(awaitedDevice)
            return feed(.setDeviceMissing(false))
        }
        guard let wanted = wantedDevice, serverState.hasDevice(wanted),
            let stream = serverState.ownStream, !isDeviceThere
        else {
            isDeviceThere = wantedDevice.map(serverState.hasDevice) ?? true
            return
        }
        isDeviceThere = true
        if serverState.currentDevice?.name != wanted { soundServer?.move(stream.index, to: wanted) }
    }

    /// The device that was asked for: by this run, else by the settings; nil: the default one.
    private var wantedDevice: String? { output.device ?? settings.outputDevice }

    /// Whether the device is one that is remembered, and need not be there.
    var isDeviceRemembered: Bool { output.device == nil && settings.outputDevice != nil }

    /// Says which device the output is opened on next: the wanted one, if it is there.
    func chooseDevice() {
        guard let wanted = wantedDevice else { return pipeline?.output.setDevice(nil) ?? () }
        let isThere = serverState.map { $0.hasDevice(wanted) } ?? true
        pipeline?.output.setDevice(isThere ? wanted : nil)
        if !isThere, settings.unplugPolicy == .wait, awaitedDevice == nil {
            wait(forDevice: wanted)
        }
    }

    /// Another device was chosen.
    func outputDeviceChanged() {
        watch.preferredDevice = wantedDevice
        stopWaitingForDevice()
        chooseDevice()
        guard let serverState, let stream = serverState.ownStream,
            let target = wantedDevice ?? serverState.defaultDevice, serverState.hasDevice(target)
        else { return }
        isDeviceThere = true
        soundServer?.move(stream.index, to: target)
    }

    // MARK: Other sessions

    /// Makes other programs softer while this session plays, where it is to.
    func duckOthers() {
        othersDucking.follow(
            serverState?.streams ?? [],
            isWanted: announcement.ducksOthers && configuration.isOwnSession && status == .playing)
    }

    /// Tells other sessions how this one relates to them.
    func announce() {
        watch.own = announcement
        watch.preferredDevice = wantedDevice
        if configuration.isOwnSession { soundServer?.announce(announcement) }
    }

    /// The session is active from now on, and later than all that are: it has the sound (T56).
    func activate() {
        announcement.isActive = true
        announcement.notifiesOthers = false
        announcement.activationTime = configuration.clock.sinceBoot
        announce()
    }

    /// The session is active no longer; those that it has interrupted may go on or not.
    func deactivate(notifyingOthers: Bool) {
        guard announcement.isActive else { return }
        announcement.isActive = false
        announcement.notifiesOthers = notifyingOthers
        announce()
    }

    /// The settings may say otherwise how the session relates to others.
    func applyMixing() {
        let mode = settings.mixing
        announcement.isMixable = mode != .exclusive || category == .ambient
        announcement.ducksOthers = mode == .duck || mode == .interruptSpoken
        announcement.interruptsSpokenAudio = mode == .interruptSpoken
        announce()
        duckOthers()
    }

    private var category: SessionCategory { permission.policy.category }
}

extension SoundServerState {
    /// Whether the device for streams that name none is there.
    var hasDefaultDevice: Bool { defaultDevice.map(hasDevice) ?? false }

    /// Whether there is a device of that name that something is plugged into.
    fileprivate func hasDevice(_ name: String) -> Bool {
        devices.contains { $0.name == name && $0.isAvailable }
    }
}

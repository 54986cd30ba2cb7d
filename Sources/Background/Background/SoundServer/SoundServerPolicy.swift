package import UndersongPlayback

/// The meaning of a sound server for a session and its player. A value: the server's events and the
/// session's actions go in, and what to do about them comes out (behaviour 2.5, 3.1).
///
/// Nothing else interprets routes, calls, other sessions and volumes: the service's player, the
/// players of `AVPlayer`, and `AVAudioSession` each have one of these, with its `Scope`.
package struct SoundServerPolicy: Sendable {
    /// The parties that a policy acts for. Anything outside its scope has no effect.
    package struct Scope: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The session: its route, who interrupts or ducks it, and what others see of it.
        package static let session = Scope(rawValue: 1)
        /// The player's stream: its device, its volume, and whether it has a server.
        package static let stream = Scope(rawValue: 2)
    }

    package enum Input: Sendable {
        case event(SoundServerEvent)
        /// Another server replaces the current one.
        case serverReplaced
        /// Listening to the server has begun.
        case listening
        /// The session became active at this time, in nanoseconds of CLOCK_BOOTTIME: later than all
        /// that are active, so it gets the sound (T56).
        case activated(at: Int64)
        /// The session became inactive; the sessions that it interrupted may resume or not.
        case deactivated(notifyingOthers: Bool)
        /// A player in a session of that category mixes with others in another way.
        case mix(MixingMode, SessionCategory)
        /// An `AVAudioSession` is set up.
        case setUp(SessionSetup)
        /// Sound plays, or has stopped; others are ducked only while it does.
        case setPlaying(Bool)
        /// The device that the next run requests; nil for none.
        case setRunDevice(String?)
        /// The device that the user chose; nil for the default one.
        case chooseDevice(String?)
        case setUnplugPolicy(UnplugPolicy)
        /// A stream is about to be opened.
        case willOpenStream
        /// The user wants to play, and so stops waiting for a device.
        case willPlay
        /// The output is about to set its stream's volume, so the server's echo of it is not
        /// reported.
        case willSetVolume(StreamVolume.Change)
        /// About 20 ms have passed since `beginRamp` or the previous step.
        case rampStep
        /// The session is over.
        case end
    }

    package enum Effect: Equatable, Sendable {
        // MARK: For the session

        case routeChanged(RouteChange)
        /// An end with the same source follows unless the session takes the sound back.
        case interruptionBegan(InterruptionSource)
        case interruptionEnded(InterruptionSource, shouldResume: Bool)
        /// Another session begins or stops to speak over this one.
        case ducked(Bool)
        case otherAudio(OtherAudio)
        case announce(SessionAnnouncement)
        /// Set the volumes of other programs' streams.
        case setVolumes([UInt32: Float])
        /// Report `rampStep` every 20 ms until `endRamp`.
        case beginRamp
        case endRamp

        // MARK: For the player

        /// A server is there for the player, or not.
        case server(Player.Server)
        /// The device in use disappeared, so the player is to pause (T58).
        case pause
        /// Playback waits for a missing device, or no longer.
        case setDeviceMissing(Bool)
        /// Open the next stream on this device; nil for the default one.
        case useDevice(String?)
        case moveStream(UInt32, to: String)
        /// Another program set the stream's volume, 0 to 1.
        case volumeChanged(Float)
        /// Another program muted or unmuted the stream.
        case muteChanged(Bool)
        /// The device in use was suspended or woken.
        case deviceSuspended(Bool)
        /// The device in use is muted or at volume 0, or audible again.
        case deviceSilent(Bool)

        // MARK: For both

        case mediaServicesWereLost(reason: String)
        /// The server answers, after a loss or for the first time. A stream may have been lost
        /// before anybody listened.
        case mediaServicesWereReset
        /// It is now known whether the server answers.
        case answered
    }

    /// The knowledge about the server.
    enum Connection: Sendable {
        /// No listener is there yet, or the server has not answered yet.
        case unknown
        case present(SoundServerState)
        case gone(reason: String, wasPresent: Bool)
    }

    package let scope: Scope
    var connection = Connection.unknown
    var watch = SoundServerWatch()
    var devices: DeviceChoice
    /// The announcement of this session to others.
    package internal(set) var announcement: SessionAnnouncement
    private var ducking = Ducking()
    private var others = OthersDucking()
    private var isPlaying = false
    /// True if the device in use is muted or at volume 0.
    package private(set) var isDeviceSilent = false

    /// Creates a policy that knows no server; `identifier` and `name` are the session's.
    package init(
        scope: Scope, identifier: String, name: String, runDevice: String? = nil,
        chosenDevice: String? = nil, unplugPolicy: UnplugPolicy = .pause
    ) {
        self.scope = scope
        announcement = SessionAnnouncement(identifier: identifier, name: name)
        devices = DeviceChoice(
            ofRun: runDevice, chosen: chosenDevice, unplugPolicy: unplugPolicy)
        watch.own = announcement
        watch.preferredDevice = devices.wanted
    }

    /// Applies an input and returns what to do, in order.
    package mutating func handle(_ input: Input) -> [Effect] {
        switch input {
        case .event(let event): return handle(event)
        case .serverReplaced: return replaceServer()
        case .listening: return announce()
        case .activated(let time):
            announcement.isActive = true
            announcement.notifiesOthers = false
            announcement.activationTime = time
            return announce()
        case .deactivated(let notifyingOthers):
            guard announcement.isActive else { return [] }
            announcement.isActive = false
            announcement.notifiesOthers = notifyingOthers
            return announce()
        case .mix(let mode, let category):
            announcement.mix(mode, in: category)
            return announce() + duckOthers()
        case .setUp(let setup):
            announcement.setUp(setup)
            return announce() + duckOthers()
        case .setPlaying(let isPlaying):
            guard isPlaying != self.isPlaying else { return [] }
            self.isPlaying = isPlaying
            return duckOthers()
        case .setRunDevice(let name):
            devices.ofRun = name
            watch.preferredDevice = devices.wanted
            return []
        case .chooseDevice(let name): return chooseDevice(name)
        case .setUnplugPolicy(let policy):
            devices.unplugPolicy = policy
            return []
        case .willOpenStream: return useDevice()
        case .willPlay: return stopWaiting()
        case .willSetVolume(let change):
            if let volume = change.factor { watch.willSet(volume: volume) }
            if let isMuted = change.isMuted { watch.willSet(mute: isMuted) }
            return []
        case .rampStep: return others.step()
        case .end: return others.end()
        }
    }

    // MARK: What is known

    /// The server's state; nil if it does not answer or there is no listener yet.
    package var state: SoundServerState? {
        if case .present(let state) = connection { state } else { nil }
    }

    /// The reason the server does not answer; nil if it does or this is not known yet.
    package var trouble: String? {
        if case .gone(let reason, _) = connection { reason } else { nil }
    }

    /// True if it is still unknown whether the server answers.
    package var isAwaitingAnswer: Bool {
        if case .unknown = connection { true } else { false }
    }

    /// The factor for this session's samples.
    package var gain: Float { ducking.gain }

    // MARK: The server

    private mutating func handle(_ event: SoundServerEvent) -> [Effect] {
        switch event {
        case .connected(let state):
            connection = .present(state)
            return [.mediaServicesWereReset] + act(on: watch.connected(state)) + follow(state)
                + [.answered]
        case .changed(let state):
            guard case .present = connection else { return [] }
            connection = .present(state)
            return act(on: watch.changed(state)) + follow(state)
        case .lost(let reason, _):
            connection = .gone(reason: reason, wasPresent: true)
            return server() + act(on: watch.lost(reason: reason)) + others.forget()
                + followDeviceSilence()
        case .unavailable(let reason):
            let wasPresent = if case .gone(_, true) = connection { true } else { false }
            connection = .gone(reason: reason, wasPresent: wasPresent)
            return server() + [.answered]
        }
    }

    private mutating func follow(_ state: SoundServerState) -> [Effect] {
        duckOthers() + followDevices(state) + followDeviceSilence() + server()
    }

    /// Forgets what was known about the last server, and undoes what was done there.
    private mutating func replaceServer() -> [Effect] {
        let ends = act(on: watch.lost(reason: "")).filter { effect in
            if case .mediaServicesWereLost = effect { false } else { true }
        }
        connection = .unknown
        watch = SoundServerWatch()
        watch.own = announcement
        watch.preferredDevice = devices.wanted
        return server() + ends + others.end() + followDeviceSilence()
    }

    private func server() -> [Effect] {
        guard scope.contains(.stream) else { return [] }
        return switch connection {
        case .unknown: [.server(.unknown)]
        case .present(let state):
            [.server(.present(hasDefaultDevice: state.hasDefaultDevice))]
        case .gone(_, let wasPresent): [.server(.gone(wasPresent: wasPresent))]
        }
    }

    private mutating func followDeviceSilence() -> [Effect] {
        let isSilent = currentDevice.map { $0.isMuted || $0.volume == 0 } ?? false
        guard scope.contains(.stream), isSilent != isDeviceSilent else { return [] }
        isDeviceSilent = isSilent
        return [.deviceSilent(isSilent)]
    }

    private mutating func act(on changes: [SoundServerChange]) -> [Effect] {
        changes.flatMap { act(on: $0) }
    }

    private mutating func act(on change: SoundServerChange) -> [Effect] {
        switch change {
        case .mediaServicesWereLost(let reason): return [.mediaServicesWereLost(reason: reason)]
        case .mediaServicesWereReset:
            // Every connection is reported as a reset already.
            return []
        case .routeChanged, .interruptionBegan, .interruptionEnded, .duckingBegan, .duckingEnded,
            .otherAudio:
            return scope.contains(.session) ? actForSession(on: change) : []
        case .volumeChanged, .muteChanged, .deviceSuspended:
            return scope.contains(.stream) ? actForStream(on: change) : []
        }
    }

    private func actForStream(on change: SoundServerChange) -> [Effect] {
        switch change {
        case .volumeChanged(let volume): [.volumeChanged(min(max(volume, 0), 1))]
        case .muteChanged(let isMuted): [.muteChanged(isMuted)]
        case .deviceSuspended(let isSuspended): [.deviceSuspended(isSuspended)]
        default: []
        }
    }

    private mutating func actForSession(on change: SoundServerChange) -> [Effect] {
        switch change {
        case .routeChanged(let change):
            let unplugged = scope.contains(.stream) ? unplugged(by: change) : []
            return [.routeChanged(change)] + unplugged
        case .interruptionBegan(let source): return [.interruptionBegan(source)]
        case .interruptionEnded(let source, let shouldResume):
            return [.interruptionEnded(source, shouldResume: shouldResume)]
        case .duckingBegan:
            ducking.begin()
            return [.ducked(true)]
        case .duckingEnded:
            ducking.end()
            return [.ducked(false)]
        case .otherAudio(let other): return [.otherAudio(other)]
        default: return []
        }
    }

    // MARK: Other sessions

    /// Announces to other sessions how this one relates to them.
    private mutating func announce() -> [Effect] {
        watch.own = announcement
        watch.preferredDevice = devices.wanted
        return scope.contains(.session) ? [.announce(announcement)] : []
    }

    /// Ducks other programs while this session plays, if it is configured to.
    private mutating func duckOthers() -> [Effect] {
        guard scope.isSuperset(of: [.session, .stream]), let state else { return [] }
        return others.follow(
            state.streams, isWanted: announcement.ducksOthers && isPlaying)
    }
}

extension SessionAnnouncement {
    fileprivate mutating func mix(_ mode: MixingMode, in category: SessionCategory) {
        isMixable = mode != .exclusive || category == .ambient
        ducksOthers = mode == .duck || mode == .interruptSpoken
        interruptsSpokenAudio = mode == .interruptSpoken
    }

    fileprivate mutating func setUp(_ setup: SessionSetup) {
        isMixable = setup.isMixable
        ducksOthers = setup.options.contains(.duckOthers)
        interruptsSpokenAudio = setup.options.contains(.interruptSpokenAudioAndMixWithOthers)
    }
}

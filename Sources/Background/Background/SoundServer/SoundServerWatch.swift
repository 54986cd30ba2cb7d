/// Reads successive states of the sound server, and reports the changes that a session must act on.
/// It knows no times, threads or connections.
package struct SoundServerWatch: Hashable, Sendable {
    /// The announcement of this session; nil until it announces itself. While interrupted it
    /// remains active here, as it was when it was activated.
    package var own: SessionAnnouncement? {
        didSet { if let own { sessions.forgetOverridden(by: own) } }
    }
    /// True if this session is spoken audio, which prompts interrupt instead of ducking it.
    package var isSpokenAudio = false
    private var isConnected = false
    private var wasConnected = false
    private var route = RouteWatch()
    private var calls = CallWatch()
    private var sessions = SessionWatch()
    private var volume = EchoFilter()
    /// 1 while the stream is muted.
    private var mute = EchoFilter(0)
    private var ownStream: UInt32?
    private var otherAudio = OtherAudio.none
    private var isSuspended = false

    package init() {}

    /// The device that this session prefers; nil for the default one.
    package var preferredDevice: String? {
        get { route.preferredDevice }
        set { route.preferredDevice = newValue }
    }

    /// The server answers, for the first time or again.
    package mutating func connected(_ state: SoundServerState) -> [SoundServerChange] {
        let isReset = wasConnected && !isConnected
        if !wasConnected { route.begin(state) }
        isConnected = true
        wasConnected = true
        return (isReset ? [.mediaServicesWereReset] : []) + changed(state)
    }

    /// The server's state changed.
    package mutating func changed(_ state: SoundServerState) -> [SoundServerChange] {
        guard isConnected else { return [] }
        var changes: [SoundServerChange] = []
        if let call = calls.follow(state) { changes.append(call) }
        changes += sessions.follow(state.sessions, own: own, isSpoken: isSpokenAudio)
        if let change = route.follow(state) { changes.append(.routeChanged(change)) }
        return changes + followOwnStream(state) + followOthers(state) + followSuspension(state)
    }

    /// The connection was lost. All interruptions end, and begin again if they are still there when
    /// the server returns.
    package mutating func lost(reason: String) -> [SoundServerChange] {
        guard isConnected else { return [] }
        var changes: [SoundServerChange] = [.mediaServicesWereLost(reason: reason)]
        if sessions.isDucked { changes.append(.duckingEnded) }
        if otherAudio != .none { changes.append(.otherAudio(.none)) }
        if isSuspended { changes.append(.deviceSuspended(false)) }
        changes += (calls.sources + sessions.sources).map {
            .interruptionEnded($0, shouldResume: true)
        }
        isConnected = false
        calls = CallWatch()
        sessions = SessionWatch()
        ownStream = nil
        isSuspended = false
        otherAudio = .none
        return changes
    }

    /// This session is about to set its stream's volume: the next such change is its own.
    package mutating func willSet(volume: Float) { self.volume.willSet(volume) }

    /// This session is about to mute or unmute its stream.
    package mutating func willSet(mute: Bool) { self.mute.willSet(mute ? 1 : 0) }

    /// A stream's initial volume comes from the server's memory, so it is not reported. An initial
    /// mute is, since it would be missed otherwise.
    private mutating func followOwnStream(_ state: SoundServerState) -> [SoundServerChange] {
        guard let stream = state.ownStream else {
            ownStream = nil
            return []
        }
        var changes: [SoundServerChange] = []
        if stream.index != ownStream {
            volume.begin(stream.volume)
        } else if volume.isNews(stream.volume) {
            changes.append(.volumeChanged(min(stream.volume, 1)))
        }
        ownStream = stream.index
        if mute.isNews(stream.isMuted && !calls.isMutedByCall ? 1 : 0) {
            changes.append(.muteChanged(stream.isMuted))
        }
        return changes
    }

    private mutating func followOthers(_ state: SoundServerState) -> [SoundServerChange] {
        let heard = state.streams.compactMap { $0.audibleAudio(sessions: state.sessions) }
        let now: OtherAudio =
            heard.contains(.nonMixable) ? .nonMixable : heard.isEmpty ? .none : .mixable
        guard now != otherAudio else { return [] }
        otherAudio = now
        return [.otherAudio(now)]
    }

    /// A device suspends when nothing plays on it, which is not reported.
    private mutating func followSuspension(_ state: SoundServerState) -> [SoundServerChange] {
        let isPlaying = state.ownStream?.isCorked == false
        let now = isPlaying && state.currentDevice?.isSuspended == true
        guard now != isSuspended else { return [] }
        isSuspended = now
        return [.deviceSuspended(now)]
    }
}

extension ServerStream {
    /// The kind of sound it is to a session beside it; nil if it cannot be heard or has no sound of
    /// its own.
    fileprivate func audibleAudio(sessions: [RemoteSession]) -> OtherAudio? {
        guard !isOwn, !isCorked, !isMuted else { return nil }
        switch role {
        case "filter", "abstract": return nil
        case "event": return .mixable
        default: break
        }
        let owner = sessions.first { $0.identifier == session }
        return owner?.isMixable == true ? .mixable : .nonMixable
    }
}

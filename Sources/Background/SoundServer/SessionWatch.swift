/// Follows the Undersong sessions of other processes: which of them interrupt this one, and whether
/// it is to be softer.
struct SessionWatch: Hashable, Sendable {
    private struct Interrupter: Hashable {
        /// The session as it was when it interrupted.
        var session: RemoteSession
        var source: InterruptionSource { .session(name: session.name) }
    }

    /// What interrupts now, in the order in which it began.
    private var interrupters: [Interrupter] = []
    /// Whether another speaks over this one.
    private(set) var isDucked = false

    /// What interrupts now.
    var sources: [InterruptionSource] { interrupters.map(\.source) }

    /// Follows the sessions of a state as they relate to `own`, and returns what has begun and what
    /// has ended, beginnings first: an end behind them is then not the last.
    mutating func follow(
        _ sessions: [RemoteSession], own: SessionAnnouncement?, isSpoken: Bool
    ) -> [SoundServerChange] {
        interruptions(sessions, own: own, isSpoken: isSpoken)
            + ducking(sessions, own: own, isSpoken: isSpoken)
    }

    /// This session has taken the sound back from those that were active before it, which its owner
    /// knows: they end without a word.
    mutating func forgetOverridden(by own: SessionAnnouncement) {
        guard own.isActive else { return }
        interrupters.removeAll { own.isLater(than: $0.session) }
    }

    private mutating func interruptions(
        _ sessions: [RemoteSession], own: SessionAnnouncement?, isSpoken: Bool
    ) -> [SoundServerChange] {
        var changes: [SoundServerChange] = []
        let before = interrupters
        for other in sessions where other.interrupts(own, isSpoken: isSpoken) {
            guard !before.contains(where: { $0.session.identifier == other.identifier }) else {
                continue
            }
            let interrupter = Interrupter(session: other)
            interrupters.append(interrupter)
            changes.append(.interruptionBegan(interrupter.source))
        }
        for interrupter in before {
            let other = sessions.first { $0.identifier == interrupter.session.identifier }
            if let other, other.isActive, other.couldInterrupt(own, isSpoken: isSpoken) { continue }
            // One that no longer minds to sound together lets the other go on, too.
            let shouldResume = other.map { $0.isActive || $0.notifiesOthers } ?? false
            changes.append(.interruptionEnded(interrupter.source, shouldResume: shouldResume))
            interrupters.removeAll { $0 == interrupter }
        }
        return changes
    }

    private mutating func ducking(
        _ sessions: [RemoteSession], own: SessionAnnouncement?, isSpoken: Bool
    ) -> [SoundServerChange] {
        let isWanted = sessions.contains { $0.ducks(own, isSpoken: isSpoken) }
        guard isWanted != isDucked else { return [] }
        isDucked = isWanted
        return [isWanted ? .duckingBegan : .duckingEnded]
    }
}

extension SessionAnnouncement {
    /// Whether it has become active behind `other`. Of two at the same moment one is, for both.
    func isLater(than other: SessionAnnouncement) -> Bool {
        (activationTime, identifier) > (other.activationTime, other.identifier)
    }

    /// Whether it becoming active interrupts `own`.
    fileprivate func interrupts(_ own: SessionAnnouncement?, isSpoken: Bool) -> Bool {
        guard let own, isActive, own.isActive, isLater(than: own) else { return false }
        return couldInterrupt(own, isSpoken: isSpoken)
    }

    /// Whether the two cannot sound together.
    fileprivate func couldInterrupt(_ own: SessionAnnouncement?, isSpoken: Bool) -> Bool {
        if interruptsSpokenAudio { return isSpoken }
        return !isMixable && own?.isMixable == false
    }

    /// Whether `own` has to be softer beside it.
    fileprivate func ducks(_ own: SessionAnnouncement?, isSpoken: Bool) -> Bool {
        guard isActive, ducksOthers || interruptsSpokenAudio && !isSpoken else { return false }
        // Of two that duck each other the later one speaks.
        guard let own, own.isActive, own.ducksOthers || own.interruptsSpokenAudio else {
            return true
        }
        return isLater(than: own)
    }
}

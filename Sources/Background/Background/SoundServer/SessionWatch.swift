/// Follows the Undersong sessions of other processes: which of them interrupt this one, and whether
/// this one is ducked.
struct SessionWatch: Hashable, Sendable {
    private struct Interrupter: Hashable {
        /// The session as it was when it interrupted.
        var session: RemoteSession
        var source: InterruptionSource { .session(name: session.name) }
    }

    /// The interrupting sessions, in the order in which they began.
    private var interrupters: [Interrupter] = []
    /// True if another session speaks over this one.
    private(set) var isDucked = false

    /// The current interruptions.
    var sources: [InterruptionSource] { interrupters.map(\.source) }

    /// Compares the sessions of a state with `own`, and returns what began and then what ended: in
    /// this order no end is taken for the last.
    mutating func follow(
        _ sessions: [RemoteSession], own: SessionAnnouncement?, isSpoken: Bool
    ) -> [SoundServerChange] {
        interruptions(sessions, own: own, isSpoken: isSpoken)
            + ducking(sessions, own: own, isSpoken: isSpoken)
    }

    /// This session took the sound back from those that were active before it. Its owner knows, so
    /// their ends are not reported.
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
            // One that now mixes with others also lets them resume.
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
    /// Returns true if it became active after `other`. For two at the same moment both processes
    /// agree on which.
    func isLater(than other: SessionAnnouncement) -> Bool {
        (activationTime, identifier) > (other.activationTime, other.identifier)
    }

    /// Returns true if its activation interrupts `own`.
    fileprivate func interrupts(_ own: SessionAnnouncement?, isSpoken: Bool) -> Bool {
        guard let own, isActive, own.isActive, isLater(than: own) else { return false }
        return couldInterrupt(own, isSpoken: isSpoken)
    }

    /// Returns true if the two cannot sound together.
    fileprivate func couldInterrupt(_ own: SessionAnnouncement?, isSpoken: Bool) -> Bool {
        if interruptsSpokenAudio { return isSpoken }
        return !isMixable && own?.isMixable == false
    }

    /// Returns true if `own` has to be ducked while it is active.
    fileprivate func ducks(_ own: SessionAnnouncement?, isSpoken: Bool) -> Bool {
        guard isActive, ducksOthers || interruptsSpokenAudio && !isSpoken else { return false }
        // If two duck each other, the later one speaks.
        guard let own, own.isActive, own.ducksOthers || own.interruptsSpokenAudio else {
            return true
        }
        return isLater(than: own)
    }
}

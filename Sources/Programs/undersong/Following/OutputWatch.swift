import UndersongBackground

/// Decides when to give up a run that finds no sound server, from the events that it is given. Time
/// counts only while the player waits, and no longer once it has played.
struct OutputWatch {
    /// An action to perform.
    enum Action: Equatable {
        /// Wait for the deadline, and then call `isOver` with this number.
        case wait(Int)
        /// End the run for this reason.
        case giveUp(String)
    }

    private var isCounting = false
    private var isWaiting = false
    private var hasNoOutput = false
    private var isLate = false
    private var hasPlayed = false
    private var reason = "It does not answer"
    /// The number of the current wait.
    private var number = 0

    /// True if the run has been given up.
    private(set) var hasGivenUp = false

    /// Starts counting the time; time before does not count.
    mutating func begin() -> Action? {
        isCounting = true
        return isWaiting ? .wait(number) : nil
    }

    /// Handles an event.
    mutating func handle(_ event: PlayerEvent) -> Action? {
        let status = event.head.status
        switch event.kind {
        case .error, .end, .runEnded, .routeChanged: return nil
        case .mediaServicesWereLost(let reason):
            self.reason = reason
            hasNoOutput = true
        case .mediaServicesWereReset: hasNoOutput = false
        default: hasNoOutput = event.head.reason == .known(.noOutput)
        }
        if status == .playing { hasPlayed = true }
        let wasWaiting = isWaiting
        isWaiting = status == .waiting
        if isWaiting && !wasWaiting {
            number += 1
            isLate = false
            return isCounting && !hasPlayed ? .wait(number) : nil
        }
        return isLate ? giveUp() : nil
    }

    /// Handles the deadline of a wait.
    mutating func isOver(_ number: Int) -> Action? {
        guard number == self.number else { return nil }
        isLate = true
        return giveUp()
    }

    private mutating func giveUp() -> Action? {
        guard isCounting, isWaiting, hasNoOutput, !hasPlayed, !hasGivenUp else { return nil }
        hasGivenUp = true
        return .giveUp(reason)
    }
}

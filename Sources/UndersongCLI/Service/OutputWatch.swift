import Control

/// Decides when a run that finds no sound server is given up: what was reported of it comes in, and what
/// is to be done comes out. Time counts only while the player waits, and no more once it has played.
struct OutputWatch {
    /// What is to be done.
    enum Action: Equatable {
        /// Wait for the deadline, and then call `isOver` with this number.
        case wait(Int)
        /// End the run, for this reason.
        case giveUp(String)
    }

    private var isCounting = false
    private var isWaiting = false
    private var hasNoOutput = false
    private var isLate = false
    private var hasPlayed = false
    private var reason = "It does not answer"
    /// Which time of waiting it is.
    private var number = 0

    /// Whether the run was given up.
    private(set) var hasGivenUp = false

    /// From now on time counts, and that before not.
    mutating func begin() -> Action? {
        isCounting = true
        return isWaiting ? .wait(number) : nil
    }

    /// Takes an event in.
    mutating func take(_ event: PlayerEvent) -> Action? {
        let (status, reason) = (event.head.status, event.head.reason)
        switch event.kind {
        case .error, .end, .routeChange: return nil
        case .mediaServicesWereLost:
            self.reason = reason ?? self.reason
            hasNoOutput = true
        case .mediaServicesWereReset: hasNoOutput = false
        default: hasNoOutput = status == "waiting" && reason == "noOutput"
        }
        if status == "playing" { hasPlayed = true }
        let wasWaiting = isWaiting
        isWaiting = status == "waiting"
        if isWaiting && !wasWaiting {
            number += 1
            isLate = false
            return isCounting && !hasPlayed ? .wait(number) : nil
        }
        return isLate ? giveUp() : nil
    }

    /// The deadline of a time of waiting has come.
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

/// When to have a provider of pushes listen again after it was lost: a second later, and twice as
/// long each time, up to five minutes. Times are in seconds of any clock that never goes backward.
struct ProviderBackoff {
    static let firstDelay = 1.0
    static let longestDelay = 300.0
    /// The seconds for which it has to listen to count as steady.
    static let steadyTime = 60.0

    private var nextDelay = Self.firstDelay
    private var beginning: Double?

    /// Whether it could not listen when that was tried last.
    private(set) var isFailing = false

    /// It listens.
    mutating func began(at now: Double) { (beginning, isFailing) = (now, false) }

    /// It could not listen.
    mutating func failed() { isFailing = true }

    /// It was lost, or could not listen. Returns the seconds to wait.
    mutating func lost(at now: Double) -> Double {
        if let beginning, now - beginning >= Self.steadyTime {
            nextDelay = Self.firstDelay
        }
        beginning = nil
        defer { nextDelay = min(nextDelay * 2, Self.longestDelay) }
        return nextDelay
    }
}

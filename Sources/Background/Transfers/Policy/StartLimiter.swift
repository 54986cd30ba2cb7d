/// Delays transfers that are begun in the background, the more the more often that happens (J17).
package struct StartLimiter: Hashable, Sendable {
    /// The seconds before each further start.
    package static let delays: [Double] = [0, 5, 15, 60, 300, 900]

    private var step = 0
    /// The end of the last delay, in seconds since the machine was started.
    private var end = 0.0

    package init() {}

    /// A transfer is begun in the background: returns the time before which it does not run.
    package mutating func start(at now: Double) -> Double {
        // A delay that has passed without another start is forgotten.
        if now >= end { step = 0 }
        let delay = Self.delays[step]
        step = min(step + 1, Self.delays.count - 1)
        end = now + max(delay, Self.delays[1])
        return now + delay
    }
}

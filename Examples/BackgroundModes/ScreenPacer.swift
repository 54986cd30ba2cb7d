import UndersongDemoScreen

/// Decides when the phone gets a screen: at most 20 times a second, when it has changed.
struct ScreenPacer {
    /// Seconds between two screens.
    static let interval = 0.05

    private var last: DemoScreen?
    private var lastTime = -Double.infinity
    /// True if a screen is due.
    private var isDue = false

    /// Notes a change at `now`, in seconds. Returns the seconds after which a screen is due; nil if that
    /// has been returned before.
    mutating func change(at now: Double) -> Double? {
        guard !isDue else { return nil }
        isDue = true
        return max(0, lastTime + Self.interval - now)
    }

    /// Handles that the screen is due.
    mutating func finishWait() { isDue = false }

    /// Returns true if the phone gets this screen at `now`: it is another than the last one.
    mutating func accept(_ screen: DemoScreen, at now: Double) -> Bool {
        guard screen != last else { return false }
        (last, lastTime) = (screen, now)
        return true
    }

    /// Forgets the last screen: the phone is another one.
    mutating func reset() { last = nil }
}

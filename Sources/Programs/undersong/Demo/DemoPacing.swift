/// Decides when the phone is drawn: at most 20 times a second, and not while nothing changes.
struct DemoPacing {
    /// The shortest time between two frames, in seconds.
    static let frameTime = 0.05

    /// The time of the last frame; nil before the first.
    private var last: Double?
    /// True if something has changed since then.
    private var isOutdated = false
    /// The time that is waited for.
    private var awaited: Double?

    /// Ends the wait, since its time has passed.
    mutating func endWait() { awaited = nil }

    /// Returns the commands to draw and to wait. `next` is the number of seconds after which something
    /// changes by itself.
    mutating func commands(
        hasChanged: Bool, next: Double, at now: Double
    ) -> [DemoPhone.Command] {
        var commands: [DemoPhone.Command] = []
        isOutdated = isOutdated || hasChanged
        let earliest = last.map { $0 + Self.frameTime } ?? now
        if isOutdated, now >= earliest {
            (last, isOutdated) = (now, false)
            commands.append(.draw)
        }
        let time = isOutdated ? earliest : now + max(next, Self.frameTime)
        if awaited.map({ time < $0 }) ?? true {
            awaited = time
            commands.append(.wait(time - now))
        }
        return commands
    }
}

/// What decides who is Now Playing, and where the item is that it shows (behaviour 2.6).
package enum NowPlaying {
    /// Whether an application may be Now Playing: it answers remote commands, and its session is
    /// active and lets no other sound beside it.
    package static func isEligible(
        hasHandler: Bool, isSessionActive: Bool, isMixable: Bool
    ) -> Bool {
        hasHandler && isSessionActive && !isMixable
    }

    /// Where an item is, in seconds, `interval` seconds after it was said to be at `elapsed`.
    ///
    /// It goes on at `rate` and stays within the item where its duration is known.
    package static func elapsed(
        from elapsed: Double, rate: Double, after interval: Double, duration: Double?
    ) -> Double {
        let position = elapsed + rate * max(0, interval)
        guard let duration, duration.isFinite, duration > 0 else { return max(0, position) }
        return min(max(0, position), duration)
    }
}

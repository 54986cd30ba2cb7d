/// Decides which application is Now Playing, and computes the position to show (behaviour 2.6).
package enum NowPlaying {
    /// Returns true if an application may be Now Playing: it handles remote commands, and its
    /// session is active and does not mix with others.
    package static func isEligible(
        hasHandler: Bool, isSessionActive: Bool, isMixable: Bool
    ) -> Bool {
        hasHandler && isSessionActive && !isMixable
    }

    /// The item's position in seconds, `interval` seconds after it was reported to be at `elapsed`.
    ///
    /// It advances at `rate` and stays within the item if the duration is known.
    package static func elapsed(
        from elapsed: Double, rate: Double, after interval: Double, duration: Double?
    ) -> Double {
        let position = elapsed + rate * max(0, interval)
        guard let duration, duration.isFinite, duration > 0 else { return max(0, position) }
        return min(max(0, position), duration)
    }
}

/// The delays between attempts that fail: each is twice as long as the one before, up to a longest.
package struct Backoff: Hashable, Sendable {
    private let first: Double
    /// The longest delay, in seconds.
    package var longest: Double
    private var following: Double

    /// Creates a back-off from the first delay to the longest, in seconds.
    package init(seconds delays: ClosedRange<Double>) {
        (first, longest, following) = (delays.lowerBound, delays.upperBound, delays.lowerBound)
    }

    /// Returns the seconds to wait before the next attempt.
    package mutating func next() -> Double {
        defer { following = min(following * 2, longest) }
        return following
    }

    /// Returns the nanoseconds to wait before the next attempt.
    package mutating func nextNanoseconds() -> Int64 { Int64((next() * 1e9).rounded()) }

    /// Makes the next delay the first one again.
    package mutating func reset() { following = first }

    /// Returns the seconds to wait after `failures` earlier failures, for attempts that are counted
    /// elsewhere.
    package func delay(after failures: Int) -> Double {
        min(first * Double(1 << min(max(0, failures), 40)), longest)
    }
}

/// The limit of how often pushes wake the host: three times at once, and then once in twenty minutes (H4).
/// Times are in seconds of any clock that never goes backward.
package struct PushThrottle: Hashable, Sendable {
    /// The most wakes that are available.
    package static let capacity = 3
    /// Seconds after which one more is available.
    package static let interval = 1200.0

    /// The time at which all wakes are available again, in nanoseconds: sums of them are exact.
    private var fullTime: Int64

    /// Creates a throttle; `debt` are the seconds after `now` at which all wakes are available.
    package init(debt: Double = 0, at now: Double = 0) {
        fullTime =
            Self.nanoseconds(now)
            + Self.nanoseconds(min(max(debt, 0), Double(Self.capacity) * Self.interval))
    }

    /// The seconds until all wakes are available.
    package func debt(at now: Double) -> Double {
        Double(max(0, fullTime - Self.nanoseconds(now))) / 1e9
    }

    /// The number of wakes that are available.
    package func available(at now: Double) -> Int {
        Self.capacity - Int((debt(at: now) / Self.interval).rounded(.up))
    }

    /// The time at which a wake is available: `now`, or later.
    package func nextTime(at now: Double) -> Double {
        let time = fullTime - Self.nanoseconds(Double(Self.capacity - 1) * Self.interval)
        return time <= Self.nanoseconds(now) ? now : Double(time) / 1e9
    }

    /// The seconds until one more wake is available; nil if all are.
    func nextWake(at now: Double) -> Double? {
        let debt = debt(at: now)
        let rest = debt.truncatingRemainder(dividingBy: Self.interval)
        return debt > 0 ? (rest > 0 ? rest : Self.interval) : nil
    }

    /// Uses one wake; returns false if none is available.
    package mutating func useWake(at now: Double) -> Bool {
        guard nextTime(at: now) <= now else { return false }
        fullTime = max(fullTime, Self.nanoseconds(now)) + Self.nanoseconds(Self.interval)
        return true
    }

    private static func nanoseconds(_ seconds: Double) -> Int64 {
        Int64((seconds * 1e9).rounded())
    }
}

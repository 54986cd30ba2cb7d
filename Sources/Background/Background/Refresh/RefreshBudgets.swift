/// The number of times the host may be woken in a day (ours, since Apple gives no figure).
struct WakeBudget: Hashable, Sendable {
    static let limit = 48
    static let span = 86400.0

    /// The last wakes, in seconds of CLOCK_BOOTTIME, oldest first.
    private(set) var wakes: [Double] = []

    mutating func add(_ boot: Double) {
        wakes.append(boot)
        if wakes.count > Self.limit { wakes.removeFirst(wakes.count - Self.limit) }
    }

    /// The time at which the next wake may be, in seconds of CLOCK_BOOTTIME.
    var nextBoot: Double? { wakes.count < Self.limit ? nil : wakes[0] + Self.span }

    /// Returns the number of wakes within a day before `boot`.
    func count(before boot: Double) -> Int {
        wakes.count { $0 < boot && $0 > boot - Self.span }
    }
}

/// The amount of data that runs in the background may transfer in a day (ours, as above).
struct DataBudget: Hashable, Sendable {
    /// The limit in bytes.
    static let limit = 200_000_000
    private static let span = 86400.0

    private struct Transfer: Hashable {
        /// The time at which it was over, in seconds of CLOCK_BOOTTIME.
        var boot: Double
        var bytes: Int
    }

    /// The transfers of the last day, oldest first.
    private var transfers: [Transfer] = []

    mutating func add(_ bytes: Int, at boot: Double) {
        guard bytes > 0 else { return }
        transfers.removeAll { $0.boot <= boot - Self.span }
        transfers.append(Transfer(boot: boot, bytes: bytes))
    }

    /// Returns the time of the next permitted transfer, in seconds of CLOCK_BOOTTIME; nil if it may
    /// be at `boot`.
    func nextBoot(after boot: Double) -> Double? {
        var rest = transfers.filter { $0.boot > boot - Self.span }[...]
        var (total, next) = (rest.reduce(0) { $0 + $1.bytes }, Double?.none)
        while total >= Self.limit, let oldest = rest.popFirst() {
            total -= oldest.bytes
            next = oldest.boot + Self.span
        }
        return next
    }
}

/// The part of a scheduler's state that all schedulers of a service have in common.
package struct RefreshPool: Hashable, Sendable {
    /// The number of the next task.
    package internal(set) var nextTask = 1
    var wakes = WakeBudget()
    var data = DataBudget()
    /// The running tasks that process, by number: there is one at a time.
    var processing: Set<Int> = []
    /// The last time at which the machine has woken, and the time before which nothing begins after
    /// that, in seconds of CLOCK_BOOTTIME.
    private(set) var lastWaking: Double?
    private(set) var awakeFrom = 0.0

    package init() {}

    /// Notes that the machine has woken: nothing begins before `delay` seconds have passed. Only the
    /// first scheduler that reports it chooses them.
    mutating func noteWaking(at boot: Double, delay: () -> Double) {
        guard lastWaking != boot else { return }
        lastWaking = boot
        awakeFrom = boot + delay()
    }
}

/// The number of times the host may be woken in a day (ours, since Apple gives no figure).
struct WakeBudget: Hashable, Sendable {
    private struct Wake: Hashable {
        /// Seconds of CLOCK_BOOTTIME.
        var boot: Double
        /// The number of tasks that have begun in it.
        var tasks: Int
    }

    static let limit = 48
    private static let span = 86400.0
    /// The seconds within which begins are of the same wake. Those of an earlier start of the machine
    /// are known by their dates, which are less exact.
    private static let moment = 0.01

    /// The last wakes, oldest first.
    private var wakes: [Wake] = []

    /// Counts a task that begins at `boot`, in the wake of that moment.
    mutating func add(_ boot: Double) {
        if let index = index(at: boot) {
            wakes[index].tasks += 1
            return
        }
        let index = wakes.lastIndex { $0.boot < boot }.map { $0 + 1 } ?? 0
        wakes.insert(Wake(boot: boot, tasks: 1), at: index)
        if wakes.count > Self.limit { wakes.removeFirst() }
    }

    /// Does not count a task that was to begin at `boot` and has not.
    mutating func remove(_ boot: Double) {
        guard let index = index(at: boot) else { return }
        wakes[index].tasks -= 1
        if wakes[index].tasks == 0 { wakes.remove(at: index) }
    }

    /// Returns the time before which no wake may be, in seconds of CLOCK_BOOTTIME; nil if one may be
    /// at `boot`, or is already.
    func nextBoot(after boot: Double) -> Double? {
        guard wakes.count >= Self.limit, index(at: boot) == nil else { return nil }
        let next = wakes[0].boot + Self.span
        return boot < next ? next : nil
    }

    /// Returns the number of wakes within a day before `boot`.
    func count(before boot: Double) -> Int {
        wakes.count { $0.boot < boot && $0.boot > boot - Self.span }
    }

    private func index(at boot: Double) -> Int? {
        wakes.lastIndex { abs($0.boot - boot) < Self.moment }
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
        let index = transfers.lastIndex { $0.boot <= boot }.map { $0 + 1 } ?? 0
        transfers.insert(Transfer(boot: boot, bytes: bytes), at: index)
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

/// The processor time that the runs of an identifier cost, and the pause that follows from it (ours,
/// since Apple gives no figure).
struct RefreshCost: Hashable, Sendable {
    /// The seconds of processor time that fetches and refreshes of an identifier may cost in an hour:
    /// a hundredth of a processor, and a third of that on battery.
    static let hourly = 36.0
    static let hourlyOnBattery = 12.0
    /// The number of last runs of which the median counts.
    private static let count = 5

    /// The last runs' processor times in seconds, oldest first.
    private var times: [Double] = []

    mutating func add(_ time: Double) { times = (times + [max(0, time)]).suffix(Self.count) }

    /// The processor time of a usual run; nil before the first.
    var median: Double? { times.isEmpty ? nil : times.sorted()[times.count / 2] }

    /// Returns the seconds between the begins of two runs after which they cost no more than that.
    func pause(isOnBattery: Bool) -> Double {
        let limit = isOnBattery ? Self.hourlyOnBattery : Self.hourly
        return min((median ?? 0) / limit * 3600, RefreshScheduler.longestWait)
    }
}

/// Decides which fixes of a source are believed.
package struct FixValidation: Sendable {
    /// Seconds after which a fix is too old.
    package static let maximumAge = 60.0
    /// Seconds by which a fix may come later than others of its source. Of fixes that have waited
    /// longer, because a program was stopped, the newest one is of use.
    package static let patience = 2.0
    /// Seconds by which the newest one may come later than when the next one is due.
    private static let jitter = 0.25
    /// Meters per second above which a movement is a jump: faster than airliners.
    package static let maximumSpeed = 300.0
    /// Seconds after which what was believed says nothing about what comes.
    static let memory = 60.0
    /// The result.
    package enum Verdict: Hashable, Sendable {
        case believed(LocationFix)
        case refused(FixFault)
    }

    /// The fix that was believed last.
    package private(set) var last: LocationFix?
    /// A fix that looked like a jump, until the next one.
    private var jumped: LocationFix?
    /// The fix that was too old, by which the source's clock is seen to run.
    private var aged: LocationFix?
    /// The least number of seconds from a fix's time, by the source's clock, to its arrival.
    private var leastDelay: Double?
    /// The time of the last fix that was not too old.
    private var previousTime: Double?
    /// The number of seconds from one fix to the next, when they have not waited.
    private var interval = 0.0

    package init() {}

    /// Judges a fix that has arrived at `now`.
    ///
    /// A jump is believed as soon as the next fix agrees with it, and old fixes when the source's
    /// clock is seen to run, so that neither a long tunnel nor a wrong clock makes a source
    /// useless. Once a prompt source is believed, its fixes are old by what it took them to come,
    /// so that neither its clock nor the host's has to be right. Replayed and simulated fixes may have
    /// the time of a recording and are never too old, and simulated ones may be anywhere.
    package mutating func judge(_ fix: LocationFix, at now: LocationTime) -> Verdict {
        if let fault = Self.fault(in: fix) { return .refused(fault) }
        if let last, fix.arrival - last.arrival > Self.memory || fix.source != last.source {
            self.last = nil
            jumped = nil
        }
        if let last, fix.time <= last.time {
            return .refused(fix.time == last.time ? .repeated : .timeBackward)
        }
        if isStale(fix, at: now) { return .refused(.stale) }
        if isJump(fix) { return .refused(.jump) }
        let fix = fix.withPlausibleDetails
        last = fix
        return .believed(fix)
    }

    /// Forgets what was believed: a source begins.
    package mutating func reset() { self = FixValidation() }

    private static func fault(in fix: LocationFix) -> FixFault? {
        let numbers = [
            fix.coordinate.latitude, fix.coordinate.longitude, fix.horizontalAccuracy, fix.time,
        ]
        guard numbers.allSatisfy(\.isFinite) else { return .notANumber }
        if abs(fix.coordinate.latitude) > 90 { return .latitude }
        if abs(fix.coordinate.longitude) > 180 { return .longitude }
        return fix.horizontalAccuracy < 0 ? .noPlace : nil
    }

    private mutating func isStale(_ fix: LocationFix, at now: LocationTime) -> Bool {
        guard fix.source.isLive else { return false }
        let delay = fix.arrival - fix.time
        let isOld =
            if let leastDelay, fix.source.isPrompt {
                // The newest of those that have waited is the one after which none is due yet.
                delay - leastDelay
                    > (aged == nil ? max(Self.patience, interval) : interval + Self.jitter)
            } else {
                now.wall - fix.time > Self.maximumAge
            }
        guard isOld else {
            if aged == nil, let previousTime { interval = fix.time - previousTime }
            previousTime = fix.time
            leastDelay = min(leastDelay ?? delay, delay)
            aged = nil
            return false
        }
        guard hasRunningClock(fix) else { return true }
        previousTime = fix.time
        leastDelay = delay
        return false
    }

    /// Returns true if the source's clock runs as the host's does, though it shows another time.
    /// Neither an old fix that is sent once more nor fixes that have waited together look like
    /// that.
    private mutating func hasRunningClock(_ fix: LocationFix) -> Bool {
        let first = aged ?? fix
        let seconds = fix.arrival - first.arrival
        guard seconds >= 0.5 else {
            aged = first
            return false
        }
        aged = fix
        return (0.5...1.5).contains((fix.time - first.time) / seconds)
    }

    private mutating func isJump(_ fix: LocationFix) -> Bool {
        guard let last, fix.source != .simulation, !Self.isReachable(fix, from: last) else {
            jumped = nil
            return false
        }
        defer { jumped = fix }
        guard let jumped, fix.time > jumped.time, Self.isReachable(fix, from: jumped) else {
            return true
        }
        return false
    }

    private static func isReachable(_ fix: LocationFix, from other: LocationFix) -> Bool {
        let distance =
            fix.distance(from: other) - fix.horizontalAccuracy - other.horizontalAccuracy
        return distance <= maximumSpeed * (fix.time - other.time)
    }
}

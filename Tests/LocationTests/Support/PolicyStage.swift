import Testing

@testable import UndersongLocation

/// A policy with time by hand: both clocks show the same.
struct PolicyStage {
    static let usage = LocationUsage(
        whenInUse: "to follow you", alwaysAndWhenInUse: "to follow you everywhere")

    var policy: LocationPolicy
    var now = 0.0

    /// A policy in the foreground, of a host that declares everything and is always allowed to know
    /// places.
    init(
        status: LocationAuthorization.Status = .always, hasMode: Bool = true,
        usage: LocationUsage = usage
    ) {
        self.init(
            record: LocationPolicy.Record(status: status), hasMode: hasMode, usage: usage)
    }

    init(record: LocationPolicy.Record, hasMode: Bool = true, usage: LocationUsage = usage) {
        policy = LocationPolicy(record)
        handle(.declared(hasBackgroundMode: hasMode, usage))
    }

    private var time: LocationTime { LocationTime(now) }

    /// The time at which something is due; nil if nothing is.
    var nextDue: Double? { policy.nextDue(at: time).boot }

    @discardableResult
    mutating func handle(_ input: LocationPolicy.Input) -> [LocationPolicy.Effect] {
        policy.handle(input, at: time)
    }

    /// The source that is open reports an event.
    @discardableResult
    mutating func report(_ event: LocationSourceEvent) -> [LocationPolicy.Effect] {
        handle(.source(policy.sourceNumber, event))
    }

    /// Reports a fix when it is measured, after what was due before.
    mutating func receive(_ fix: LocationFix) -> [LocationPolicy.Effect] {
        let effects = advance(to: fix.time)
        return effects + report(.fix(fix))
    }

    /// Lets time pass to `time`, with a stop wherever something is due.
    mutating func advance(to time: Double) -> [LocationPolicy.Effect] {
        var effects: [LocationPolicy.Effect] = []
        while let due = nextDue, due <= time {
            now = max(now, due)
            effects += handle(.timePassed)
            // Its timer would never rest.
            if let next = nextDue, next <= now {
                Issue.record("what was due at \(due) s is due again at \(next) s")
                break
            }
        }
        now = max(now, time)
        return effects
    }
}

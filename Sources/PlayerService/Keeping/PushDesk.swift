import Background
import Playback
import Store

/// The mailbox of pushes with its timer, the effects that are still to be performed, and the
/// provider's calls that wait for an answer. Used on the service's executor only.
struct PushDesk {
    var mailbox: PushMailbox
    var registration: PushRegistration
    /// Effects to perform, in this order.
    var effects: [PushMailbox.Effect] = []
    /// Whether they are being performed.
    var isPerforming = false
    private var calls: [Int: CheckedContinuation<Result<PushReceipt, ServiceError>, Never>] = [:]
    private var lastTicket = 0
    private let clock: any HostClock
    private var timer: HostTimer?

    /// Continues from what the store has kept; `token` is for the first time.
    init(_ stored: StoredPushes, token: String, handlesFeeds: Bool, clock: any HostClock) {
        registration = stored.registration ?? PushRegistration(token: token)
        self.clock = clock
        mailbox = PushMailbox(
            Self.record(stored, now: clock.secondsSinceEpoch), handlesFeeds: handlesFeeds,
            at: clock.secondsSinceBoot)
    }

    /// A host's time also passes while the machine sleeps.
    var now: Double { clock.secondsSinceBoot }

    /// Seconds since 1970.
    var date: Double { clock.secondsSinceEpoch }

    /// Takes in what has happened; what is to be done waits in `effects`.
    mutating func handle(_ input: PushMailbox.Input) {
        effects += mailbox.handle(input, at: now)
    }

    /// A push has arrived; its receipt goes to `call`.
    mutating func take(
        _ push: Push,
        for call: CheckedContinuation<Result<PushReceipt, ServiceError>, Never>
    ) {
        lastTicket += 1
        calls[lastTicket] = call
        handle(.arrived(push, ticket: lastTicket))
    }

    /// Pushes come from there from now on.
    mutating func setSource(_ source: PushSource) {
        switch source {
        case .local: (registration.provider, registration.url) = ("local", nil)
        case .ntfy(let url): (registration.provider, registration.url) = ("ntfy", url)
        }
    }

    /// Answers a provider's call.
    mutating func answer(_ ticket: Int, _ result: Result<PushReceipt, ServiceError>) {
        calls.removeValue(forKey: ticket)?.resume(returning: result)
    }

    /// The row of the registration as it is now.
    mutating func currentRegistration() -> PushRegistration {
        registration.debt = mailbox.throttle.debt(at: now)
        registration.time = date
        registration.isShutDown = mailbox.isShutDown
        let counts = mailbox.counts
        registration.handled = counts.handled
        registration.superseded = counts.superseded
        registration.abandoned = counts.abandoned
        registration.duplicates = counts.duplicates
        registration.refused = counts.refused
        return registration
    }

    /// Schedules a call of `wake` for when something is next due, if anything is.
    mutating func schedule(_ wake: @escaping @Sendable () -> Void) {
        timer?.cancel()
        timer = nil
        guard let due = mailbox.nextDue(at: now) else { return }
        timer = clock.wake(after: due - now, leeway: 50_000_000, wake)
    }

    // MARK: The store

    private static func record(_ stored: StoredPushes, now: Double) -> PushMailbox.Record {
        var record = PushMailbox.Record()
        record.waiting = stored.waiting.compactMap { Push($0) }
        record.known = stored.finished.sorted { $0.key < $1.key }.map {
            PushMailbox.Known(identifier: $0.value, number: $0.key)
        }
        guard let registration = stored.registration else { return record }
        // A clock that was set back must not prolong the wait.
        record.debt = registration.debt - max(0, now - registration.time)
        record.isShutDown = registration.isShutDown
        record.counts.handled = registration.handled
        record.counts.superseded = registration.superseded
        record.counts.abandoned = registration.abandoned
        record.counts.duplicates = registration.duplicates
        record.counts.refused = registration.refused
        return record
    }
}

extension Push {
    /// Nil if the payload, which was checked before it was written, is none.
    fileprivate init?(_ stored: StoredPush) {
        guard let payload = try? PushPayload(Array(stored.payload.utf8)) else { return nil }
        self.init(
            number: stored.number, identifier: stored.identifier, topic: stored.topic,
            received: stored.received, payload: payload,
            type: stored.type.flatMap { PushType(rawValue: $0) }, isUrgent: stored.isUrgent,
            attempts: stored.attempts)
    }
}

extension StoredPush {
    init(_ push: Push) {
        self.init(
            number: push.number, identifier: push.identifier, topic: push.topic,
            received: push.received, payload: String(decoding: push.payload.bytes, as: UTF8.self),
            type: push.type?.rawValue, isUrgent: push.isUrgent, attempts: push.attempts)
    }
}

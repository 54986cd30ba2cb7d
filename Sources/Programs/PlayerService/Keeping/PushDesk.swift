import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

/// The mailbox of pushes with its timer, the effects that are still to be performed, and the
/// provider's calls that wait for an answer. Used on the service's executor only.
struct PushDesk {
    var mailbox: PushMailbox
    var registration: PushRegistration
    /// Effects to perform, in this order.
    var effects: [PushMailbox.Effect] = []
    /// Whether they are being performed.
    var isPerforming = false
    /// What was counted with the pushes whose end is on the disk, or is about to be. A crash before the
    /// end of others is written must not leave them counted.
    var finishedCounts: PushMailbox.Counts
    /// Those that wait until all effects are performed.
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var calls: [Int: CheckedContinuation<Result<PushReceipt, ServiceError>, Never>] = [:]
    private var lastTicket = 0
    private let clock: any HostClock
    private var timer: HostTimer?
    /// When the provider is tried again.
    private(set) var backoff = ProviderBackoff()
    /// The number of the last attempt to have the provider listen.
    private(set) var listening = 0
    private var listenTimer: HostTimer?

    /// Continues from what the store has kept; `token` is for the first time.
    init(_ stored: StoredPushes, token: String, handlesFeeds: Bool, clock: any HostClock) {
        registration = stored.registration ?? PushRegistration(token: token)
        self.clock = clock
        let record = Self.record(stored, now: clock.secondsSinceEpoch)
        finishedCounts = record.counts
        mailbox = PushMailbox(record, handlesFeeds: handlesFeeds, at: clock.secondsSinceBoot)
    }

    /// A host's time also passes while the machine sleeps.
    var now: Double { clock.secondsSinceBoot }

    /// Seconds since 1970.
    var date: Double { clock.secondsSinceEpoch }

    /// Resumes `waiter` as soon as all effects are performed.
    mutating func wait(_ waiter: CheckedContinuation<Void, Never>) {
        if isPerforming || !effects.isEmpty { waiters.append(waiter) } else { waiter.resume() }
    }

    /// All effects are performed.
    mutating func endPerforming() {
        isPerforming = false
        let waiting = waiters
        waiters = []
        waiting.forEach { $0.resume() }
    }

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
        case .unifiedPush: (registration.provider, registration.url) = ("unifiedpush", nil)
        }
    }

    /// Where pushes come from besides the socket.
    var source: PushSource {
        switch (registration.provider, registration.url) {
        case ("unifiedpush", _): .unifiedPush(distributor: nil, vapid: nil)
        case (_, let url?): .ntfy(url: url)
        default: .local
        }
    }

    /// The provider is about to listen; returns the number of this attempt.
    mutating func beginListening() -> Int {
        listenTimer?.cancel()
        listenTimer = nil
        listening += 1
        return listening
    }

    /// The provider listens.
    mutating func listens() { backoff.began(at: now) }

    /// The provider could not listen.
    mutating func failedToListen() { backoff.failed() }

    /// The provider does not listen. Schedules a call of `body`, which tries it again.
    mutating func listenLater(_ body: @escaping @Sendable () -> Void) {
        listenTimer?.cancel()
        listenTimer = clock.wake(after: backoff.lost(at: now), leeway: 50_000_000, body)
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
        registration.handled = finishedCounts.handled
        registration.superseded = finishedCounts.superseded
        registration.abandoned = finishedCounts.abandoned
        registration.duplicates = mailbox.counts.duplicates
        registration.refused = mailbox.counts.refused
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

/// When to have a provider of pushes listen again after it was lost. Times are in seconds of any
/// clock that never goes backward.
struct ProviderBackoff {
    /// The seconds for which it has to listen to count as steady.
    private static let steadyTime = 60.0

    private var delays = Backoff(seconds: 1...300)
    private var beginning: Double?

    /// Whether it could not listen when that was tried last.
    private(set) var isFailing = false

    /// It listens.
    mutating func began(at now: Double) { (beginning, isFailing) = (now, false) }

    /// It could not listen.
    mutating func failed() { isFailing = true }

    /// It was lost, or could not listen. Returns the seconds to wait.
    mutating func lost(at now: Double) -> Double {
        if let beginning, now - beginning >= Self.steadyTime { delays.reset() }
        beginning = nil
        return delays.next()
    }
}

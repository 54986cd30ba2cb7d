import UndersongBackground
import UndersongBase
import UndersongStore

/// The shell of the mailbox of pushes: its timer, the effects that are still to be performed, the
/// senders that wait for an answer, and what is written. Used on the service's executor only.
final class PushDesk {
    /// A sender's call.
    typealias Call = CheckedContinuation<Result<PushReceipt, ServiceError>, Never>

    private(set) var mailbox: PushMailbox
    /// The registration to keep. Its counts are those with the pushes whose end is on the disk, or is
    /// about to be: a crash before the end of others is written must not leave them counted.
    var registration: PushRegistration
    /// The effects to perform, in this order.
    private var effects: [PushMailbox.Effect] = []
    private var isPerforming = false
    /// The callers that wait until all effects are performed.
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var calls: [Int: Call] = [:]
    private var lastTicket = 0
    private let clock: any HostClock
    private var timer: HostTimer?
    /// The delay until the provider is tried again.
    private(set) var backoff = ProviderBackoff()
    /// The number of the last attempt to have the provider listen.
    private(set) var listening = 0
    private var listenTimer: HostTimer?

    /// Continues from `record`.
    init(_ record: PushMailbox.Record, handlesFeeds: Bool, clock: any HostClock) {
        registration = record.registration
        self.clock = clock
        mailbox = PushMailbox(
            record, handlesFeeds: handlesFeeds, at: clock.secondsSinceBoot,
            date: clock.secondsSinceEpoch)
    }

    /// A host's time also passes while the machine sleeps.
    var now: Double { clock.secondsSinceBoot }

    /// True if a push is being handled, or will be as soon as time permits.
    var isWaiting: Bool { mailbox.isAwake || !effects.isEmpty || mailbox.waitsForTime(at: now) }

    /// Handles an input; its effects are added to `effects`.
    func handle(_ input: PushMailbox.Input) { effects += mailbox.handle(input, at: now) }

    /// Handles a push that has arrived; its receipt goes to `call`.
    func receive(_ push: Push, for call: Call) {
        lastTicket += 1
        calls[lastTicket] = call
        handle(.arrived(push, ticket: lastTicket))
    }

    /// Answers a sender's call.
    func answer(_ ticket: Int, _ result: Result<PushReceipt, ServiceError>) {
        calls.removeValue(forKey: ticket)?.resume(returning: result)
    }

    /// Resumes `waiter` as soon as all effects are performed.
    func wait(_ waiter: CheckedContinuation<Void, Never>) {
        if isPerforming || !effects.isEmpty { waiters.append(waiter) } else { waiter.resume() }
    }

    /// True if there are effects that are not being performed yet.
    var hasEffects: Bool { !isPerforming && !effects.isEmpty }

    /// Performs the effects one after the other, until there are none.
    func performEffects(
        isolation: isolated any Actor = #isolation,
        _ perform: nonisolated(nonsending) (PushMailbox.Effect) async -> Void
    ) async {
        isPerforming = true
        while !effects.isEmpty { await perform(effects.removeFirst()) }
        isPerforming = false
        let waiting = waiters
        waiters = []
        waiting.forEach { $0.resume() }
    }

    /// Schedules a call of `wake` for when something is next due, if anything is.
    func schedule(_ wake: @escaping @Sendable () -> Void) {
        timer?.cancel()
        timer = nil
        guard let due = mailbox.nextDue(at: now) else { return }
        timer = clock.wake(after: due - now, leeway: 50_000_000, wake)
    }

    // MARK: The provider

    /// Notes that the provider is about to listen; returns the number of this attempt.
    func beginListening() -> Int {
        listenTimer?.cancel()
        listenTimer = nil
        listening += 1
        return listening
    }

    /// Notes that the provider listens.
    func listens() { backoff.began(at: now) }

    /// Notes that the provider could not listen.
    func failedToListen() { backoff.failed() }

    /// Schedules a call of `body`, which has the provider listen again.
    func listenLater(_ body: @escaping @Sendable () -> Void) {
        listenTimer?.cancel()
        listenTimer = clock.wake(after: backoff.lost(at: now), leeway: 50_000_000, body)
    }

    // MARK: The store

    /// The names of the records: of the registration, of the pushes that wait or are being handled,
    /// and of those that are over, which arrivals do not rewrite.
    private enum Names {
        static let registration = "push"
        static let waiting = "push.waiting"
        static let known = "push.known"
    }

    /// The remains of an earlier service; `token` is for the first one.
    static func record(in store: StateStore, token: String) async -> PushMailbox.Record {
        let registrations = await store.records(PushRegistration.self, in: Names.registration)
        let waiting = await store.records(Push.self, in: Names.waiting)
        let known = await store.records(PushMailbox.Known.self, in: Names.known)
        return PushMailbox.Record(
            registrations.first?.value ?? PushRegistration(token: token),
            waiting: waiting.map(\.value), known: known.map(\.value))
    }

    /// The change that writes a push.
    static func change(_ push: Push) throws -> RecordChange {
        try .keep(push, in: Names.waiting, as: RecordChange.key(push.number))
    }

    /// The changes after which a push is over, and another one is forgotten.
    static func changes(
        finishing push: PushMailbox.Known, forgetting other: PushMailbox.Known?
    ) throws -> [RecordChange] {
        let key = RecordChange.key(push.number)
        var changes = [
            RecordChange.remove(namespace: Names.waiting, key: key),
            try .keep(push, in: Names.known, as: key),
        ]
        if let other {
            changes.append(.remove(namespace: Names.known, key: RecordChange.key(other.number)))
        }
        return changes
    }

    /// The change that writes the registration as it is now.
    func registrationChange() throws -> RecordChange {
        registration.debt = mailbox.throttle.debt(at: now)
        registration.time = clock.secondsSinceEpoch
        registration.isShutDown = mailbox.isShutDown
        registration.counts.duplicates = mailbox.counts.duplicates
        registration.counts.refused = mailbox.counts.refused
        return try .keep(registration, in: Names.registration, as: "registration")
    }
}

/// The delays before a provider of pushes is to listen again after it was lost. Times are in seconds
/// of any clock that never goes backward.
struct ProviderBackoff {
    /// The seconds for which it has to listen to count as steady.
    private static let steadyTime = 60.0

    private var delays = Backoff(seconds: 1...300)
    private var beginning: Double?

    /// True if it could not listen when that was tried last.
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

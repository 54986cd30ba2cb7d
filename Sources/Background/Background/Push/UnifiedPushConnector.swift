package import UndersongBase

/// The connector of UnifiedPush as a value: the choice of a distributor, the registration with it,
/// and the fate of its messages.
///
/// A registration is kept on the disk before a distributor knows of it, and asked for again with
/// the same token whenever the bus or the distributor is started again. The endpoint that was given
/// to senders belongs to one distributor, so no other one replaces it automatically. A message is
/// acknowledged when the push in it is taken. A report that messages may be missing is kept with
/// the registration until it is accepted. Times are in seconds of a clock that also runs while the
/// machine sleeps.
package struct UnifiedPushConnector: Machine {
    /// The seconds that a distributor has for its answer, and then for the endpoint.
    static let answerTime = 60.0
    /// The delays after failures.
    static let delays = Backoff(seconds: 30...3600)
    /// Seconds of a registration after which failures before it no longer count.
    static let stableTime = 600.0

    /// The stages of the connector's registration.
    private enum Phase: Hashable, Sendable {
        /// There is no bus.
        case noBus
        /// It waits for its name on the bus.
        case naming
        /// Another process has the name.
        case nameTaken
        /// It looks for a distributor.
        case searching
        /// There is none that it may use.
        case noDistributor
        /// It waits for a new token and for the disk.
        case preparing
        /// It waits for an answer until this time.
        case registering(Int, UnifiedPush.Version, until: Double)
        /// It waits for the endpoint until this time.
        case accepted(until: Double)
        /// Messages can come, since this time.
        case registered(since: Double)
        /// It tries again at this time.
        case failed(UnifiedPushProblem, until: Double)
    }

    /// The registration; nil before the first one is made.
    package private(set) var registration: UnifiedPushRegistration?
    private var phase = Phase.noBus
    /// The distributor that the user has named; nil for any.
    private let wanted: String?
    private let vapid: String?
    private var running: Set<String> = []
    private var startable: Set<String> = []
    /// True if the disk has the registration as it is.
    private var isKept: Bool
    private var lastRequest = 0
    private var failures = 0
    private var inbox = UnifiedPushInbox()

    /// Creates a connector for the registration that was kept, if there is one. `distributor` is the
    /// name of the one to use, and `vapid` the key of the only sender; nil for any.
    package init(
        _ registration: UnifiedPushRegistration?, distributor: String? = nil, vapid: String? = nil
    ) {
        self.registration = registration
        isKept = registration != nil
        wanted = distributor
        self.vapid = vapid
    }

    package func nextDue(at now: Double) -> Due {
        let registering: Double? =
            switch phase {
            case .registering(_, _, let time), .accepted(let time), .failed(_, let time): time
            default: nil
            }
        return Due(boot: [registering, inbox.retryTime].compactMap(\.self).min())
    }

    /// True if nothing but an event or a later attempt will change its status.
    package var isSettled: Bool {
        switch phase {
        case .noBus, .naming, .searching, .preparing, .registering, .accepted: false
        case .nameTaken, .noDistributor, .registered, .failed: true
        }
    }

    /// The state of the registration.
    package func status(at now: Double) -> UnifiedPushStatus {
        var status = UnifiedPushStatus(.registering)
        switch phase {
        case .noBus: status = UnifiedPushStatus(.failed, reason: .noBus)
        case .nameTaken: status = UnifiedPushStatus(.failed, reason: .nameTaken)
        case .noDistributor: status = UnifiedPushStatus(.failed, reason: .noDistributor)
        case .failed(let problem, let time):
            status = UnifiedPushStatus(.failed, reason: problem)
            status.retry = max(0, time - now)
        case .registered: status.state = .registered
        case .naming, .searching, .preparing, .registering, .accepted: break
        }
        status.distributor = registration?.distributor ?? wanted
        status.endpoint = registration?.endpoint
        status.p256dh = registration?.keys.publicKey
        status.auth = registration?.keys.authSecret
        (status.refused, status.refusal) = (inbox.refusedCount, inbox.lastRefusal)
        return status
    }

    package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .busCame:
            phase = .naming
            effects.append(.requestName)
            reportGap(&effects)
        case .busWent:
            phase = .noBus
            (running, startable) = ([], [])
            inbox.loseCalls()
        case .named(let isOurs):
            guard phase == .naming else { break }
            phase = isOurs ? .searching : .nameTaken
            effects.append(.findDistributors)
        case .nameIsFree:
            guard phase == .nameTaken else { break }
            phase = .naming
            effects.append(.requestName)
        case .distributors(let running, let startable):
            (self.running, self.startable) = (Set(running), Set(startable))
            if phase == .searching { begin(at: now, &effects) }
        case .distributor(let name, let isRunning): changed(name, isRunning, at: now, &effects)
        case .kept(let reason): kept(reason, at: now, &effects)
        case .renewed(let new): renewed(new, at: now, &effects)
        case .answered(let number, let answer): answered(number, answer, at: now, &effects)
        case .endpoint(let url, let token, let call):
            store(endpoint: url, token, call, at: now, &effects)
        case .unregistered(let token, let call): unregistered(token, call, at: now, &effects)
        case .awoke: if case .failed = phase { begin(at: now, &effects) }
        case .timePassed:
            pass(at: now, &effects)
            inbox.handle(.timePassed, registration, at: now, &effects)
        case .taken(let identifier):
            inbox.handle(input, registration, at: now, &effects)
            forgetGap(identifier, &effects)
        case .message, .opened, .notTaken:
            inbox.handle(input, registration, at: now, &effects)
        }
        return effects
    }

    // MARK: Distributors

    /// Registers with the distributor that is to be used, if it is there.
    private mutating func begin(at now: Double, _ effects: inout [Effect]) {
        guard let distributor = choice else {
            phase = .noDistributor
            return
        }
        guard var registration else {
            phase = .preparing
            effects.append(.renew)
            return
        }
        if registration.distributor != distributor || registration.vapid != vapid {
            (registration.distributor, registration.version) = (distributor, nil)
            registration.vapid = vapid
            isKept = false
        }
        guard !isKept else { return register(registration.version ?? .two, at: now, &effects) }
        phase = .preparing
        keep(registration, &effects)
    }

    /// The distributor that was named or has given an endpoint; otherwise the first one that runs, or
    /// can be started. Nil if that is not there.
    private var choice: String? {
        let all = running.union(startable)
        if let name = wanted ?? (registration?.endpoint == nil ? nil : registration?.distributor) {
            return all.contains(name) ? name : nil
        }
        return running.min() ?? startable.min()
    }

    private mutating func changed(
        _ name: String, _ isRunning: Bool, at now: Double, _ effects: inout [Effect]
    ) {
        guard isRunning else {
            running.remove(name)
            guard name == registration?.distributor, isConnected else { return }
            if startable.contains(name) {
                fail(.noDistributor, at: now)
            } else {
                phase = .noDistributor
            }
            return
        }
        running.insert(name)
        forgetFailures(at: now)
        switch phase {
        case .noDistributor: begin(at: now, &effects)
        case .failed where choice == name: begin(at: now, &effects)
        case .registered where registration?.distributor == name: begin(at: now, &effects)
        default: break
        }
    }

    /// True if the bus is there, with this process's name.
    private var isConnected: Bool {
        switch phase {
        case .noBus, .naming, .nameTaken, .searching: false
        default: true
        }
    }

    // MARK: Registration

    /// Has the registration written to the disk as it is now.
    private mutating func keep(
        _ new: UnifiedPushRegistration, _ effects: inout [Effect]
    ) {
        registration = new
        isKept = false
        effects.append(.keep(new))
    }

    private mutating func renewed(
        _ new: UnifiedPushRegistration?, at now: Double, _ effects: inout [Effect]
    ) {
        guard var new else {
            if phase == .preparing { fail(.noKeys, at: now) }
            return
        }
        (new.distributor, new.vapid) = (choice ?? registration?.distributor, vapid)
        (new.missing, new.gaps) = (registration?.missing, registration?.gaps)
        keep(new, &effects)
    }

    private mutating func kept(
        _ reason: String?, at now: Double, _ effects: inout [Effect]
    ) {
        isKept = reason == nil
        if let reason {
            effects.append(.log("cannot keep the registration with UnifiedPush: \(reason)"))
        }
        reportGap(&effects)
        guard phase == .preparing else { return }
        guard reason == nil else { return fail(.notKept, at: now) }
        begin(at: now, &effects)
    }

    private mutating func register(
        _ version: UnifiedPush.Version, at now: Double, _ effects: inout [Effect]
    ) {
        guard let registration else { return }
        lastRequest += 1
        phase = .registering(lastRequest, version, until: now + Self.answerTime)
        effects.append(.register(registration, version, lastRequest))
    }

    private mutating func answered(
        _ number: Int, _ answer: Answer, at now: Double, _ effects: inout [Effect]
    ) {
        guard case .registering(number, let version, _) = phase else { return }
        switch answer {
        case .accepted:
            phase = .accepted(until: now + Self.answerTime)
            note(version, &effects)
        case .unknownInterface where version == .two: register(.one, at: now, &effects)
        case .unknownInterface: fail(.invalidAnswer, at: now)
        case .noService: phase = .noDistributor
        case .refused(let reason): fail(UnifiedPushProblem(reason: reason), at: now)
        case .invalid(let text):
            effects.append(.log("cannot register with UnifiedPush: \(text)"))
            fail(.invalidAnswer, at: now)
        }
    }

    /// Remembers the version of the distributor's interface.
    private mutating func note(_ version: UnifiedPush.Version, _ effects: inout [Effect]) {
        guard var new = registration, new.version != version else { return }
        new.version = version
        keep(new, &effects)
    }

    private mutating func store(
        endpoint url: String, _ token: String, _ call: Int?, at now: Double,
        _ effects: inout [Effect]
    ) {
        guard var new = registration, token == new.token else {
            return refuse(call, "The token is not known", &effects)
        }
        guard UnifiedPush.isEndpoint(url) else {
            return refuse(call, "The endpoint is not a URL of HTTP or HTTPS", &effects)
        }
        if new.endpoint != url {
            if new.endpoint != nil {
                noteGap("The distributor has named another endpoint", in: &new, &effects)
            }
            new.endpoint = url
            keep(new, &effects)
        }
        if let call { effects.append(.accept(call)) }
        switch phase {
        case .registering(_, let version, _):
            // Its answer comes later, or never.
            note(version, &effects)
            phase = .registered(since: now)
        case .accepted, .failed, .noDistributor: phase = .registered(since: now)
        case .noBus, .naming, .nameTaken, .searching, .preparing, .registered: break
        }
    }

    private mutating func unregistered(
        _ token: String, _ call: Int?, at now: Double, _ effects: inout [Effect]
    ) {
        guard var old = registration, token == old.token else {
            return refuse(call, "The token is not known", &effects)
        }
        fail(.unregistered, at: now)
        if old.endpoint != nil {
            noteGap("The distributor has ended the registration", in: &old, &effects)
            keep(old, &effects)
        }
        // What the old ones were for is over.
        effects.append(.renew)
        if let call { effects.append(.accept(call)) }
    }

    private func refuse(_ call: Int?, _ reason: String, _ effects: inout [Effect]) {
        if let call { effects.append(.refuse(call, reason)) }
    }

    // MARK: Gaps

    /// Notes that messages may be missing. One report that waits stands for all of them.
    private func noteGap(
        _ reason: String, in registration: inout UnifiedPushRegistration,
        _ effects: inout [Effect]
    ) {
        effects.append(.log("messages of UnifiedPush may be missing: \(reason)"))
        guard registration.missing == nil else { return }
        let number = (registration.gaps ?? 0) + 1
        registration.gaps = number
        registration.missing = "unifiedpush missing \(registration.token.prefix(8)) \(number)"
    }

    /// Hands on the report that waits, if there is one.
    private mutating func reportGap(_ effects: inout [Effect]) {
        if let missing = registration?.missing { inbox.report(missing: missing, &effects) }
    }

    private mutating func forgetGap(_ identifier: String, _ effects: inout [Effect]) {
        guard var new = registration, new.missing == identifier else { return }
        new.missing = nil
        keep(new, &effects)
    }

    // MARK: Time

    /// Forgets earlier failures after a registration that has held.
    private mutating func forgetFailures(at now: Double) {
        if case .registered(let since) = phase, now - since >= Self.stableTime { failures = 0 }
    }

    private mutating func fail(_ problem: UnifiedPushProblem, at now: Double) {
        forgetFailures(at: now)
        phase = .failed(problem, until: now + Self.delays.delay(after: failures))
        failures += 1
    }

    private mutating func pass(at now: Double, _ effects: inout [Effect]) {
        switch phase {
        case .registering(_, _, let time) where time <= now: fail(.noAnswer, at: now)
        case .accepted(let time) where time <= now: fail(.noEndpoint, at: now)
        case .failed(_, let time) where time <= now: begin(at: now, &effects)
        default: break
        }
    }
}

import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongStore

/// Remote notifications: performs what their mailbox decides, and what the service does itself for
/// a push.
final class PushFeature: BackgroundFeature {
    /// The seconds that a feed may take: less than `PushMailbox.handlingTime`.
    private static let feedTime = 25.0

    /// A sender's call.
    private typealias Call = CheckedContinuation<Result<PushReceipt, ServiceError>, Never>

    /// The mailbox; nil until the store has been read.
    private var shell: Shell<PushMailbox>?
    /// The registration to keep. Its counts are those with the pushes whose end is on the disk, or is
    /// about to be: a crash before the end of others is written must not leave them counted.
    private(set) var registration = PushRegistration(token: "")
    let listening: PushListening
    private var calls: [Int: Call] = [:]
    /// The numbers of the pushes that clients have.
    private var given: [ClientID: Set<Int>] = [:]
    private var lastTicket = 0
    private let clock: any HostClock

    init(_ service: PlayerService) {
        clock = service.configuration.clock
        listening = PushListening(service)
    }

    /// A host's time also passes while the machine sleeps.
    private var now: Double { clock.secondsSinceBoot }

    // MARK: The feature

    func begin(_ service: isolated PlayerService) async {
        await open(service)
        service.feature(AppsFeature.self).whenChanged { app, state, service in
            let feature = service.feature(PushFeature.self)
            feature.account(for: service)
            if state == .notRunning { feature.handle(.appEnded(app)) }
        }
    }

    /// Continues from the remains of an earlier service, unless that was done. Returns the mailbox.
    @discardableResult
    func open(_ service: isolated PlayerService) async -> Shell<PushMailbox> {
        if let shell { return shell }
        // Pushes may summon apps.
        await service.feature(AppsFeature.self).ready()
        let record = await PushRecords.read(
            from: service.store, token: Self.randomHex(32))
        // Another call may have done it meanwhile.
        if let shell { return shell }
        registration = record.registration
        let mailbox = PushMailbox(
            record, handlesFeeds: service.podcasts != nil, at: now, date: clock.secondsSinceEpoch)
        let shell = service.shell(
            mailbox, of: PushFeature.self, whenDue: { feature, _ in feature.handle(.timePassed) },
            perform: { await $0.perform($1, $2) })
        self.shell = shell
        account(for: service)
        listening.resume(registration.source, service)
        return shell
    }

    /// Handles the host's state and the declared modes.
    func account(for service: isolated PlayerService) {
        let modes = service.manifest.capabilities.backgroundModes
        handle(.declared(modes.contains(.remoteNotification)))
        let feature = service.feature(AppsFeature.self)
        let declaring = feature.apps.filter { $0.value.modes.contains(.remoteNotification) }.keys
        let active = feature.apps.keys.filter { app in
            [.active, .inactive].contains(feature.state(of: app))
        }
        handle(.apps(declaring: Set(declaring), active: Set(active)))
        handle(.host(isActive: service.host.state != .background))
    }

    func hostChanged(_ service: isolated PlayerService) async { account(for: service) }

    func loginChanged(_ service: isolated PlayerService) async { handle(.timePassed) }

    func clientLeft(_ client: ClientID, _ service: isolated PlayerService) async {
        for push in given.removeValue(forKey: client) ?? [] {
            service.feature(AppsFeature.self).end(.push(push), of: client)
        }
        handle(.left(client.number))
    }

    /// Pushes wait until the service is opened again.
    func shutDown(_ service: isolated PlayerService) async {
        await open(service).handle(.shutDown)
        await save(service)
    }

    var keepsAwake: Bool { shell?.machine.isAwake == true }

    /// True if a push is being handled, or will be as soon as time permits.
    var isNeeded: Bool {
        guard let shell else { return false }
        return keepsAwake || shell.isBusy || shell.machine.waitsForTime(at: now)
    }

    func add(to why: inout Why, _ service: isolated PlayerService) async {
        let status = await status(service)
        if status.hasTrouble { why.pushes = status }
    }

    func end() {
        shell?.stop()
        listening.end()
    }

    // MARK: Requests

    /// Handles an input, if the mailbox is open.
    func handle(_ input: PushMailbox.Input) { shell?.handle(input) }

    /// Returns the receipt of a push when it is on the disk, or the reason why it is not.
    func receive(
        _ push: Push, _ service: isolated PlayerService
    ) async -> Result<PushReceipt, ServiceError> {
        let shell = await open(service)
        return await withCheckedContinuation { call in
            lastTicket += 1
            calls[lastTicket] = call
            shell.handle(.arrived(push, ticket: lastTicket))
        }
    }

    /// Handles a program's answer, and returns when its effects are performed.
    func settle(
        _ input: PushMailbox.Input, _ service: isolated PlayerService
    ) async { await shell?.settle(input) }

    /// The status, with the state of the registration with a distributor.
    func status(_ service: isolated PlayerService) async -> PushStatus {
        let shell = await open(service)
        let subscription = await listening.subscription(to: registration.source, service)
        var status = shell.machine.status(of: registration.source, at: now)
        status.subscription = subscription
        return status
    }

    /// Sets and writes the origin of pushes besides the socket.
    ///
    /// - Throws: The disk does not accept it.
    func setSource(
        _ source: PushSource, to purpose: String, _ service: isolated PlayerService
    ) async throws(ServiceError) {
        registration.source = source
        try await keepRegistration(to: purpose, service)
    }

    // MARK: Effects

    private func perform(
        _ effects: [PushMailbox.Effect], _ service: isolated PlayerService
    ) async {
        for effect in effects { await perform(effect, service) }
        service.considerLeaving()
    }

    private func perform(
        _ effect: PushMailbox.Effect, _ service: isolated PlayerService
    ) async {
        switch effect {
        case .keep(let push): await keep(push, service)
        case .accept(let ticket, let receipt): answer(ticket, .success(receipt))
        case .refuse(let ticket, let reason):
            answer(ticket, .failure(ServiceError(.notPossible, "send the push", reason)))
        case .deliver(let push, let program): await deliver(push, to: program, service)
        case .summon(let topic):
            service.feature(AppsFeature.self).summon(topic, for: .push(topic))
        case .expire(let number, let program):
            guard let client = service.client(program) else { break }
            finish(number, of: client.id, service)
            client.pushHasExpired(PushExpired(push: number))
        case .saveAttempt(let push): await save(service, (try? [PushRecords.change(push)]) ?? [])
        case .finish(let push, let forgotten, let counts):
            registration.counts = counts
            await save(
                service, (try? PushRecords.changes(finishing: push, forgetting: forgotten)) ?? [])
            service.takeSnapshot(after: .push)
        case .saveRecord: await save(service)
        case .report(let report): await service.session.report(.push(report))
        }
    }

    private func answer(_ ticket: Int, _ result: Result<PushReceipt, ServiceError>) {
        calls.removeValue(forKey: ticket)?.resume(returning: result)
    }

    private func deliver(
        _ push: Push, to program: Int?, _ service: isolated PlayerService
    ) async {
        let client = service.client(program)
        let apps = service.feature(AppsFeature.self)
        if let program, let client, !apps.canWork(client.id, service) {
            return handle(.unavailable(program, push: push.number))
        }
        await service.session.report(
            .push(PushReport(.delivered, push.number, topic: push.topic)))
        if program != nil {
            guard let client else { return }
            given[client.id, default: []].insert(push.number)
            apps.begin(.push(push.number), of: client.id)
            client.receive(PushReceived(push))
        } else {
            service.post { service in
                let feature = service.feature(PushFeature.self)
                let result = await feature.act(on: push, service)
                feature.handle(.answered(push.number, by: nil, result))
            }
        }
    }

    /// Notes which programs are stopped by somebody, so that the receipt of a push is right.
    private func notePrograms(_ service: isolated PlayerService) {
        let apps = service.feature(AppsFeature.self)
        for (program, _) in shell?.machine.recipients.programs ?? [] {
            guard let client = service.client(program), !apps.canWork(client.id, service)
            else { continue }
            handle(.unavailable(program, push: nil))
        }
    }

    /// Ends the work of a client on a push.
    func finish(
        _ push: Int, of client: ClientID, _ service: isolated PlayerService
    ) {
        guard given[client]?.remove(push) != nil else { return }
        service.feature(AppsFeature.self).end(.push(push), of: client)
    }

    /// Does what the service itself does for a push (J20).
    private func act(on push: Push, _ service: isolated PlayerService) async -> PushResult {
        do throws(ServiceError) {
            switch push.payload.action {
            case .player(let command): try await service.perform(command)
            case .play(let name): try await service.playSaved(name)
            case .refresh(let url): return try await readFeeds(url, service)
            case .refreshAll: return try await readFeeds(nil, service)
            case nil: return .noData
            }
            return .newData
        } catch {
            await service.report(error.description, code: .pushFailed)
            return .failed
        }
    }

    /// Reads the feed with this URL, or all of them, within the time of a push.
    ///
    /// - Throws: There is no such subscription.
    private func readFeeds(
        _ url: String?, _ service: isolated PlayerService
    ) async throws(ServiceError) -> PushResult {
        guard let podcasts = service.podcasts else {
            throw ServiceError(.notPossible, "read feeds", "this service has no network")
        }
        var ids: [Int]?
        if let url { ids = [try await podcasts.feed(url).id] }
        let report = try await podcasts.refresh(ids, .command, within: Self.feedTime)
        return switch report.result {
        case .newData: .newData
        case .noData: .noData
        case .failed: .failed
        }
    }

    // MARK: Records

    private func keep(_ push: Push, _ service: isolated PlayerService) async {
        do throws(ServiceError) {
            try await keep(to: "send the push", isDurable: true, service) {
                [try PushRecords.change(push)]
            }
            notePrograms(service)
            handle(.kept(push.identifier))
        } catch {
            handle(.notKept(push.identifier, reason: error.reason))
        }
    }

    /// Writes changes together with the counts. What the disk does not accept only means that a push
    /// may be delivered once more after a crash.
    func save(_ service: isolated PlayerService, _ changes: [RecordChange] = []) async {
        try? await keep(to: "keep the pushes", service) {
            try changes + [registrationChange()].compactMap(\.self)
        }
    }

    /// Writes everything but the pushes.
    ///
    /// - Throws: The disk does not accept it.
    func keepRegistration(
        to purpose: String, _ service: isolated PlayerService
    ) async throws(ServiceError) {
        try await keep(to: purpose, service) { try [registrationChange()].compactMap(\.self) }
    }

    private func keep(
        to purpose: String, isDurable: Bool = false, _ service: isolated PlayerService,
        _ changes: () throws -> [RecordChange]
    ) async throws(ServiceError) {
        do {
            try await service.store.keep(changes(), isDurable: isDurable)
        } catch {
            let reason = (error as? QueueError)?.reason ?? "it cannot be written"
            throw ServiceError(.notPossible, purpose, reason)
        }
    }

    /// The change that writes the registration as it is now; nil before the mailbox is open.
    private func registrationChange() throws -> RecordChange? {
        guard let mailbox = shell?.machine else { return nil }
        registration.debt = mailbox.throttle.debt(at: now)
        registration.time = clock.secondsSinceEpoch
        registration.isShutDown = mailbox.isShutDown
        registration.appTopics = mailbox.recipients.appTopics
        registration.counts.duplicates = mailbox.counts.duplicates
        registration.counts.refused = mailbox.counts.refused
        return try PushRecords.change(registration)
    }

    /// Returns `count` random bytes in hexadecimal digits.
    static func randomHex(_ count: Int) -> String {
        (0..<count).map { _ in
            let byte = UInt8.random(in: .min ... .max)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

extension PlayerService {
    fileprivate func client(_ number: Int?) -> (any PlayerClient)? {
        clients.first { $0.key.number == number }?.value.client
    }
}

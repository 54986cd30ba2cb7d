import UndersongAudioSession
package import UndersongBackground
import UndersongPlayback
import UndersongStore

/// Remote notifications: taking them, giving them to programs, and what the service does itself.
extension PlayerService {
    /// Takes a push, and returns when it is on the disk. Errors: the payload or the token is wrong,
    /// or the disk does not take it.
    package func push(_ order: PushOrder) async throws(ServiceError) -> PushReceipt {
        let purpose = "send the push"
        await openPushes()
        guard let desk = pushes else {
            throw ServiceError(.notPossible, purpose, Self.pushesAreClosed)
        }
        if let token = order.token, token.lowercased() != desk.registration.token {
            throw ServiceError(
                .notFound, purpose,
                "the token is not this service's; 'undersong push token' shows it"
            )
        }
        let payload: PushPayload
        do throws(PushPayload.Problem) {
            payload = try PushPayload(Array(order.payload.utf8))
        } catch {
            handlePush(
                .malformed(topic: order.topic ?? Push.standardTopic, reason: error.description))
            throw ServiceError(.invalidValue, purpose, error.description)
        }
        let topic = order.topic ?? payload.target ?? Push.standardTopic
        guard (1...Push.topicLimit).contains(topic.utf8.count) else {
            throw ServiceError(
                .invalidValue, purpose, "a topic has 1 to \(Push.topicLimit) bytes")
        }
        let push = Push(
            identifier: order.identifier ?? Self.randomHex(16), topic: topic,
            received: desk.date, payload: payload, type: order.type, isUrgent: order.isUrgent)
        let result = await withCheckedContinuation { call in
            pushes?.take(push, for: call)
            performPushEffects()
        }
        return try result.get()
    }

    /// Takes in that pushes may have been lost before they came here: since nobody knows what they
    /// were, all feeds are read instead, by a push of the service's own. Returns when that is on the
    /// disk. `identifier` is the provider's for this occasion. Errors: the disk does not take it.
    package func pushesMayBeMissing(_ identifier: String) async throws(ServiceError) -> PushReceipt
    {
        var order = PushOrder(
            payload: "{\"aps\":{\"content-available\":1},\"undersong\":{\"command\":\"refresh\"}}")
        (order.topic, order.identifier) = (Push.missingTopic, identifier)
        let receipt = try await push(order)
        if !receipt.isDuplicate {
            await session.report(
                PushReport(.missing, receipt.number, topic: Push.missingTopic))
        }
        return receipt
    }

    /// Takes in that a provider has refused a message, and why. Returns when that is counted on the
    /// disk, as far as the disk takes it.
    package func pushWasRefused(_ reason: String) async {
        await openPushes()
        handlePush(.malformed(topic: Push.standardTopic, reason: reason))
        await save(nil)
    }

    /// The token by which senders name this service; it stays the same as long as the state does.
    package var pushToken: String {
        get async throws(ServiceError) {
            await openPushes()
            guard let registration = pushes?.currentRegistration() else {
                throw ServiceError(.notPossible, "make a token", Self.pushesAreClosed)
            }
            try await keep([.register(registration)], to: "make a token")
            return registration.token
        }
    }

    /// Makes a client a program that handles pushes of these topics, until it disconnects; nil for
    /// all topics.
    package func registerForPushes(_ topics: [String]?, client: ClientID) async {
        await openPushes()
        pushPrograms.insert(client.number)
        handlePush(.joined(client.number, topics: topics.map(Set.init)))
    }

    /// Lets a client handle pushes no more. What it has is given to another one.
    package func unregisterForPushes(_ client: ClientID) {
        guard pushPrograms.remove(client.number) != nil else { return }
        handlePush(.left(client.number))
    }

    /// A client has handled a push. Returns when that is on the disk: from then on the push does not
    /// come again. An answer that comes too late, or from another client, is ignored.
    package func answerPush(_ number: Int, _ result: PushResult, of client: ClientID) async {
        handlePush(.answered(number, by: client.number, result))
        await withCheckedContinuation { waiter in
            if pushes == nil { waiter.resume() } else { pushes?.wait(waiter) }
        }
    }

    /// How pushes reach the service, and what has become of them.
    package var pushReports: PushReports? {
        get async {
            await openPushes()
            let subscription = await pushSubscription
            guard let desk = pushes else { return nil }
            let (mailbox, now) = (desk.mailbox, desk.now)
            let debt = mailbox.throttle.debt(at: now)
            let next = debt.truncatingRemainder(dividingBy: PushThrottle.interval)
            return PushReports(
                source: desk.source,
                isDeclared: manifest.capabilities.backgroundModes.contains(.remoteNotification),
                programCount: pushPrograms.count, wakes: mailbox.throttle.available(at: now),
                nextWake: debt > 0 ? (next > 0 ? next : PushThrottle.interval) : nil,
                waiting: mailbox.held.compactMap { push in
                    mailbox.obstacle(push, at: now).map {
                        PushReports.Waiting(
                            push: push, obstacle: $0,
                            wait: $0 == .throttled
                                ? mailbox.throttle.nextTime(at: now) - now : nil)
                    }
                }, receivedCount: mailbox.receivedCount, handlingCount: mailbox.handlingCount,
                counts: mailbox.counts, subscription: subscription)
        }
    }

    /// The user ends the service: pushes wait until it is opened again.
    package func shutDownPushes() async {
        await openPushes()
        handlePush(.shutDown)
        await save(nil)
    }

    // MARK: Inside

    /// The seconds that a feed may take: less than `PushMailbox.handlingTime`.
    private static let feedTime = 25.0
    static let pushesAreClosed = "the state could not be opened"

    /// Reads what the store has kept, once.
    func openPushes() async {
        guard pushes == nil else { return }
        let stored = await store.pushes()
        // Another call may have done it meanwhile.
        guard pushes == nil else { return }
        pushes = PushDesk(
            stored, token: Self.randomHex(32), handlesFeeds: podcasts != nil,
            clock: configuration.clock)
        accountForPushes()
        resumeListening()
    }

    /// How it is with the registration with a distributor of UnifiedPush; nil if pushes do not come
    /// from one, or if that cannot be found out.
    private var pushSubscription: UnifiedPushStatus? {
        get async {
            guard case .unifiedPush? = pushes?.source, let provider = configuration.pushProvider
            else { return nil }
            do throws(PushProviderError) {
                return try await provider.subscription()
            } catch {
                let error = ServiceError(error, to: "look at the registration with UnifiedPush")
                await report(error.description, code: "push-failed")
                return nil
            }
        }
    }

    /// Whether a push is being handled, or will be as soon as time permits.
    var isWaitingForPushes: Bool {
        guard let pushes else { return false }
        return pushes.mailbox.isAwake || !pushes.effects.isEmpty
            || pushes.mailbox.waitsForTime(at: pushes.now)
    }

    /// Takes in the host's state and the declared modes.
    func accountForPushes() {
        guard pushes != nil else { return }
        handlePush(
            .declared(manifest.capabilities.backgroundModes.contains(.remoteNotification)))
        handlePush(.host(isActive: host.state != .background))
    }

    /// Performs whatever is due now.
    func advancePushes() {
        handlePush(.timePassed)
    }

    func handlePush(_ input: PushMailbox.Input) {
        pushes?.handle(input)
        performPushEffects()
    }

    private func performPushEffects() {
        pushes?.schedule { [weak self] in self?.post { $0.advancePushes() } }
        guard pushes?.isPerforming == false, pushes?.effects.isEmpty == false else { return }
        post { await $0.finishPushEffects() }
    }

    /// Performs effects, one after the other, until there are none.
    private func finishPushEffects() async {
        guard pushes?.isPerforming == false else { return }
        pushes?.isPerforming = true
        while let effect = pushes?.effects.first {
            pushes?.effects.removeFirst()
            await perform(effect)
        }
        pushes?.endPerforming()
        considerLeaving()
    }

    private func perform(_ effect: PushMailbox.Effect) async {
        switch effect {
        case .keep(let push): await keep(push)
        case .accept(let ticket, let receipt): pushes?.answer(ticket, .success(receipt))
        case .refuse(let ticket, let reason):
            pushes?.answer(ticket, .failure(ServiceError(.notPossible, "send the push", reason)))
        case .deliver(let push, let program): deliver(push, to: program)
        case .expire(let number, let program): client(program)?.pushHasExpired(number)
        case .saveAttempt(let push): await save(.attempts(push.attempts, of: push.number))
        case .finish(let number, let counts):
            pushes?.finishedCounts = counts
            await save(.finish(number))
            takeSnapshot(after: .push)
        case .saveRecord: await save(nil)
        case .report(let report): await session.report(report)
        }
    }

    private func keep(_ push: Push) async {
        do throws(ServiceError) {
            try await keep([.add(StoredPush(push))], to: "send the push")
            handlePush(.kept(push.identifier))
        } catch {
            handlePush(.notKept(push.identifier, reason: error.reason))
        }
    }

    /// Writes a change together with what is counted. What the disk does not take only means that a
    /// push may be given once more after a crash.
    private func save(_ change: PushChange?) async {
        guard let registration = pushes?.currentRegistration() else { return }
        try? await keep(
            [change, .register(registration)].compactMap { $0 }, to: "keep the pushes")
    }

    func keep(_ changes: [PushChange], to purpose: String) async throws(ServiceError) {
        do throws(QueueError) {
            try await store.keep(changes)
        } catch {
            throw ServiceError(.notPossible, purpose, error.reason)
        }
    }

    private func client(_ number: Int?) -> (any PlayerClient)? {
        clients.first { $0.key.number == number }?.value.client
    }

    private func deliver(_ push: Push, to program: Int?) {
        if program != nil {
            client(program)?.receive(push, timeRemaining: PushMailbox.handlingTime)
        } else {
            post { service in
                let result = await service.act(on: push)
                service.handlePush(.answered(push.number, by: nil, result))
            }
        }
    }

    /// What the service does itself for a push (J20).
    private func act(on push: Push) async -> PushResult {
        do throws(ServiceError) {
            switch push.payload.action {
            case .pause: await pause()
            case .resume: try await resume()
            case .play(let name): try await playSaved(name)
            case .refresh(let url): return try await readFeeds(url)
            case .refreshAll: return try await readFeeds(nil)
            case nil: return .noData
            }
            return .newData
        } catch {
            await report(error.description, code: "push-failed")
            return .failed
        }
    }

    /// Reads the feed with this URL, or all of them, within the time of a push. Errors: it is no
    /// subscription.
    private func readFeeds(_ url: String?) async throws(ServiceError) -> PushResult {
        guard let podcasts else {
            throw ServiceError(.notPossible, "read feeds", "this service has no way to the network")
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

    func playSaved(_ name: String) async throws(ServiceError) {
        guard let saved = SavedQueueName(name) else {
            throw ServiceError(.notFound, "play \(name)", "no queue is saved by that name")
        }
        _ = try await play(saved, for: ClientID())
    }

    /// So many random bytes, in hexadecimal digits.
    private static func randomHex(_ count: Int) -> String {
        (0..<count).map { _ in
            let byte = UInt8.random(in: .min ... .max)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

import UndersongAudioSession
package import UndersongBackground
import UndersongPlayback
import UndersongStore

/// Remote notifications: taking them, giving them to programs, and what the service does itself.
extension PlayerService {
    /// Takes a push, and returns when it is on the disk. Errors: the payload or the token is wrong,
    /// or the disk does not take it.
    package func send(_ call: SendPush) async throws(ServiceError) -> PushReceipt {
        let purpose = "send the push"
        let desk = await pushDesk()
        if let token = call.token, token.lowercased() != desk.registration.token {
            throw ServiceError(
                .notFound, purpose,
                "the token is not this service's; 'undersong push token' shows it"
            )
        }
        let payload: PushPayload
        do throws(PushPayload.Problem) {
            payload = try PushPayload(Array(call.payload.utf8))
        } catch {
            handlePush(
                .malformed(topic: call.topic ?? Push.standardTopic, reason: error.description))
            throw ServiceError(.invalidValue, purpose, error.description)
        }
        let topic = call.topic ?? payload.target ?? Push.standardTopic
        guard (1...Push.topicLimit).contains(topic.utf8.count) else {
            throw ServiceError(
                .invalidValue, purpose, "a topic has 1 to \(Push.topicLimit) bytes")
        }
        let push = Push(
            identifier: call.id ?? Self.randomHex(16), topic: topic,
            received: configuration.clock.secondsSinceEpoch, payload: payload, type: call.type,
            isUrgent: call.now ?? false)
        let result = await withCheckedContinuation { waiter in
            desk.receive(push, for: waiter)
            performPushEffects()
        }
        return try result.get()
    }

    /// Takes in that pushes may have been lost before they came here: since nobody knows what they
    /// were, all feeds are read instead, by a push of the service's own. Returns when that is on the
    /// disk. `identifier` is the provider's for this occasion. Errors: the disk does not take it.
    package func pushesMayBeMissing(_ identifier: String) async throws(ServiceError) -> PushReceipt
    {
        let receipt = try await send(
            SendPush(
                "{\"aps\":{\"content-available\":1},\"undersong\":{\"command\":\"refresh\"}}",
                topic: Push.missingTopic, id: identifier))
        if !receipt.duplicate {
            await session.report(
                .push(PushReport(.missing, receipt.push, topic: Push.missingTopic)))
        }
        return receipt
    }

    /// Takes in that a provider has refused a message, and why. Returns when that is counted on the
    /// disk, as far as the disk takes it.
    package func pushWasRefused(_ reason: String) async {
        _ = await pushDesk()
        handlePush(.malformed(topic: Push.standardTopic, reason: reason))
        await save()
    }

    /// The token by which senders name this service; it stays the same as long as the state does.
    package var pushToken: String {
        get async throws(ServiceError) {
            let desk = await pushDesk()
            try await keepRegistration(to: "make a token")
            return desk.registration.token
        }
    }

    /// Makes a client a program that handles pushes of these topics, until it disconnects; nil for
    /// all topics.
    package func registerForPushes(_ topics: [String]?, client: ClientID) async {
        _ = await pushDesk()
        handlePush(.joined(client.number, topics: topics.map(Set.init)))
    }

    /// Lets a client handle pushes no more. What it has is given to another one.
    package func unregisterForPushes(_ client: ClientID) { handlePush(.left(client.number)) }

    /// A client has handled a push. Returns when that is on the disk: from then on the push does not
    /// come again. An answer that comes too late, or from another client, is ignored.
    package func answerPush(_ number: Int, _ result: PushResult, of client: ClientID) async {
        handlePush(.answered(number, by: client.number, result))
        await withCheckedContinuation { waiter in
            if let pushes { pushes.wait(waiter) } else { waiter.resume() }
        }
    }

    /// The way of pushes to the service, and what has become of them.
    package var pushStatus: PushStatus {
        get async {
            let desk = await pushDesk()
            let subscription = await pushSubscription
            var status = desk.mailbox.status(of: desk.registration.source, at: desk.now)
            status.subscription = subscription
            return status
        }
    }

    /// The state of the registration with a distributor of UnifiedPush; nil if pushes do not come
    /// from one.
    package var pushSubscription: UnifiedPushStatus? {
        get async {
            guard case .unifiedpush? = pushes?.registration.source else { return nil }
            do throws(PushProviderError) {
                if let found = try await configuration.pushProvider?.subscription() { return found }
            } catch {
                let error = ServiceError(error, to: "look at the registration with UnifiedPush")
                await report(error.description, code: "push-failed")
            }
            return UnifiedPushStatus(.failed, reason: .unknown)
        }
    }

    /// The user ends the service: pushes wait until it is opened again.
    package func shutDownPushes() async {
        _ = await pushDesk()
        handlePush(.shutDown)
        await save()
    }

    // MARK: Inside

    /// The seconds that a feed may take: less than `PushMailbox.handlingTime`.
    private static let feedTime = 25.0

    /// The desk, which is made of what the store has kept when it is wanted first.
    @discardableResult
    func pushDesk() async -> PushDesk {
        if let pushes { return pushes }
        let record = await PushDesk.record(in: store, token: Self.randomHex(32))
        // Another call may have done it meanwhile.
        if let pushes { return pushes }
        let desk = PushDesk(
            record, handlesFeeds: podcasts != nil, clock: configuration.clock)
        pushes = desk
        accountForPushes()
        resumeListening()
        return desk
    }

    /// Takes in the host's state and the declared modes.
    func accountForPushes() {
        handlePush(
            .declared(manifest.capabilities.backgroundModes.contains(.remoteNotification)))
        handlePush(.host(isActive: host.state != .background))
    }

    /// Performs whatever is due now.
    func advancePushes() { handlePush(.timePassed) }

    func handlePush(_ input: PushMailbox.Input) {
        pushes?.handle(input)
        performPushEffects()
    }

    private func performPushEffects() {
        pushes?.schedule { [weak self] in self?.post { $0.advancePushes() } }
        guard pushes?.hasEffects == true else { return }
        post { await $0.finishPushEffects() }
    }

    private func finishPushEffects() async {
        guard let pushes, pushes.hasEffects else { return }
        await pushes.performEffects { await perform($0) }
        considerLeaving()
    }

    private func perform(_ effect: PushMailbox.Effect) async {
        switch effect {
        case .keep(let push): await keep(push)
        case .accept(let ticket, let receipt): pushes?.answer(ticket, .success(receipt))
        case .refuse(let ticket, let reason):
            pushes?.answer(ticket, .failure(ServiceError(.notPossible, "send the push", reason)))
        case .deliver(let push, let program): deliver(push, to: program)
        case .expire(let number, let program):
            client(program)?.pushHasExpired(PushExpired(push: number))
        case .saveAttempt(let push): await save((try? [PushDesk.change(push)]) ?? [])
        case .finish(let push, let forgotten, let counts):
            pushes?.registration.counts = counts
            await save((try? PushDesk.changes(finishing: push, forgetting: forgotten)) ?? [])
            takeSnapshot(after: .push)
        case .saveRecord: await save()
        case .report(let report): await session.report(.push(report))
        }
    }

    private func keep(_ push: Push) async {
        do throws(ServiceError) {
            try await keep(to: "send the push", isDurable: true) { [try PushDesk.change(push)] }
            handlePush(.kept(push.identifier))
        } catch {
            handlePush(.notKept(push.identifier, reason: error.reason))
        }
    }

    /// Writes changes together with what is counted. What the disk does not take only means that a
    /// push may be given once more after a crash.
    private func save(_ changes: [RecordChange] = []) async {
        try? await keep(to: "keep the pushes") {
            try changes + [pushes?.registrationChange()].compactMap(\.self)
        }
    }

    /// Writes what is kept besides the pushes. Errors: the disk does not take it.
    func keepRegistration(to purpose: String) async throws(ServiceError) {
        try await keep(to: purpose) { try [pushes?.registrationChange()].compactMap(\.self) }
    }

    private func keep(
        to purpose: String, isDurable: Bool = false, _ changes: () throws -> [RecordChange]
    ) async throws(ServiceError) {
        do {
            try await store.keep(changes(), isDurable: isDurable)
        } catch {
            let reason = (error as? QueueError)?.reason ?? "it cannot be written"
            throw ServiceError(.notPossible, purpose, reason)
        }
    }

    private func client(_ number: Int?) -> (any PlayerClient)? {
        clients.first { $0.key.number == number }?.value.client
    }

    private func deliver(_ push: Push, to program: Int?) {
        if program != nil {
            client(program)?.receive(PushReceived(push))
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
            case .player(let command): try await perform(command)
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

    /// Returns `count` random bytes in hexadecimal digits.
    private static func randomHex(_ count: Int) -> String {
        (0..<count).map { _ in
            let byte = UInt8.random(in: .min ... .max)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

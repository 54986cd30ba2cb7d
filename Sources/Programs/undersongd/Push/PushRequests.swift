import UndersongAudioSession
package import UndersongBackground
import UndersongBase

/// The methods of the wire.
extension PushFeature {
    static let methods: [WireMethod] = [
        WireMethod(SendPush.self) { frontEnd, push, _ async throws(ServiceError) in
            try await frontEnd.player.send(push)
        },
        WireMethod(GetPushToken.self) { frontEnd, _, _ async throws(ServiceError) in
            let token = try await frontEnd.player.pushToken
            return PushToken(token, subscription: await frontEnd.player.pushSubscription)
        },
        WireMethod(GetPushStatus.self) { frontEnd, _, _ in await frontEnd.player.pushStatus },
        WireMethod(SetPushProvider.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.setPushSource(call.source)
            return await frontEnd.player.pushStatus
        },
        WireMethod(RegisterForPushes.self) { frontEnd, call, origin async throws(ServiceError) in
            let token = try await frontEnd.player.pushToken
            await frontEnd.player.registerForPushes(call.topics, client: origin.client.id)
            return PushToken(token)
        },
        WireMethod(UnregisterForPushes.self) { frontEnd, _, origin in
            await frontEnd.player.unregisterForPushes(origin.client.id)
            return Nothing()
        },
        WireMethod(AnswerPush.self) { frontEnd, answer, origin in
            await frontEnd.player.answerPush(answer.push, answer.result, of: origin.client.id)
            return Nothing()
        },
        WireMethod(ReportMissingPushes.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.pushesMayBeMissing(call.id)
        },
        WireMethod(ReportRefusedPush.self) { frontEnd, call, _ in
            await frontEnd.player.pushWasRefused(call.reason)
            return Nothing()
        },
    ]
}

extension PlayerService {
    /// Receives a push, and returns when it is on the disk.
    ///
    /// - Throws: The payload or the token is wrong, or the disk does not accept it.
    package func send(_ call: SendPush) async throws(ServiceError) -> PushReceipt {
        let purpose = "send the push"
        let feature = feature(PushFeature.self)
        await feature.open(self)
        if let token = call.token, token.lowercased() != feature.registration.token {
            throw ServiceError(
                .notFound, purpose,
                "the token is not this service's; 'undersong push token' shows it"
            )
        }
        let payload: PushPayload
        do throws(PushPayload.Problem) {
            payload = try PushPayload(Array(call.payload.utf8))
        } catch {
            feature.handle(
                .malformed(topic: call.topic ?? Push.standardTopic, reason: error.description))
            throw ServiceError(.invalidValue, purpose, error.description)
        }
        let topic = call.topic ?? payload.target ?? Push.standardTopic
        guard (1...Push.topicLimit).contains(topic.utf8.count) else {
            throw ServiceError(
                .invalidValue, purpose, "a topic has 1 to \(Push.topicLimit) bytes")
        }
        let push = Push(
            identifier: call.id ?? PushFeature.randomHex(16), topic: topic,
            received: configuration.clock.secondsSinceEpoch, payload: payload, type: call.type,
            isUrgent: call.now ?? false)
        let receipt = try await feature.receive(push, self).get()
        if !receipt.duplicate { await showAlert(of: push, number: receipt.push) }
        return receipt
    }

    /// Stands in for pushes that may have been lost on the way: since nobody knows what they were, all
    /// feeds are read instead, by a push of the service's own. Returns when that is on the disk.
    /// `identifier` is the provider's for this occasion.
    ///
    /// - Throws: The disk does not accept it.
    package func pushesMayBeMissing(
        _ identifier: String
    ) async throws(ServiceError) -> PushReceipt {
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

    /// Counts a message that a provider has refused for `reason`. Returns when that is on the disk,
    /// unless the disk does not accept it.
    package func pushWasRefused(_ reason: String) async {
        let feature = feature(PushFeature.self)
        await feature.open(self)
        feature.handle(.malformed(topic: Push.standardTopic, reason: reason))
        await feature.save(self)
    }

    /// The token by which senders name this service; it stays the same as long as the state does.
    package var pushToken: String {
        get async throws(ServiceError) {
            let feature = feature(PushFeature.self)
            await feature.open(self)
            try await feature.keepRegistration(to: "make a token", self)
            return feature.registration.token
        }
    }

    /// Makes a client a program that handles pushes of these topics, until it disconnects; nil for
    /// all topics. An app is summoned for pushes to its identifier from then on.
    package func registerForPushes(_ topics: [String]?, client: ClientID) async {
        let shell = await feature(PushFeature.self).open(self)
        // It may have disconnected meanwhile.
        guard clients[client] != nil else { return }
        shell.handle(.joined(client.number, topics: topics.map(Set.init)))
        if let app = feature(AppsFeature.self).app(of: client) {
            feature(PushFeature.self).account(for: self)
            shell.handle(.appRegistered(app))
        }
    }

    /// Lets a client handle pushes no more. What it has is given to another one.
    package func unregisterForPushes(_ client: ClientID) async {
        let push = feature(PushFeature.self)
        await push.clientLeft(client, self)
        if let app = feature(AppsFeature.self).app(of: client) {
            push.handle(.appUnregistered(app))
        }
    }

    /// Handles a client's answer to a push. Returns when that is on the disk: from then on the push
    /// does not come again. An answer that comes too late, or from another client, is ignored.
    package func answerPush(_ number: Int, _ result: PushResult, of client: ClientID) async {
        let push = feature(PushFeature.self)
        await push.settle(.answered(number, by: client.number, result), self)
        push.finish(number, of: client, self)
    }

    /// The way of pushes to the service, and what has become of them.
    package var pushStatus: PushStatus {
        get async { await feature(PushFeature.self).status(self) }
    }

    /// The state of the registration with a distributor of UnifiedPush; nil if pushes do not come
    /// from one.
    package var pushSubscription: UnifiedPushStatus? {
        get async {
            let feature = feature(PushFeature.self)
            return await feature.listening.subscription(to: feature.registration.source, self)
        }
    }
}

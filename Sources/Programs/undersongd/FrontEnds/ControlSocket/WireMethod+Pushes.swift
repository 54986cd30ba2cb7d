import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback
import UndersongPlayerService

/// Remote notifications.
extension WireMethod {
    static let pushes: [WireMethod] = [
        WireMethod(PushCall.self) { frontEnd, call, origin async throws(ServiceError) in
            var reply = PushCall.Reply()
            switch call.action {
            case .send: reply = try await PushCall.Reply(frontEnd.player.push(PushOrder(call)))
            case .token:
                reply.token = try await frontEnd.player.pushToken
                let state = await frontEnd.player.pushReports.map { PushState($0) }
                reply.state = state?.subscription == nil ? nil : state
            case .provider:
                if let source = try PushSource(call) {
                    try await frontEnd.player.setPushSource(source)
                }
                reply.state = await frontEnd.player.pushReports.map { PushState($0) }
            case .status: reply.state = await frontEnd.player.pushReports.map { PushState($0) }
            case .register:
                reply.token = try await frontEnd.player.pushToken
                await frontEnd.player.registerForPushes(call.topics, client: origin.client.id)
            case .unregister: await frontEnd.player.unregisterForPushes(origin.client.id)
            case .answer:
                let (push, result) = try call.answer
                await frontEnd.player.answerPush(push, result, of: origin.client.id)
            case .missing:
                guard let id = call.id else {
                    throw ServiceError(.invalidValue, "take the report", "it has no 'id'")
                }
                reply = try await PushCall.Reply(frontEnd.player.pushesMayBeMissing(id))
            case .refused:
                guard let reason = call.because else {
                    throw ServiceError(.invalidValue, "take the report", "it has no 'because'")
                }
                await frontEnd.player.pushWasRefused(reason)
            }
            return reply
        }
    ]
}

extension PushSubscription {
    /// A status that is not known counts as a failure of its own.
    fileprivate init(_ status: UnifiedPushStatus?) {
        guard let status else {
            self.init(state: "failed", because: "unknown")
            return
        }
        let state =
            status.isRegistered ? "registered" : status.problem == nil ? "registering" : "failed"
        self.init(
            state: state, because: status.problem?.rawValue, refused: status.refusedCount)
        retry = status.retry
        distributor = status.distributor
        startable = status.isStartable
        endpoint = status.endpoint
        p256dh = status.publicKey.isEmpty ? nil : status.publicKey
        auth = status.authSecret.isEmpty ? nil : status.authSecret
        refusal = status.lastRefusal
    }
}

extension PushOrder {
    /// Throws if there is no payload, or an unknown type.
    fileprivate init(_ call: PushCall) throws(ServiceError) {
        guard let payload = call.payload else {
            throw ServiceError(.invalidValue, "send the push", "there is no payload")
        }
        self.init(payload: payload)
        if let word = call.type {
            guard let type = PushType(rawValue: word) else {
                throw .unknown("type of push", word, PushType.allCases.map(\.rawValue))
            }
            self.type = type
        }
        token = call.token
        topic = call.topic
        identifier = call.id
        isUrgent = call.now ?? false
    }
}

extension PushSource {
    /// Nil if the call is a query. Throws for an unknown provider, or a missing URL.
    fileprivate init?(_ call: PushCall) throws(ServiceError) {
        switch (call.provider, call.url) {
        case (nil, _): return nil
        case ("local", _): self = .local
        case ("ntfy", let url?): self = .ntfy(url: url)
        case ("ntfy", nil):
            throw ServiceError(.invalidValue, "listen for pushes", "there is no URL of a topic")
        case ("unifiedpush", _):
            self = .unifiedPush(distributor: call.distributor, vapid: call.vapid)
        case (let name?, _):
            throw .unknown("provider of pushes", name, ["local", "ntfy", "unifiedpush"])
        }
    }
}

extension PushCall {
    /// Throws if the number or the result is missing, or if that is unknown.
    fileprivate var answer: (Int, PushResult) {
        get throws(ServiceError) {
            guard let push, let word = result else {
                throw ServiceError(
                    .invalidValue, "take the answer", "it has no 'push' or no 'result'")
            }
            guard let result = PushResult(rawValue: word) else {
                throw .unknown("result of a push", word, PushResult.allCases.map(\.rawValue))
            }
            return (push, result)
        }
    }
}

extension PushCall.Reply {
    fileprivate init(_ receipt: PushReceipt) {
        self.init()
        push = receipt.number
        phase = receipt.obstacle == nil ? "delivered" : "held"
        because = receipt.obstacle?.rawValue
        if receipt.isDuplicate { duplicate = true }
    }
}

extension PushState {
    init(_ reports: PushReports) {
        let counts = reports.counts
        self.init(
            provider: "local", declared: reports.isDeclared, programs: reports.programCount,
            wakes: reports.wakes, nextWake: reports.nextWake,
            waiting: reports.waiting.map {
                Waiting(
                    push: $0.push.number, topic: $0.push.topic, because: $0.obstacle.rawValue,
                    received: $0.push.received, wait: $0.wait)
            },
            counts: Counts(
                received: reports.receivedCount, handled: counts.handled,
                superseded: counts.superseded, abandoned: counts.abandoned,
                handling: reports.handlingCount, duplicates: counts.duplicates,
                refused: counts.refused))
        switch reports.source {
        case .local: break
        case .ntfy(let url): (provider, self.url) = ("ntfy", NetworkName.withoutSecrets(url))
        case .unifiedPush:
            provider = "unifiedpush"
            subscription = PushSubscription(reports.subscription)
        }
    }
}

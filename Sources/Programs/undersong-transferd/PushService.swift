import Glibc
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongTransferIO
import UndersongTransfers

/// Answers requests to listen for pushes, and to send them.
final class PushService: Sendable {
    private typealias Reply = @Sendable (Result<ControlReply, ControlError>) -> Void

    private let engine: PushEngine
    private let unifiedPush: UnifiedPushService
    private let sender: PushSender

    init(_ engine: PushEngine, _ unifiedPush: UnifiedPushService, _ sender: PushSender) {
        self.engine = engine
        self.unifiedPush = unifiedPush
        self.sender = sender
    }

    /// True if pushes are listened for.
    var isListening: Bool { engine.isListening || unifiedPush.isOn }

    /// Continues where earlier processes have listened.
    func start() {
        engine.start()
        unifiedPush.start()
    }

    /// The machine has slept, or has another network.
    func awake() {
        engine.awake()
        unifiedPush.awake()
    }

    /// Answers the request; returns false if it is not about pushes.
    func answer(
        _ request: ControlRequest,
        reply: @escaping @Sendable (Result<ControlReply, ControlError>) -> Void
    ) -> Bool {
        do throws(ControlError) {
            switch request.method {
            case ListenForPushes.method:
                try listen(request.decode(ListenForPushes.self), reply)
            case GetPushListening.method:
                reply(.success(ControlReply(PushListening(subscription: unifiedPush.subscription))))
            case PublishPush.method: try publish(request.decode(PublishPush.self), reply)
            default: return false
            }
        } catch {
            reply(.failure(error))
        }
        return true
    }

    private func listen(
        _ call: ListenForPushes, _ reply: @escaping Reply
    ) throws(ControlError) {
        var topic: String?
        switch call.source {
        case .local: break
        case .ntfy(let url):
            guard TransferURL(url) != nil else {
                throw ControlError(
                    .invalidParams,
                    "cannot listen for pushes at \(url): Only HTTP and HTTPS URLs are possible")
            }
            topic = url
        case .unifiedpush(let distributor, let vapid):
            let order = try UnifiedPushService.Order(distributor, vapid)
            return listen(at: nil) { [unifiedPush] error in
                if let error { return reply(.failure(error)) }
                unifiedPush.turnOn(order) { result in
                    reply(result.map { ControlReply(PushListening(subscription: $0)) })
                }
            }
        }
        listen(at: topic) { [unifiedPush] error in
            if let error { return reply(.failure(error)) }
            unifiedPush.turnOff { reply(.success(ControlReply(PushListening()))) }
        }
    }

    /// Listens at a topic of ntfy, or at none. `answer` is called once, on any thread.
    private func listen(at url: String?, _ answer: @escaping @Sendable (ControlError?) -> Void) {
        engine.listen(to: url) { code in
            guard code != 0 else { return answer(nil) }
            let text = SystemError(code).reason
            answer(
                ControlError(
                    .notPossible, "cannot listen for pushes: The topic cannot be kept: \(text)"))
        }
    }

    // MARK: Sending

    private func publish(_ call: PublishPush, _ reply: @escaping Reply) throws(ControlError) {
        let purpose = "cannot send the push to \(call.recipient.name): "
        try Check.url(call.recipient.url, purpose)
        let push = try Self.push(call, purpose)
        sender.send(push) { result in
            switch result {
            case .failure(let failure):
                reply(.failure(ControlError(.notPossible, purpose + failure.reason)))
            case .success(let answer) where answer.isAccepted:
                reply(.success(ControlReply(answer.receipt(of: call.recipient))))
            case .success(let answer):
                let reason = answer.refusal(
                    of: call.recipient, bytes: push.body.count,
                    now: SystemClock().secondsSinceEpoch)
                reply(.failure(ControlError(.notPossible, purpose + reason)))
            }
        }
    }

    private static func push(
        _ call: PublishPush, _ purpose: String
    ) throws(ControlError) -> OutgoingPush {
        do {
            let payload = try PushPayload(Array(call.payload.utf8))
            switch call.recipient {
            case .ntfy(let url): return OutgoingPush(ntfy: url, payload, urgency: call.urgency)
            case .endpoint(let endpoint):
                try check(endpoint, purpose)
                let message = try WebPushMessage.message(
                    payload.bytes, p256dh: endpoint.p256dh, auth: endpoint.auth)
                return OutgoingPush(
                    message, to: endpoint, urgency: call.urgency ?? PushAlert(payload).urgency)
            }
        } catch let error as ControlError {
            throw error
        } catch {
            let reason = "\(error)"
            throw ControlError(
                .invalidParams, purpose + reason.prefix(1).uppercased() + reason.dropFirst())
        }
    }

    private static func check(_ endpoint: PushEndpoint, _ purpose: String) throws(ControlError) {
        guard endpoint.lifetime.map(PushEndpoint.lifetimes.contains) ?? true else {
            throw ControlError(.invalidParams, purpose + "Its lifetime is not from 0 s to a year")
        }
        guard endpoint.topic.map(PushEndpoint.isTopic) ?? true else {
            throw ControlError(
                .invalidParams,
                purpose + "Its topic is not 1 to 32 letters, digits, '-' and '_'")
        }
    }
}

extension QueueDelivery {
    /// Sends what a provider has brought to the player's service. `identifier` begins with the name of
    /// the provider. `answer` is called once, on a thread of this object's, with whether it was taken,
    /// or refused for good.
    func send(
        push identifier: String, _ content: PushContent, log: @escaping @Sendable (String) -> Void,
        _ answer: @escaping @Sendable (Bool) -> Void
    ) {
        deliveries.async { [self] in
            do throws(ControlError) {
                try Self.send(content, identifier, by: connect())
                answer(true)
            } catch {
                log("cannot deliver push \(identifier): \(error.message)")
                answer(Self.isFinal(error))
            }
        }
    }

    private static func send(
        _ content: PushContent, _ identifier: String, by client: ControlClient
    ) throws(ControlError) {
        switch content {
        case .payload(let bytes):
            if let text = String(validating: bytes, as: UTF8.self) {
                _ = try client.call(SendPush(text, id: identifier))
            } else {
                _ = try client.call(ReportRefusedPush(reason: "The payload is not UTF-8"))
            }
        case .missing: _ = try client.call(ReportMissingPushes(id: identifier))
        case .refused(let reason): _ = try client.call(ReportRefusedPush(reason: reason))
        }
    }
}

import Dispatch
import Synchronization
package import UndersongBackground
import UndersongControl

/// Has `undersong-transferd` listen for pushes, since this program may not use the network. The
/// connection to it is kept, which shows when that program ends.
package final class TransferPushProvider: PushProvider {
    private struct Current {
        /// The connection, from when the program listens on.
        var client: ControlClient?
        /// The number of the call that made it, or makes it.
        var number = 0
        /// Whether it was lost before the program listened.
        var isLost = false
    }

    private typealias Answer<Reply> = (reply: Reply, client: ControlClient)

    /// The seconds after which a call counts as hanging: that to listen ends a registration and
    /// begins another, each within three.
    private static let patience = (listening: 10.0, status: 2.0)

    private let location: TransferLocation
    private let calls = DispatchQueue(label: "undersong.pushes")
    private let current = Mutex(Current())

    package init(_ location: TransferLocation) { self.location = location }

    package func listen(
        to source: PushSource, whenLost: @escaping @Sendable () -> Void
    ) async throws(PushProviderError) {
        let call =
            switch source {
            case .local: ListenForPushes(url: nil)
            case .ntfy(let url): ListenForPushes(url: url)
            case .unifiedPush(let distributor, let vapid):
                ListenForPushes(distributor: distributor, vapid: vapid)
            }
        let (last, number) = current.withLock { current in
            defer { current = Current(number: current.number + 1) }
            return (current.client, current.number + 1)
        }
        last?.close()
        let client = try await ask(call, within: Self.patience.listening) {
            [weak self] in
            if self?.lose(number) == true { whenLost() }
        }.client
        guard source != .local else { return client.close() }
        let isLost = current.withLock { current in
            guard current.number == number else { return false }
            if !current.isLost { current.client = client }
            return current.isLost
        }
        if isLost { throw .unavailable("its program has ended") }
    }

    package func subscription() async throws(PushProviderError) -> UnifiedPushStatus? {
        try await ask(GetPushListening(), within: Self.patience.status)
            .reply.subscription.map { UnifiedPushStatus($0) }
    }

    private func ask<Call: ControlCall>(
        _ call: Call, within seconds: Double,
        whenClosed: @escaping @Sendable () -> Void = {}
    ) async throws(PushProviderError) -> Answer<Call.Reply> {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Answer<Call.Reply>, ControlError>, Never>) in
            calls.async { [self] in
                do throws(ControlError) {
                    let client = try location.connect(
                        name: "undersongd", onClose: { _ in whenClosed() })
                    let held = Held(client)
                    client.send(call) { result in
                        continuation.resume(returning: result.map { ($0, client) })
                        self.calls.async { held.client = nil }
                    }
                    calls.asyncAfter(deadline: .now() + seconds) {
                        held.client?.close()
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        do throws(ControlError) {
            return try result.get()
        } catch {
            throw PushProviderError(error)
        }
    }

    /// A connection was lost; returns whether it was one that listens.
    private func lose(_ number: Int) -> Bool {
        current.withLock { current in
            guard current.number == number else { return false }
            defer { (current.client, current.isLost) = (nil, true) }
            return current.client != nil
        }
    }
}

/// A connection until its call is answered.
private final class Held: Sendable {
    private let connection: Mutex<ControlClient?>

    init(_ client: ControlClient) { connection = Mutex(client) }

    var client: ControlClient? {
        get { connection.withLock { $0 } }
        set { connection.withLock { $0 = newValue } }
    }
}

extension PushProviderError {
    /// The reason of an error of the wire, without the operation that it names.
    fileprivate init(_ error: ControlError) {
        let parts = error.message.split(separator: ": ", maxSplits: 1)
        let reason = parts.count == 2 ? String(parts[1]) : error.message
        self = error.code == .invalidParams ? .refused(reason) : .unavailable(reason)
    }
}

extension UnifiedPushStatus {
    /// The status that the other program has sent.
    fileprivate init(_ subscription: PushSubscription) {
        self.init(
            isRegistered: subscription.state == "registered",
            problem: subscription.because.flatMap { UnifiedPushProblem(rawValue: $0) },
            retry: subscription.retry, distributor: subscription.distributor,
            endpoint: subscription.endpoint, publicKey: subscription.p256dh ?? "",
            authSecret: subscription.auth ?? "", refusedCount: subscription.refused,
            lastRefusal: subscription.refusal)
        isStartable = subscription.startable
    }
}

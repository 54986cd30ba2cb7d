import Glibc
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Subscriptions to events.
extension WireMethod {
    static let events: [WireMethod] = [
        WireMethod(Subscribe.self) { frontEnd, call, origin async throws(ServiceError) in
            Subscribe.Reply(subscription: try await frontEnd.subscribe(call, origin))
        },
        WireMethod(Unsubscribe.self) { frontEnd, call, origin in
            if let ended = origin.client.remove(call.subscription) { await frontEnd.end(ended) }
            return Nothing()
        },
    ]
}

extension ControlFrontEnd {
    fileprivate func subscribe(
        _ call: Subscribe, _ origin: WireMethod.Origin
    ) async throws(ServiceError) -> Int {
        let number = origin.client.nextSubscription
        let way = try way(call, origin, number)
        let selection = try await player.subscribe(call)
        let subscription = SocketSubscription(way, selection)
        let feed = feed
        await player.sendSnapshot(selection) {
            feed.sendSnapshot(subscription, with: $0)
        } then: {
            feed.add(subscription)
        }
        if !origin.client.add(subscription, as: number) { await end(subscription) }
        return number
    }

    private func way(
        _ call: Subscribe, _ origin: WireMethod.Origin, _ number: Int
    ) throws(ServiceError) -> SocketSubscription.Way {
        let connection = origin.client.connection
        guard call.isWritten == true else {
            return .notices(ControlSubscriber(connection: connection, subscription: number))
        }
        guard let descriptor = origin.descriptors.takeFirst() else {
            throw ServiceError(
                .invalidValue, "write events", "no descriptor came with the request")
        }
        let count = clients.values.reduce(0) { $0 + $1.writtenCount }
        guard count < Self.writerLimit else {
            close(descriptor)
            throw ServiceError(
                .notPossible, "write events", "\(count) readers are connected already")
        }
        return .lines(
            EventWriter(
                EventLines(complains: false), isLossless: false, to: descriptor,
                ownsDescriptor: true
            ) { code in
                connection.notify(
                    ReaderGone(
                        subscription: number, reason: code == EPIPE ? nil : outputFailure(code)))
            })
    }
}

package import UndersongBase

/// The way of pushes to the service, and what has become of them.
package struct PushStatus: Codable, Hashable, Sendable {
    /// A push that waits.
    package struct Waiting: Codable, Hashable, Sendable {
        /// The service's number for it.
        package var push: Int
        /// The topic.
        package var topic: String
        /// The reason it waits.
        package var reason: Open<PushObstacle>
        /// The time of its arrival, in seconds since 1970.
        package var received: Double
        /// The seconds until time alone releases it; nil if that does not.
        package var wait: Double?
    }

    /// The numbers of pushes since the first one. `received` is the sum of `handled`, `superseded`,
    /// `abandoned`, `handling` and those that wait.
    package struct Counts: Codable, Hashable, Sendable {
        /// Pushes that were taken.
        package var received = 0
        /// Pushes that were handled, or whose time was over.
        package var handled = 0
        /// Pushes in whose place a newer one of the topic has come.
        package var superseded = 0
        /// Pushes whose programs ended too often without an answer.
        package var abandoned = 0
        /// Pushes being handled.
        package var handling = 0
        /// Repetitions of pushes that were taken before.
        package var duplicates = 0
        /// Pushes that were not taken.
        package var refused = 0
    }

    /// The origin of pushes besides the socket.
    package var provider: Open<PushSource.Kind>
    /// The provider's URL, if it has one, without user, password and query.
    package var url: String?
    /// True if the mode `remote-notification` is declared.
    package var declared = false
    /// The number of programs that have registered.
    package var programs = 0
    /// The number of wakes that are available at the moment.
    package var wakes = PushThrottle.capacity
    /// The seconds until there is one more; nil if all are available.
    package var nextWake: Double?
    /// The pushes that wait, oldest first.
    package var waiting: [Waiting] = []
    /// The numbers of pushes.
    package var counts = Counts()
    /// The registration with a distributor of UnifiedPush; nil for other providers.
    package var subscription: UnifiedPushStatus?

    init(from source: PushSource) {
        provider = .known(source.kind)
        url = source.publicURL
    }

    /// True if something needs the user's attention.
    package var hasTrouble: Bool { !waiting.isEmpty || subscription?.reason != nil }
}

extension PushMailbox {
    /// The status of pushes that also come from `source`.
    package func status(of source: PushSource, at now: Double) -> PushStatus {
        var status = PushStatus(from: source)
        status.declared = recipients.isHostDeclared
        status.programs = recipients.programs.count
        status.wakes = throttle.available(at: now)
        status.nextWake = throttle.nextWake(at: now)
        status.waiting = held.compactMap { push in
            obstacle(push, at: now).map { obstacle in
                PushStatus.Waiting(
                    push: push.number, topic: push.topic, reason: .known(obstacle),
                    received: push.received,
                    wait: obstacle == .throttled ? throttle.nextTime(at: now) - now : nil)
            }
        }
        status.counts = counts
        return status
    }
}

/// The answer to a sender whose push was taken.
package struct PushReceipt: Codable, Hashable, Sendable {
    /// The service's number for it.
    package var push: Int
    /// The reason it waits; nil if it was delivered.
    package var reason: Open<PushObstacle>?
    /// True if it was taken before.
    package var duplicate = false
}

/// The name of the service for senders.
package struct PushToken: Codable, Hashable, Sendable {
    /// The token, which stays the same as long as the service's state does.
    package var token: String
    /// The registration with a distributor of UnifiedPush, with what its senders need; nil for other
    /// providers, and for programs that register.
    package var subscription: UnifiedPushStatus?

    package init(_ token: String, subscription: UnifiedPushStatus? = nil) {
        self.token = token
        self.subscription = subscription
    }
}

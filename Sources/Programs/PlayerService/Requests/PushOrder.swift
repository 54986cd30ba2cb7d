package import UndersongBackground

/// A push to be taken, as its sender has made it.
package struct PushOrder: Sendable {
    /// The text of the payload.
    package var payload: String
    /// The token of the service for which it is meant; nil to leave out the check.
    package var token: String?
    /// Its topic; nil for the payload's, or the service's own.
    package var topic: String?
    /// The sender's identifier; nil for one of the service's.
    package var identifier: String?
    /// Its type; nil to derive it from the payload.
    package var type: PushType?
    /// Whether it needs no wake of the throttle.
    package var isUrgent = false

    package init(payload: String) { self.payload = payload }
}

/// How pushes reach the service, and what has become of them.
package struct PushReports: Sendable {
    /// A push that waits, and why.
    package struct Waiting: Sendable {
        package var push: Push
        package var obstacle: PushObstacle
        /// The seconds until time alone releases it; nil if that does not.
        package var wait: Double?
    }

    /// Where they come from.
    package var source: PushSource
    /// Whether the mode `remote-notification` is declared.
    package var isDeclared: Bool
    /// How many programs have registered.
    package var programCount: Int
    /// How many wakes are available.
    package var wakes: Int
    /// The seconds until there is one more; nil if all are available.
    package var nextWake: Double?
    /// The pushes that wait.
    package var waiting: [Waiting]
    /// How many were taken.
    package var receivedCount: Int
    /// How many are being handled.
    package var handlingCount: Int
    /// What was counted.
    package var counts: PushMailbox.Counts
    /// How it is with the registration with a distributor of UnifiedPush; nil for other sources, and
    /// where it cannot be found out.
    package var subscription: UnifiedPushStatus?
    /// Whether something needs the user's attention.
    package var hasTrouble: Bool {
        guard case .unifiedPush = source else { return !waiting.isEmpty }
        return !waiting.isEmpty || subscription == nil || subscription?.problem != nil
    }
}

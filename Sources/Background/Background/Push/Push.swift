/// A remote notification, from its arrival to its end.
package struct Push: Codable, Hashable, Sendable {
    /// The topic of pushes that name none: the service's own bundle identifier.
    package static let standardTopic = "net.undersong.undersong"
    /// The topic of the push that stands for pushes that may be missing.
    package static let missingTopic = "net.undersong.missing"
    /// The most bytes of a topic.
    package static let topicLimit = 255

    /// The service's number for it, higher than that of every earlier one.
    package var number: Int
    /// The provider's identifier, by which a push that comes twice is recognized.
    package var identifier: String
    /// The topic; of the pushes that wait, only the newest of a topic counts.
    package var topic: String
    /// The time of its arrival, in seconds since 1970.
    package var received: Double
    /// The content.
    package var payload: PushPayload
    /// The type; nil to be derived from the payload.
    package var type: PushType?
    /// True if it needs no wake of the throttle.
    package var isUrgent: Bool
    /// The number of times that it was given to a program.
    package var attempts: Int

    package init(
        number: Int = 0, identifier: String, topic: String = Push.standardTopic,
        received: Double = 0, payload: PushPayload, type: PushType? = nil, isUrgent: Bool = false,
        attempts: Int = 0
    ) {
        self.number = number
        self.identifier = identifier
        self.topic = topic
        self.received = received
        self.payload = payload
        self.type = type
        self.isUrgent = isUrgent
        self.attempts = attempts
    }

    /// True if it wakes the host.
    package var wakes: Bool { payload.wakes(as: type) }
}

/// A message that a provider delivers to the service.
package enum PushContent: Hashable, Sendable {
    /// The payload of a push.
    case payload([UInt8])
    /// Pushes may have been lost before they came here.
    case missing
    /// A message was refused, and why.
    case refused(String)
}

/// The result of a push, with Apple's names (F10).
public enum PushResult: String, Codable, Hashable, Sendable, CaseIterable {
    /// New data was fetched.
    case newData
    /// There was nothing new.
    case noData
    /// Something went wrong.
    case failed
}

/// The reason a push waits.
package enum PushObstacle: String, Codable, Hashable, Sendable, CaseIterable {
    /// The service was shut down, and has not been opened since.
    case shutDown
    /// The background mode `remote-notification` is not declared.
    case notDeclared
    /// It does not ask for a wake: `content-available` is not 1.
    case noWake
    /// No program has registered for it.
    case noProgram
    /// The program that has registered for it is stopped, and not by job control.
    case programStopped
    /// Too many pushes are being handled.
    case busy
    /// There were enough wakes in the last hour.
    case throttled
}

/// A step of a push, for events.
public struct PushReport: Codable, Hashable, Sendable {
    /// The kind of the step.
    public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
        /// It was taken, and is kept on the disk.
        case received
        /// It was given to a program, or to the service's own handler.
        case delivered
        /// It waits, and `reason` says why.
        case held
        /// It was not taken, or counts no more; `reason` says why.
        case refused
        /// It was handled, with a `result`.
        case handled
        /// Pushes may have been lost before they came here.
        case missing
    }

    /// The names on the wire, where `reason` is that of the player.
    private enum CodingKeys: String, CodingKey {
        case phase, push, topic, result
        case reason = "because"
    }

    /// The kind of the step.
    public var phase: Phase
    /// The service's number for the push; nil if it was not taken.
    public var push: Int?
    /// The push's topic.
    public var topic: String
    /// The reason it waits or was refused: a word, or a sentence of the sender's side.
    public var reason: String?
    /// The result, of `handled`.
    public var result: PushResult?

    package init(
        _ phase: Phase, _ push: Int?, topic: String, reason: String? = nil,
        result: PushResult? = nil
    ) {
        self.phase = phase
        self.push = push
        self.topic = topic
        self.reason = reason
        self.result = result
    }
}

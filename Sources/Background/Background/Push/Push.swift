/// A remote notification, from its arrival to its end.
package struct Push: Hashable, Sendable {
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
    /// Whom it concerns; of those that wait, only the newest of a topic counts.
    package var topic: String
    /// When it arrived, in seconds since 1970.
    package var received: Double
    /// What it contains.
    package var payload: PushPayload
    /// Its type; nil to be derived from the payload.
    package var type: PushType?
    /// Whether it needs no wake of the throttle.
    package var isUrgent: Bool
    /// How often it was given to a program.
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

    /// Whether it wakes the host.
    package var wakes: Bool { payload.wakes(as: type) }
}

/// What a provider hands on to the service.
package enum PushContent: Hashable, Sendable {
    /// The payload of a push.
    case payload([UInt8])
    /// Pushes may have been lost before they came here.
    case missing
    /// A message was refused, and why.
    case refused(String)
}

/// What came of a push, with Apple's names (F10).
public enum PushResult: String, Hashable, Sendable, CaseIterable {
    /// New data was fetched.
    case newData
    /// There was nothing new.
    case noData
    /// Something went wrong.
    case failed
}

/// Why a push waits.
package enum PushObstacle: String, Hashable, Sendable, CaseIterable {
    /// The service was shut down, and has not been opened since.
    case shutDown
    /// The background mode `remote-notification` is not declared.
    case notDeclared
    /// It does not ask for a wake: `content-available` is not 1.
    case noWake
    /// No program has registered for it.
    case noProgram
    /// Too many pushes are being handled.
    case busy
    /// There were enough wakes in the last hour.
    case throttled
}

/// A step of a push, for events.
public struct PushReport: Hashable, Sendable {
    /// What has happened to it.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// It was taken, and is kept on the disk.
        case received
        /// It was given to a program, or to the service's own handler.
        case delivered
        /// It waits, and `because` says why.
        case held
        /// It was not taken, or counts no more; `because` says why.
        case refused
        /// It was handled, with a `result`.
        case handled
        /// Nobody knows whether pushes of this topic were lost before they came here.
        case missing
    }

    /// What has happened.
    public var phase: Phase
    /// The service's number for the push; nil if it was not taken.
    public var number: Int?
    /// The push's topic.
    public var topic: String
    /// Why it waits or was refused.
    public var because: String?
    /// What came of it.
    public var result: PushResult?

    package init(
        _ phase: Phase, _ number: Int?, topic: String, because: String? = nil,
        result: PushResult? = nil
    ) {
        self.phase = phase
        self.number = number
        self.topic = topic
        self.because = because
        self.result = result
    }
}

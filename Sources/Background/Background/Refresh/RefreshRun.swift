/// Why a task runs.
package enum RefreshCause: String, Hashable, Sendable, CaseIterable {
    /// It was due.
    case schedule
    /// A push message asks for it.
    case push
    /// A test hook (K1, K3).
    case simulate
    /// The host came to the foreground.
    case foreground
    /// The user asked for it.
    case command
}

/// How a run has ended.
package enum RefreshResult: String, Hashable, Sendable, CaseIterable {
    case newData
    case noData
    /// It was successful, and does not say whether anything is new.
    case done
    case failed
    /// It was cancelled because its time was over.
    case overran
    /// The service ended while it ran.
    case interrupted
}

/// A task that is running.
package struct RefreshTask: Hashable, Sendable {
    /// Unique among all tasks, also those of earlier services.
    package let number: Int
    package let identifier: String
    package let kind: RefreshKind
    package let cause: RefreshCause
    package let began: ScheduleTime
    /// What was requested; nil for a fetch by interval or by the user.
    package let request: RefreshRequest?
    /// When its handler is warned and when it is ended, in seconds of CLOCK_BOOTTIME.
    package internal(set) var warning: Double
    package internal(set) var deadline: Double
    /// Whether its handler has been warned.
    package internal(set) var isExpired = false

    /// Seconds before the end at which a handler is warned.
    package static let grace = 5.0

    /// The seconds that it may still run.
    package func timeRemaining(at now: ScheduleTime) -> Double { max(0, deadline - now.boot) }
}

/// A run as it is recorded.
package struct RefreshRun: Hashable, Sendable {
    package var number: Int
    package var identifier: String
    package var kind: RefreshKind
    package var cause: RefreshCause
    /// When it began, in seconds since 1970 and of CLOCK_BOOTTIME.
    package var began: Double
    package var beganBoot: Double
    /// How long it took; nil while it runs.
    package var seconds: Double?
    /// Nil while it runs.
    package var result: RefreshResult?
    /// How much is new.
    package var new: Int
    /// How many bytes it has transferred.
    package var bytes: Int

    package init(
        number: Int, identifier: String, kind: RefreshKind, cause: RefreshCause, began: Double,
        beganBoot: Double, seconds: Double? = nil, result: RefreshResult? = nil, new: Int = 0,
        bytes: Int = 0
    ) {
        self.number = number
        self.identifier = identifier
        self.kind = kind
        self.cause = cause
        self.began = began
        self.beganBoot = beganBoot
        self.seconds = seconds
        self.result = result
        self.new = new
        self.bytes = bytes
    }
}

/// What a handler says of the run that it completes (F10).
package struct RefreshCompletion: Hashable, Sendable {
    package var result: RefreshResult
    package var new: Int
    package var bytes: Int
    /// When the newest of what is new appeared, in seconds since 1970, if that is known.
    package var published: Double?
    /// When something of which that is not known had not been there yet, in seconds since 1970; nil
    /// if the last run is the last look at it.
    package var unseenSince: Double?

    package init(
        _ result: RefreshResult, new: Int = 0, bytes: Int = 0, published: Double? = nil,
        unseenSince: Double? = nil
    ) {
        self.result = result
        self.new = new
        self.bytes = bytes
        self.published = published
        self.unseenSince = unseenSince
    }
}

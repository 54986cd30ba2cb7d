package import UndersongBase

/// A task that is wanted, and the obstacles to it.
package struct RefreshForecast: Codable, Hashable, Sendable {
    /// An obstacle.
    package struct Obstacle: Codable, Hashable, Sendable {
        /// The name.
        package var reason: Open<RefreshObstacle.Name>
        /// A lower-case clause, with times of the clock on the wall.
        package var text: String
        /// The command that removes it; nil if there is none.
        package var remedy: String?

        package init(
            reason: Open<RefreshObstacle.Name>, text: String, remedy: String? = nil
        ) {
            self.reason = reason
            self.text = text
            self.remedy = remedy
        }
    }

    /// The task's identifier.
    package var identifier: String
    /// The identifier of the app whose task it is; nil for a task of the service or of another program.
    package var app: String?
    package var kind: RefreshKind
    /// The request; nil for a fetch by interval.
    package var request: RefreshRequest?
    /// The time at which it is due, in seconds since 1970; nil if something has to change first.
    package var due: Double?
    /// The present obstacles, with a better time.
    package var obstacles: [Obstacle]

    package init(
        identifier: String, kind: RefreshKind, request: RefreshRequest? = nil, due: Double? = nil,
        obstacles: [Obstacle]
    ) {
        self.identifier = identifier
        self.kind = kind
        self.request = request
        self.due = due
        self.obstacles = obstacles
    }
}

/// Background fetches, refreshes and processing.
package struct RefreshStatus: Codable, Hashable, Sendable {
    /// The shortest interval between fetches.
    package var interval: FetchInterval
    /// The tasks that are wanted, the next first.
    package var pending: [RefreshForecast]
    /// The tasks that apps want, the next first; none in the status of an app.
    package var apps: [RefreshForecast] = []
    /// The last runs, the latest first.
    package var runs: [RefreshRun]
    /// The commands that declare what a fetch needs and is not declared.
    package var missing: [String] = []
    /// True if processing is done within two days, because the player was used within a week.
    package var promised: Bool
    /// True if nothing wakes the player until it is opened, because it was shut down.
    package var shutDown: Bool
    /// The number of new things since the player was opened.
    package var badge: Int
    package var availability: RefreshAvailability
    /// The substitutes for services of the machine that do not answer, in words.
    package var fallbacks: [String]
    /// The date by which the service has decided, in seconds since 1970.
    package var now: Double
    /// The seconds by which local time is ahead of UTC.
    package var utcOffset: Double

    /// Creates the status of a scheduler, with at most `limit` runs.
    package init(
        _ scheduler: RefreshScheduler, at time: ScheduleTime, limit: Int, fallbacks: [String]
    ) {
        interval = scheduler.interval
        pending = scheduler.forecasts(at: time)
        runs = scheduler.runs.suffix(max(0, limit)).reversed()
        promised = scheduler.isPromised(at: time)
        shutDown = scheduler.isShutDown
        badge = scheduler.badge
        availability = scheduler.conditions.availability
        self.fallbacks = fallbacks
        (now, utcOffset) = (time.wall, time.utcOffset)
    }
}

/// An event of a background task: what has become of it.
public struct RefreshEvent: Codable, Hashable, Sendable {
    /// A stage of a task's life.
    public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
        case scheduled, refused, began, expired, ended
    }

    /// The names on the wire, where `reason` is that of the player.
    private enum CodingKeys: String, CodingKey {
        case phase, identifier, task, cause, result, new, seconds, next
        case reason = "because"
    }

    /// The stage that the task has reached.
    public var phase: Phase
    /// The identifier of the task.
    public var identifier: String
    /// The number of the run.
    public var task: Int?
    /// The reason for which it runs.
    public var cause: RefreshCause?
    /// The result of the run, if it is over.
    public var result: RefreshResult?
    /// The number of new things.
    public var new: Int?
    /// The duration in seconds.
    public var seconds: Double?
    /// The time at which it is due next, in seconds since 1970, if nothing has to change first.
    public var next: Double?
    /// The obstacles, in words.
    public var reason: String?

    /// Creates an event.
    public init(phase: Phase, identifier: String) {
        self.phase = phase
        self.identifier = identifier
    }
}

import UndersongBase

/// Describes background fetches, refreshes and processing.
package struct GetRefreshStatus: ControlCall {
    package typealias Reply = RefreshStatus
    package static let method = "refresh.status"
    /// The number of runs to describe, 10 by default.
    package var limit: Int?

    package init(limit: Int? = nil) { self.limit = limit }
}

/// Returns what was learned of a usual day: of an app's, or else of the service's own.
package struct GetLearnedHours: ControlCall {
    package typealias Reply = LearnedHours
    package static let method = "refresh.learned"
    /// The app's identifier; nil for the app that asks, or else the service.
    package var app: String?

    package init(ofApp app: String? = nil) { self.app = app }
}

/// A usual day of the present kind, a working day or one of the weekend, by what was learned (F7, F8).
package struct LearnedHours: Codable, Hashable, Sendable {
    /// The chance that it is opened in each half-hour from midnight, 0 to 1.
    package var opens: [Double]
    /// The worth of looking for something new by the end of each half-hour, 0 to 1.
    package var news: [Double]

    /// The number of half-hours.
    package static let count = 48

    package init(
        opens: [Double] = Array(repeating: 0, count: count),
        news: [Double] = Array(repeating: 0, count: count)
    ) {
        self.opens = opens
        self.news = news
    }

    /// Creates the day of `time` by what a scheduler has learned.
    package init(_ scheduler: RefreshScheduler, at time: ScheduleTime) {
        let midnight = (time.local(time.wall) / 86400).rounded(.down) * 86400
        let starts = (0..<Self.count).map { midnight + Double($0) * HalfHour.seconds }
        let usage = scheduler.usage
        opens = starts.map { usage.chanceOfOpen(atLocal: $0) }
        news = starts.map { start in
            let look = usage.worthOfLook(atLocal: start + HalfHour.seconds, since: start)
            return min(usage.chanceOfNews(atLocal: start) + look, 1)
        }
    }
}

/// Submits a request, which is durable when the reply comes.
package struct SubmitRefresh: ControlCall {
    package typealias Reply = RefreshStatus
    package static let method = "refresh.submit"
    package var request: RefreshRequest

    package init(_ request: RefreshRequest) { self.request = request }
}

/// Cancels the request for an identifier, or all.
package struct CancelRefresh: ControlCall {
    package typealias Reply = RefreshStatus
    package static let method = "refresh.cancel"
    /// The identifier; nil for all.
    package var identifier: String?

    package init(_ identifier: String? = nil) { self.identifier = identifier }
}

/// Has a `refresh.launch` sent to this connection whenever a task for an identifier is due.
package struct RegisterRefresh: ControlCall {
    package typealias Reply = RefreshStatus
    package static let method = "refresh.register"
    package var identifier: String

    package init(_ identifier: String) { self.identifier = identifier }
}

/// Completes a task that was launched on this connection.
package struct CompleteRefresh: ControlCall {
    package typealias Reply = RefreshStatus
    package static let method = "refresh.complete"
    /// The number of the run.
    package var task: Int
    package var completion: RefreshCompletion

    package init(_ task: Int, _ completion: RefreshCompletion) {
        self.task = task
        self.completion = completion
    }
}

/// A run that has begun. Its end comes as `refresh.ended`.
package struct RefreshBegun: Codable, Hashable, Sendable {
    /// The number of the run.
    package var task: Int

    package init(task: Int) { self.task = task }
}

/// Runs a task at once, because the user asks for it.
package struct RunRefresh: ControlCall {
    package typealias Reply = RefreshBegun
    package static let method = "refresh.run"
    /// The task's identifier; nil for the service's own fetch.
    package var identifier: String?
    /// The kind of a task that is not pending, `refresh` by default.
    package var kind: RefreshKind?

    package init(_ identifier: String? = nil, kind: RefreshKind? = nil) {
        self.identifier = identifier
        self.kind = kind
    }
}

/// Runs a pending request at once, as if it were due: a test hook.
package struct SimulateRefresh: ControlCall {
    package typealias Reply = RefreshBegun
    package static let method = "refresh.simulate"
    /// The task's identifier; nil for the service's own fetch, which need not be pending.
    package var identifier: String?

    package init(_ identifier: String? = nil) { self.identifier = identifier }
}

/// Warns the running tasks for an identifier, or all, as if their time were over: a test hook.
package struct ExpireRefresh: ControlCall {
    package typealias Reply = RefreshStatus
    package static let method = "refresh.expire"
    /// The identifier; nil for all.
    package var identifier: String?

    package init(_ identifier: String? = nil) { self.identifier = identifier }
}

/// Sets how often to fetch at most.
package struct SetFetchInterval: ControlCall {
    package typealias Reply = RefreshStatus
    package static let method = "refresh.interval"
    package var interval: FetchInterval

    package init(_ interval: FetchInterval) { self.interval = interval }
}

/// Switches background refresh on, for all tasks.
package struct AllowRefresh: ControlCall {
    package typealias Reply = RefreshStatus
    package static let method = "refresh.allow"

    package init() {}
}

/// Switches background refresh off: no task begins by itself, and requests are refused.
package struct DenyRefresh: ControlCall {
    package typealias Reply = RefreshStatus
    package static let method = "refresh.deny"

    package init() {}
}

/// A task for which this connection has registered begins: complete it by `refresh.complete`.
package struct RefreshLaunch: ControlNotice {
    package static let method = "refresh.launch"
    package var run: RefreshRun
    /// The seconds that it may take.
    package var timeRemaining: Double

    package init(_ run: RefreshRun, timeRemaining: Double) {
        self.run = run
        self.timeRemaining = timeRemaining
    }
}

/// A task of this connection has to end.
package struct RefreshExpiring: ControlNotice {
    package static let method = "refresh.expiring"
    /// The number of the run.
    package var task: Int
    /// The seconds left.
    package var timeRemaining: Double

    package init(task: Int, timeRemaining: Double) {
        self.task = task
        self.timeRemaining = timeRemaining
    }
}

/// A task that this connection has begun, or that it has run, is over.
package struct RefreshEnded: ControlNotice {
    package static let method = "refresh.ended"
    package var run: RefreshRun

    package init(_ run: RefreshRun) { self.run = run }
}

/// The reason a task runs.
public enum RefreshCause: String, Codable, Hashable, Sendable, CaseIterable {
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

/// The results of a run.
public enum RefreshResult: String, Codable, Hashable, Sendable, CaseIterable {
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
    /// The request; nil for a fetch by interval or by the user.
    package let request: RefreshRequest?
    /// The begin of the identifier's run before, in seconds of CLOCK_BOOTTIME; nil if there was none.
    let previous: Double?
    /// The time at which its handler is warned and when it is ended, in seconds of CLOCK_BOOTTIME.
    package internal(set) var warning: Double
    package internal(set) var deadline: Double
    /// True if its handler has been warned.
    package internal(set) var isExpired = false

    /// Seconds before the end at which a handler is warned.
    package static let grace = 5.0

    /// The seconds that it may still run.
    package func timeRemaining(at now: ScheduleTime) -> Double { max(0, deadline - now.boot) }

    /// The run as it begins.
    package var run: RefreshRun {
        RefreshRun(
            number: number, identifier: identifier, kind: kind, cause: cause, began: began.wall,
            beganBoot: began.boot)
    }
}

/// A run, which may not be over.
package struct RefreshRun: Codable, Hashable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case number = "task"
        case identifier, kind, cause, began, beganBoot, seconds, result, new, bytes
        case processorTime
    }

    /// The number of the task that runs.
    package var number: Int
    package var identifier: String
    package var kind: RefreshKind
    package var cause: RefreshCause
    /// The time at which it began, in seconds since 1970 and of CLOCK_BOOTTIME.
    package var began: Double
    package var beganBoot: Double
    /// The duration; nil while it runs.
    package var seconds: Double?
    /// Nil while it runs.
    package var result: RefreshResult?
    /// The number of new things.
    package var new: Int
    /// The number of bytes transferred.
    package var bytes: Int
    /// The processor time that it has cost, in seconds; nil while it runs, and if that is unknown.
    package var processorTime: Double?

    package init(
        number: Int, identifier: String, kind: RefreshKind, cause: RefreshCause, began: Double,
        beganBoot: Double, seconds: Double? = nil, result: RefreshResult? = nil, new: Int = 0,
        bytes: Int = 0, processorTime: Double? = nil
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
        self.processorTime = processorTime
    }
}

/// A handler's result of the run that it completes (F10).
package struct RefreshCompletion: Codable, Hashable, Sendable {
    /// The results that a handler may have.
    private static let results: [RefreshResult] = [.newData, .noData, .done, .failed]
    private static let mostBytes = 1 << 50

    package var result: RefreshResult
    package var new: Int
    package var bytes: Int
    /// The time at which the newest news appeared, in seconds since 1970, if that is known.
    package var published: Double?
    /// The time at which something of which that is not known had not been there yet, in seconds
    /// since 1970; nil if the last run is the last look at it.
    package var unseenSince: Double?
    /// The processor time that the run has cost, in seconds, if its handler knows it; nil if it has to
    /// be measured. Programs do not report it.
    package var processorTime: Double?

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

    /// Decodes a completion by a program; what is left out is 0 or unknown.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        result = try members.decode(RefreshResult.self, forKey: .result)
        guard Self.results.contains(result) else {
            let words = Self.results.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: .result, in: members,
                debugDescription: "'\(result.rawValue)' is not one of \(words)")
        }
        new = max(0, try members.decodeIfPresent(Int.self, forKey: .new) ?? 0)
        let bytes = try members.decodeIfPresent(Int.self, forKey: .bytes) ?? 0
        self.bytes = min(max(0, bytes), Self.mostBytes)
        published = try members.decodeIfPresent(Double.self, forKey: .published)
        unseenSince = try members.decodeIfPresent(Double.self, forKey: .unseenSince)
    }
}

package import UndersongBase

/// Begins a finite-length task of this connection: until it ends, the host is not suspended in the
/// background while its time lasts (behaviour 2.8).
package struct BeginTask: ControlCall {
    /// The task.
    package struct Reply: Codable, Hashable, Sendable {
        /// The task's number; nil if no time is left.
        package var task: Int?
        /// The seconds left in the background; nil in the foreground.
        package var timeRemaining: Double?

        package init(task: Int?, timeRemaining: Double?) {
            self.task = task
            self.timeRemaining = timeRemaining
        }
    }

    package static let method = "task.begin"
    /// The task's name, for use if it overstays.
    package var name: String

    package init(name: String) { self.name = name }
}

/// Ends a task. An unknown or ended task is ignored.
package struct EndTask: ControlCall {
    package typealias Reply = Nothing
    package static let method = "task.end"
    /// The task's number.
    package var task: Int

    package init(_ task: Int) { self.task = task }
}

/// Requests how long the host may still run in the background.
package struct GetTaskTime: ControlCall {
    /// The time left.
    package struct Reply: Codable, Hashable, Sendable {
        /// The seconds left; nil in the foreground.
        package var timeRemaining: Double?

        package init(timeRemaining: Double?) { self.timeRemaining = timeRemaining }
    }

    package static let method = "task.time"

    package init() {}
}

/// A task's time is almost over, and it has to end (E4).
package struct TaskExpiring: ControlNotice {
    package static let method = "task.expiring"
    /// The task's number.
    package var task: Int
    /// The seconds left.
    package var timeRemaining: Double

    package init(task: Int, timeRemaining: Double) {
        self.task = task
        self.timeRemaining = timeRemaining
    }
}

/// A task did not end in time and was ended (E5).
package struct TaskTerminated: ControlNotice {
    package static let method = "task.terminated"
    /// The task's number.
    package var task: Int

    package init(task: Int) { self.task = task }
}

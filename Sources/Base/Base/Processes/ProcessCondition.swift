/// A process by its number and its start, which no later process of that number shares.
package struct ProcessIdentity: Codable, Hashable, Sendable {
    /// The process id.
    package var id: Int32
    /// The time of its start in clock ticks since the machine's, field 22 of `/proc/ID/stat`.
    package var start: UInt64

    package init(id: Int32, start: UInt64) {
        self.id = id
        self.start = start
    }
}

/// A process as `/proc` shows it at one moment.
package struct ProcessCondition: Hashable, Sendable {
    /// The process's activity.
    package enum Activity: Hashable, Sendable {
        /// It runs, or waits for something.
        case running
        /// A signal has stopped it, or its cgroup is frozen.
        case stopped
        /// A debugger has stopped it.
        case traced
        /// It has ended, and its parent has not noticed.
        case ended
    }

    package var identity: ProcessIdentity
    package var activity: Activity
    /// The process that traces it; nil if none does.
    package var tracer: Int32?
    /// Its process group.
    package var group: Int32
    /// True if it leads its process group.
    package var leadsGroup: Bool { group == identity.id }
    /// The foreground process group of its terminal; nil without a terminal.
    package var foregroundGroup: Int32?
    /// True if its group is the one to which the terminal's keys belong.
    package var isForeground: Bool { foregroundGroup == group }

    package init(
        identity: ProcessIdentity, activity: Activity, group: Int32, foregroundGroup: Int32? = nil,
        tracer: Int32? = nil
    ) {
        self.identity = identity
        self.activity = activity
        self.group = group
        self.foregroundGroup = foregroundGroup
        self.tracer = tracer
    }
}

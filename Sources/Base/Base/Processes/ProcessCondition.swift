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

extension ProcessCondition {
    /// Looks at a process; nil if there is none with this number.
    package init?(of process: Int32) {
        let text = KernelFile.text(of: "/proc/\(process)/stat", limit: 1024)
        let status = KernelFile.text(of: "/proc/\(process)/status", limit: 1024)
        let isFrozen = ControlGroup(of: process)?.isFrozen == true
        self.init(stat: text, status: status, isFrozen: isFrozen)
    }

    /// Parses the texts of `/proc/ID/stat` and the beginning of `/proc/ID/status`; nil if they are not
    /// complete. `isFrozen` is true for a process whose control group is frozen.
    init?(stat: String, status: String, isFrozen: Bool) {
        // The name, in parentheses, may contain anything.
        guard let start = stat.firstIndex(of: "("), let end = stat.lastIndex(of: ")"), start < end,
            let id = Int32(stat[..<start].dropLast())
        else { return nil }
        let fields = stat[end...].dropFirst().split(separator: " ")
        guard fields.count > 19, let group = Int32(fields[2]), let terminal = Int32(fields[4]),
            let foreground = Int32(fields[5]), let ticks = UInt64(fields[19])
        else { return nil }
        let activity: Activity =
            switch fields[0] {
            case "t": .traced
            case "T": .stopped
            case "Z", "X", "x": .ended
            default: isFrozen ? .stopped : .running
            }
        let tracer = status.split(separator: "\n").first { $0.hasPrefix("TracerPid:") }?
            .split(whereSeparator: \.isWhitespace).last.flatMap { Int32($0) }
        self.init(
            identity: ProcessIdentity(id: id, start: ticks), activity: activity, group: group,
            foregroundGroup: terminal == 0 || foreground <= 0 ? nil : foreground,
            tracer: tracer == 0 ? nil : tracer)
    }
}

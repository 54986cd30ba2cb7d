package import UndersongBase

/// The finite-length tasks of a host: its time in the background.
///
/// All tasks share one clock per stay in the background (behaviour 2.8, E1-E9, E11). Times are in
/// seconds of any clock that never goes backward.
package struct BackgroundTasks: Machine {
    package enum Input: MachineInput {
        /// `nextDue` is reached.
        case timePassed
    }

    /// Something to do now that time has passed.
    package enum Effect: Hashable, Sendable {
        /// Call the expiration handlers of these tasks, in the order in which they began.
        case expire([Int])
        /// Time is up and these tasks have not ended: terminate the host because of them.
        case terminate([Overstay])
    }

    /// A task that did not end in time.
    package struct Overstay: Hashable, Sendable {
        /// The identifier.
        package let identifier: Int
        /// The name, if it has one.
        package let name: String?

        package init(identifier: Int, name: String?) {
            self.identifier = identifier
            self.name = name
        }
    }

    private struct Entry: Sendable {
        let identifier: Int
        let name: String?
        var isExpired = false
        /// True if its time is that of a background run, which somebody else watches.
        var isRun = false
    }

    private enum Phase: Sendable {
        case foreground
        case background(warning: Double, deadline: Double)
        /// In the background, where sound plays, or locations are received, that may there.
        case unlimited
        case suspended
    }

    /// Seconds that the host may run during each stay in the background (E3).
    package private(set) var budget: Double
    /// Seconds before the end at which the handlers are called (E4).
    package private(set) var warning: Double

    private var phase = Phase.foreground
    private var isUnlimited = false
    private var entries: [Entry] = []
    private var nextIdentifier = 1

    /// Creates an account without tasks, in the foreground.
    package init(budget: Double = 30, warning: Double = 5) {
        self.budget = budget
        self.warning = warning
    }

    /// Sets the budget and the warning time, in seconds, for the next stay in the background.
    package mutating func setBudget(_ budget: Double, warning: Double) {
        self.budget = budget
        self.warning = warning
    }

    /// True if the host is in the background and no task needs it any more.
    package var isSuspended: Bool { if case .suspended = phase { true } else { false } }

    /// The identifiers of the running tasks, in the order in which they began.
    package var identifiers: [Int] { entries.map(\.identifier) }

    /// The names of the running tasks, `task 3` for one that has none, in the same order.
    package var descriptions: [String] { entries.map { $0.name ?? "task \($0.identifier)" } }

    /// The names of the running tasks that have one, in the same order.
    package var names: [String] { entries.compactMap(\.name) }

    /// Begins a task and returns its identifier, 1 or above, or nil if there is no time left for
    /// it.
    package mutating func begin(name: String?, at now: Double) -> Int? {
        switch phase {
        case .suspended: return nil
        case .background(let warning, _) where now >= warning: return nil
        case .foreground, .background, .unlimited: break
        }
        defer { nextIdentifier += 1 }
        entries.append(Entry(identifier: nextIdentifier, name: name))
        return nextIdentifier
    }

    /// Begins a background run, such as a fetch, and returns its identifier. It wakes a host that is
    /// suspended, whose other tasks have a new budget then. The run has a time of its own.
    package mutating func beginRun(name: String, at now: Double) -> Int {
        wake(at: now)
        defer { nextIdentifier += 1 }
        entries.append(Entry(identifier: nextIdentifier, name: name, isRun: true))
        return nextIdentifier
    }

    /// Ends a task (E6); unknown and ended tasks are ignored. Returns true if the host may be
    /// suspended because no task is left.
    package mutating func end(_ identifier: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.identifier == identifier }) else {
            return false
        }
        entries.remove(at: index)
        return settle()
    }

    /// Moves the host out of the foreground: a new budget starts to run (E11).
    package mutating func enterBackground(at now: Double) {
        guard case .foreground = phase else { return }
        phase = isUnlimited ? .unlimited : background(from: now)
    }

    private func background(from now: Double) -> Phase {
        .background(warning: now + budget - warning, deadline: now + budget)
    }

    /// Begins or ends sound, or the receipt of locations, that may continue in the background. As long
    /// as it does, the host runs there without a limit; when it ends, a new budget starts to run. Returns true if the host may then
    /// be suspended because it has no task.
    package mutating func setUnlimited(_ isUnlimited: Bool, at now: Double) -> Bool {
        guard isUnlimited != self.isUnlimited else { return false }
        self.isUnlimited = isUnlimited
        switch phase {
        case .foreground: return false
        case .background, .suspended:
            if isUnlimited { phase = .unlimited }
            return false
        case .unlimited:
            phase = background(from: now)
            return settle()
        }
    }

    /// Wakes a suspended host for an event: a new budget starts to run.
    package mutating func wake(at now: Double) {
        guard case .suspended = phase else { return }
        phase = background(from: now)
    }

    /// Suspends a host in the background that has no task (E8), once it was notified that it is there.
    /// Returns true if it did.
    package mutating func settle() -> Bool {
        guard case .background = phase, entries.isEmpty else { return false }
        phase = .suspended
        return true
    }

    /// Moves the host to the foreground: the clock stops, the tasks remain (E7).
    package mutating func enterForeground() { phase = .foreground }

    /// Returns the step that is due; the next one may be due at once. Each handler is called once, and
    /// always before the host is terminated, however late this is called.
    package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        switch input {
        case .timePassed: advance(to: now).map { [$0] } ?? []
        }
    }

    private mutating func advance(to now: Double) -> Effect? {
        guard case .background(let warning, let deadline) = phase else { return nil }
        let due = entries.indices.filter { !entries[$0].isExpired && !entries[$0].isRun }
        if now >= warning, !due.isEmpty {
            for index in due { entries[index].isExpired = true }
            return .expire(due.map { entries[$0].identifier })
        }
        let late = entries.filter { !$0.isRun }
        guard now >= deadline, !late.isEmpty else { return nil }
        entries.removeAll { !$0.isRun }
        if entries.isEmpty { phase = .suspended }
        return .terminate(late.map { Overstay(identifier: $0.identifier, name: $0.name) })
    }

    package func nextDue(at now: Double) -> Due {
        guard case .background(let warning, let deadline) = phase else { return .never }
        let tasks = entries.filter { !$0.isRun }
        guard !tasks.isEmpty else { return .never }
        return Due(boot: tasks.contains { !$0.isExpired } ? warning : deadline)
    }

    /// Seconds left: unlimited in the foreground and while sound plays, 0 when suspended.
    package func timeRemaining(at now: Double) -> Double {
        switch phase {
        case .foreground, .unlimited: .greatestFiniteMagnitude
        case .background(_, let deadline): max(0, deadline - now)
        case .suspended: 0
        }
    }
}

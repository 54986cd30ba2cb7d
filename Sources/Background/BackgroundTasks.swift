/// The finite-length tasks of a host: who may still run in the background, and for how long.
///
/// All tasks share one clock for each time in the background (behaviour 2.8, E1-E9, E11). Times are
/// seconds of any clock that never goes back.
package struct BackgroundTasks: Sendable {
    /// What has to be done since time has passed.
    package enum Due: Hashable, Sendable {
        /// Call the expiration handlers of these, in the order in which they began.
        case expire([Int])
        /// The time is over and these have not ended: the host is terminated, and they are why.
        case terminate([Overstay])
    }

    /// A task that has not ended in time.
    package struct Overstay: Hashable, Sendable {
        /// Its identifier.
        package let identifier: Int
        /// Its name, if it has one.
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
    }

    private enum Phase: Sendable {
        case foreground
        case background(warning: Double, deadline: Double)
        case suspended
    }

    /// Seconds that the host may run in the background each time it gets there (E3).
    package private(set) var budget: Double
    /// Seconds before the end at which the handlers are called (E4).
    package private(set) var warning: Double

    private var phase = Phase.foreground
    private var entries: [Entry] = []
    private var nextIdentifier = 1

    /// Makes an account without tasks, in the foreground.
    package init(budget: Double = 30, warning: Double = 5) {
        self.budget = budget
        self.warning = warning
    }

    /// Sets the time for the next stay in the background.
    package mutating func setBudget(_ budget: Double, warning: Double) {
        self.budget = budget
        self.warning = warning
    }

    /// Whether the host is in the background and nothing needs it there any more.
    package var isSuspended: Bool { if case .suspended = phase { true } else { false } }

    /// The identifiers of the tasks that have begun and not ended, in that order.
    package var identifiers: [Int] { entries.map(\.identifier) }

    /// Begins a task and returns its identifier, 1 or above, or nil where no time is left for it.
    package mutating func begin(name: String?, at now: Double) -> Int? {
        switch phase {
        case .suspended: return nil
        case .background(let warning, _) where now >= warning: return nil
        case .foreground, .background: break
        }
        defer { nextIdentifier += 1 }
        entries.append(Entry(identifier: nextIdentifier, name: name))
        return nextIdentifier
    }

    /// Ends a task (E6). One that is unknown or has ended is ignored. Returns whether nothing needs
    /// the host any more, so that it may be suspended.
    package mutating func end(_ identifier: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.identifier == identifier }) else {
            return false
        }
        entries.remove(at: index)
        return settle()
    }

    /// The host has left the foreground: a fresh block of time begins (E11).
    package mutating func enterBackground(at now: Double) {
        guard case .foreground = phase else { return }
        phase = .background(warning: now + budget - warning, deadline: now + budget)
    }

    /// The host was told that it is in the background. Returns whether it may be suspended, since
    /// there is no task (E8).
    package mutating func settle() -> Bool {
        guard case .background = phase, entries.isEmpty else { return false }
        phase = .suspended
        return true
    }

    /// The host is back in the foreground: the clock stands still, the tasks stay (E7).
    package mutating func enterForeground() { phase = .foreground }

    /// It is `now`: says what is due first, and nil when nothing is. Each handler is called once,
    /// and always before the end, however late this is asked.
    package mutating func advance(to now: Double) -> Due? {
        guard case .background(let warning, let deadline) = phase else { return nil }
        let due = entries.indices.filter { !entries[$0].isExpired }
        if now >= warning, !due.isEmpty {
            for index in due { entries[index].isExpired = true }
            return .expire(due.map { entries[$0].identifier })
        }
        guard now >= deadline, !entries.isEmpty else { return nil }
        let overstays = entries.map { Overstay(identifier: $0.identifier, name: $0.name) }
        entries = []
        phase = .suspended
        return .terminate(overstays)
    }

    /// When `advance(to:)` has something to do next, or nil.
    package var nextDue: Double? {
        guard case .background(let warning, let deadline) = phase, !entries.isEmpty else {
            return nil
        }
        return entries.contains { !$0.isExpired } ? warning : deadline
    }

    /// Seconds that are left: without end in the foreground, none when suspended.
    package func timeRemaining(at now: Double) -> Double {
        switch phase {
        case .foreground: .greatestFiniteMagnitude
        case .background(_, let deadline): max(0, deadline - now)
        case .suspended: 0
        }
    }
}

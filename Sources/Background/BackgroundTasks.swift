/// The finite-length tasks of a host: who may still run in the background, and for how long.
///
/// All tasks share one clock for each time in the background (contract 2.8, E1-E11). Times are
/// seconds of any clock that never goes back.
package struct BackgroundTasks: Sendable {
    /// What has to be done about a change.
    package enum Action: Hashable, Sendable {
        /// Call the expiration handlers of these, in the order in which they began.
        case expire([Int])
        /// Nothing needs the host any more: it may be suspended.
        case suspend
        /// The time is over and these have not ended: the host is terminated, and they are why.
        case terminate([Overstay])
    }

    /// A task that has not ended in time.
    package struct Overstay: Hashable, Sendable {
        /// Its identifier.
        package let identifier: Int
        /// Its name, if it has one.
        package let name: String?
    }

    private struct Entry: Sendable {
        let identifier: Int
        let name: String?
        var isExpired = false
    }

    private enum Phase: Sendable {
        case foreground
        case background(deadline: Double)
        case suspended
    }

    /// Seconds that the host may run in the background each time it gets there (E3).
    package let budget: Double
    /// Seconds before the end at which the handlers are called (E4).
    package let warning: Double

    private var phase = Phase.foreground
    private var entries: [Entry] = []
    private var nextIdentifier = 1

    /// Makes an account without tasks, in the foreground.
    package init(budget: Double = 30, warning: Double = 5) {
        self.budget = budget
        self.warning = warning
    }

    /// The identifiers of the tasks that have begun and not ended, in that order.
    package var identifiers: [Int] { entries.map(\.identifier) }

    /// Begins a task and returns its identifier, 1 or above, or nil where no time is left for it.
    package mutating func begin(name: String?, at now: Double) -> Int? {
        switch phase {
        case .suspended: return nil
        case .background(let deadline) where now >= deadline - warning: return nil
        case .foreground, .background: break
        }
        defer { nextIdentifier += 1 }
        entries.append(Entry(identifier: nextIdentifier, name: name))
        return nextIdentifier
    }

    /// Ends a task (E6). One that is unknown or has ended is ignored.
    package mutating func end(_ identifier: Int) -> Action? {
        guard let index = entries.firstIndex(where: { $0.identifier == identifier }) else {
            return nil
        }
        entries.remove(at: index)
        return settle()
    }

    /// The host has left the foreground: a fresh block of time begins (E11).
    package mutating func enterBackground(at now: Double) {
        guard case .foreground = phase else { return }
        phase = .background(deadline: now + budget)
    }

    /// The host was told that it is in the background: without a task it may be suspended (E8).
    package mutating func settle() -> Action? {
        guard case .background = phase, entries.isEmpty else { return nil }
        phase = .suspended
        return .suspend
    }

    /// The host is back in the foreground: the clock stands still, the tasks stay (E7).
    package mutating func enterForeground() { phase = .foreground }

    /// It is `now`: says what is due first, and nil when nothing is. Each handler is called once,
    /// and always before the end, however late this is asked.
    package mutating func advance(to now: Double) -> Action? {
        guard case .background(let deadline) = phase else { return nil }
        let due = entries.indices.filter { !entries[$0].isExpired }
        if now >= deadline - warning, !due.isEmpty {
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
        guard case .background(let deadline) = phase, !entries.isEmpty else { return nil }
        return entries.contains { !$0.isExpired } ? deadline - warning : deadline
    }

    /// Seconds that are left: without end in the foreground, none when suspended.
    package func timeRemaining(at now: Double) -> Double {
        switch phase {
        case .foreground: .greatestFiniteMagnitude
        case .background(let deadline): max(0, deadline - now)
        case .suspended: 0
        }
    }
}

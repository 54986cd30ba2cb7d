import UndersongBackground
import UndersongBase
import UndersongPlayback

/// The finite-length tasks of clients and of the service itself, and the timer that ends them,
/// which runs only while the remaining time of one matters. Used on the service's executor only.
struct TaskClock {
    /// The owner of a task, notified of its end.
    enum Owner {
        /// A client.
        case client(ClientID)
        /// The service itself, which stops its work.
        case service(@Sendable () -> Void)
    }

    private(set) var account: BackgroundTasks
    private(set) var owners: [Int: Owner] = [:]
    private(set) var names: [Int: String] = [:]
    private let clock: any HostClock
    private var timer: HostTimer?

    init(budget: Double, clock: any HostClock) {
        account = BackgroundTasks(budget: budget, warning: min(5, budget / 2))
        self.clock = clock
    }

    /// A host's time also passes while the machine sleeps.
    private var now: Double { clock.secondsSinceBoot }

    /// The seconds left in the background; nil in the foreground.
    var timeRemaining: Double? {
        let seconds = account.timeRemaining(at: now)
        return seconds == .greatestFiniteMagnitude ? nil : seconds
    }

    /// Begins a task; nil if no time is left for it.
    mutating func begin(_ name: String, _ owner: Owner) -> Int? {
        guard let task = account.begin(name: name, at: now) else { return nil }
        owners[task] = owner
        names[task] = name
        return task
    }

    /// Ends a task.
    mutating func end(_ task: Int) {
        forget(task)
        _ = account.end(task)
    }

    /// The tasks of a client, in the order in which they began.
    func tasks(of client: ClientID) -> [Int] {
        account.identifiers.filter { task in
            if case .client(client)? = owners[task] { true } else { false }
        }
    }

    mutating func enterBackground() { account.enterBackground(at: now) }
    mutating func wake() { account.wake(at: now) }
    mutating func enterForeground() { account.enterForeground() }
    mutating func settle() { _ = account.settle() }

    /// The action due now, if any.
    mutating func due() -> BackgroundTasks.Due? { account.advance(to: now) }

    /// Removes the owner of a task.
    mutating func forget(_ task: Int) {
        owners[task] = nil
        names[task] = nil
    }

    /// Schedules a call of `wake` for when something is next due, if anything is.
    mutating func schedule(_ wake: @escaping @Sendable () -> Void) {
        timer?.cancel()
        timer = nil
        guard let due = account.nextDue else { return }
        timer = clock.wake(after: due - now, leeway: 50_000_000, wake)
    }
}

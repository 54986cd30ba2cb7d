import Background
import CLinux
import Dispatch
import Glibc

/// The finite-length tasks of clients and of the service itself, with the clock that ends them. A
/// timer runs only while one has time left that counts. Belongs to the service's executor.
struct TaskClock {
    /// Who is told of a task's end.
    enum Owner {
        /// A client.
        case client(ClientID)
        /// The service itself, which stops what it does.
        case service(@Sendable () -> Void)
    }

    private(set) var account: BackgroundTasks
    private(set) var owners: [Int: Owner] = [:]
    private(set) var names: [Int: String] = [:]
    private var timer: (any DispatchSourceTimer)?

    init(budget: Double) { account = BackgroundTasks(budget: budget, warning: min(5, budget / 2)) }

    /// Seconds of CLOCK_BOOTTIME: a host's time passes while the machine sleeps.
    static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Seconds left in the background; nil in the foreground.
    var timeRemaining: Double? {
        let seconds = account.timeRemaining(at: Self.now)
        return seconds == .greatestFiniteMagnitude ? nil : seconds
    }

    /// Begins a task; nil where no time is left for it.
    mutating func begin(_ name: String, _ owner: Owner) -> Int? {
        guard let task = account.begin(name: name, at: Self.now) else { return nil }
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

    mutating func enterBackground() { account.enterBackground(at: Self.now) }
    mutating func enterForeground() { account.enterForeground() }
    mutating func settle() { _ = account.settle() }

    /// What is due now, if anything.
    mutating func due() -> BackgroundTasks.Due? { account.advance(to: Self.now) }

    /// Forgets who owns a task.
    mutating func forget(_ task: Int) {
        owners[task] = nil
        names[task] = nil
    }

    /// Lets `wake` be called on `queue` when something is due next; never when nothing is.
    mutating func schedule(on queue: DispatchQueue, _ wake: @escaping @Sendable () -> Void) {
        timer?.cancel()
        timer = nil
        guard let due = account.nextDue else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + max(0, due - Self.now), leeway: .milliseconds(50))
        timer.setEventHandler(handler: wake)
        timer.resume()
        self.timer = timer
    }
}

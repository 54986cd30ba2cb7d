import Dispatch
import Synchronization

/// Runs a machine on a queue of its own. Any thread may use it.
package final class QueueShell<M: Machine>: Sendable {
    private let queue: DispatchQueue
    /// Set by the initializer, and used on `queue` only.
    private nonisolated(unsafe) var madeShell: ThreadShell<M>?
    private let latest: Mutex<M>
    private let posted = Atomic(0)
    private let whenHandled: @Sendable () -> Void

    /// Creates a shell on a queue with the name `label`, where `perform` performs the effects of one
    /// input together. It may `post` inputs, but must not wait for the shell. `alarm` makes an alarm
    /// that rings by calling a closure. `whenHandled` is called on the queue after each input, when its
    /// effects are performed.
    package init(
        _ machine: M, label: String, now: @escaping @Sendable () -> M.Time,
        alarm: ((@escaping @Sendable () -> Void) -> any Alarm)? = nil,
        whenHandled: @escaping @Sendable () -> Void = {},
        perform: @escaping @Sendable ([M.Effect]) -> Void
    ) {
        self.whenHandled = whenHandled
        queue = DispatchQueue(label: label)
        latest = Mutex(machine)
        unsafe madeShell = ThreadShell(
            machine, now: now,
            alarm: alarm.map { make in { [unowned self] in makeAlarm(make) } },
            perform: { [unowned self] effects in
                publish()
                perform(effects)
            })
    }

    /// The machine after the latest input.
    package var machine: M { latest.withLock(\.self) }

    /// The number of inputs that were posted and are not handled yet.
    package var backlog: Int { posted.load(ordering: .relaxed) }

    /// Handles an input and returns its effects when they, and all before them, are performed.
    @discardableResult
    package func handle(_ input: M.Input) -> [M.Effect] { queue.sync { handleNow(input) } }

    /// Handles an input soon, after those before it.
    package func post(_ input: M.Input) {
        posted.add(1, ordering: .relaxed)
        queue.async {
            self.handleNow(input)
            self.posted.subtract(1, ordering: .relaxed)
        }
    }

    /// Calls `body` with the machine between two inputs, when the effects of those before are
    /// performed.
    package func read<Result>(_ body: (M) -> Result) -> Result {
        queue.sync { body(shell.machine) }
    }

    /// Returns when all inputs so far are handled, and their effects performed.
    package func settle() { queue.sync {} }

    /// Never rings again. Inputs are still handled.
    package func stop() { queue.async { self.update { $0.stop() } } }

    private var shell: ThreadShell<M> {
        guard let shell = unsafe madeShell else { preconditionFailure("there is no shell yet") }
        return shell
    }

    private func makeAlarm(
        _ make: (@escaping @Sendable () -> Void) -> any Alarm
    ) -> any Alarm {
        make { [weak self] in self?.post(.timePassed) }
    }

    @discardableResult
    private func handleNow(_ input: M.Input) -> [M.Effect] {
        defer { whenHandled() }
        return update { $0.handle(input) }
    }

    private func update<Result>(_ work: (ThreadShell<M>) -> Result) -> Result {
        defer { publish() }
        return work(shell)
    }

    private func publish() {
        let machine = shell.machine
        latest.withLock { $0 = machine }
    }
}

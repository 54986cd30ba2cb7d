import Dispatch
import Synchronization

/// Runs a machine on a queue of its own. Any thread may use it.
package final class QueueShell<M: Machine>: Sendable {
    private let queue: DispatchQueue
    /// Set by the initializer, and used on `queue` only.
    private nonisolated(unsafe) var madeShell: ThreadShell<M>?
    private let latest: Mutex<M>

    /// Creates a shell on a queue with the name `label`, where `perform` performs the effects of one
    /// input together. It may `post` inputs, but must not wait for the shell. `alarm` makes an alarm
    /// that rings by calling a closure.
    package init(
        _ machine: M, label: String, now: @escaping @Sendable () -> M.Time,
        alarm: ((@escaping @Sendable () -> Void) -> any Alarm)? = nil,
        perform: @escaping @Sendable ([M.Effect]) -> Void
    ) {
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

    /// Handles an input, and returns when its effects, and all before them, are performed.
    package func handle(_ input: M.Input) { queue.sync { update { $0.handle(input) } } }

    /// Handles an input soon, after those before it.
    package func post(_ input: M.Input) {
        queue.async { self.update { $0.handle(input) } }
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

    private func update(_ work: (ThreadShell<M>) -> Void) {
        work(shell)
        publish()
    }

    private func publish() {
        let machine = shell.machine
        latest.withLock { $0 = machine }
    }
}

/// Runs a machine on a thread: inputs and effects in order. `handle` returns when all effects are
/// performed, unless it is called while performing effects: then they follow.
package final class ThreadShell<M: Machine> {
    private var timer: MachineTimer<M>
    private let perform: ([M.Effect]) -> Void
    private var batches: [[M.Effect]] = []
    private var isPerforming = false

    /// Creates a shell whose effects `perform` performs, those of one input together. `alarm` makes
    /// the alarm when something is due for the first time; when it rings, the owner handles
    /// `timePassed`. Without one, the owner looks at `nextDue`.
    package init(
        _ machine: M, now: @escaping () -> M.Time, alarm: (() -> any Alarm)? = nil,
        perform: @escaping ([M.Effect]) -> Void
    ) {
        timer = MachineTimer(machine, now: now, alarm: alarm)
        self.perform = perform
    }

    package var machine: M { timer.machine }

    /// The moment for which the machine waits.
    package var nextDue: Due { timer.nextDue }

    /// Handles an input and returns its effects, which are performed after those before them.
    @discardableResult
    package func handle(_ input: M.Input) -> [M.Effect] {
        let effects = timer.handle(input)
        guard !effects.isEmpty else { return effects }
        batches.append(effects)
        guard !isPerforming else { return effects }
        isPerforming = true
        defer { isPerforming = false }
        while !batches.isEmpty { perform(batches.removeFirst()) }
        return effects
    }

    /// Handles `timePassed` if that is due by `clock`.
    package func handleDue(by clock: any HostClock) {
        if timer.nextDue.seconds(by: clock) <= 0 { handle(.timePassed) }
    }

    /// Changes the machine without an input, and sets the alarm again.
    package func update(_ change: (inout M) -> Void) { timer.update(change) }

    /// Never rings again. Inputs are still handled.
    package func stop() { timer.stop() }
}

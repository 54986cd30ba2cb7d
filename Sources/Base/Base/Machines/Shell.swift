/// Runs a machine in an actor: inputs and effects in order, one alarm, and callers who wait until
/// their inputs are handled.
///
/// The effects of an input are performed together, after those of all earlier inputs. Performing
/// them may handle further inputs: a failed effect is one.
package final class Shell<M: Machine> {
    /// Performs the effects of one input, isolated to the actor of the shell.
    package typealias Perform = nonisolated(nonsending) ([M.Effect]) async -> Void
    /// Performs one effect at once, and returns true; false for an effect that waits for its turn.
    package typealias PerformAtOnce = (M.Effect) -> Bool

    /// The effects of one input, and the caller who waits for them.
    private struct Batch {
        var effects: [M.Effect]
        var waiter: CheckedContinuation<Void, Never>?
    }

    private var timer: MachineTimer<M>
    private unowned let actor: any Actor
    private let executor: any TaskExecutor
    private let performAtOnce: PerformAtOnce
    private let perform: Perform
    private var batches: [Batch] = []
    private var isPerforming = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Creates a shell in `actor`, which runs on `executor` and outlives the shell. `alarm` makes the
    /// alarm when something is due for the first time; when it rings, the owner handles `timePassed`.
    /// Effects that `performAtOnce` performs overtake those that wait for their turn.
    package init(
        _ machine: M, in actor: any Actor, on executor: any TaskExecutor,
        now: @escaping () -> M.Time, alarm: @escaping () -> any Alarm,
        performAtOnce: @escaping PerformAtOnce = { _ in false }, perform: @escaping Perform
    ) {
        timer = MachineTimer(machine, now: now, alarm: alarm)
        self.actor = actor
        self.executor = executor
        self.performAtOnce = performAtOnce
        self.perform = perform
    }

    package var machine: M { timer.machine }

    /// True while effects are being performed, or about to be.
    package var isBusy: Bool { isPerforming }

    /// Handles an input and returns its effects, which are performed after those before them.
    @discardableResult
    package func handle(_ input: M.Input) -> [M.Effect] { handle(input, for: nil) }

    /// Handles an input and returns its effects when they, and all before them, are performed. Must
    /// not be called while performing effects.
    @discardableResult
    package func settle(
        _ input: M.Input, isolation: isolated (any Actor)? = #isolation
    ) async -> [M.Effect] {
        var effects: [M.Effect] = []
        await withCheckedContinuation(isolation: isolation) { waiter in
            effects = handle(input, for: waiter)
        }
        return effects
    }

    /// Returns when all effects are performed. Must not be called while performing effects.
    package func settle(isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation(isolation: isolation) { waiter in
            // Checked here, since the last may be performed on the way: a call switches executors.
            if isBusy { waiters.append(waiter) } else { waiter.resume() }
        }
    }

    /// Changes the machine without an input, and sets the alarm again.
    package func update(_ change: (inout M) -> Void) { timer.update(change) }

    /// Never rings again. Inputs are still handled.
    package func stop() { timer.stop() }

    private func handle(
        _ input: M.Input, for waiter: CheckedContinuation<Void, Never>?
    ) -> [M.Effect] {
        actor.assertIsolated()
        let effects = timer.handle(input)
        let waiting = effects.filter { !performAtOnce($0) }
        guard !waiting.isEmpty || isBusy else {
            waiter?.resume()
            return effects
        }
        batches.append(Batch(effects: waiting, waiter: waiter))
        guard !isPerforming else { return effects }
        isPerforming = true
        // Safe, since the task uses it only in the actor.
        nonisolated(unsafe) let shell = self
        Task(executorPreference: executor) { [actor] in
            await unsafe shell.performBatches(isolation: actor)
        }
        return effects
    }

    private func performBatches(isolation: isolated any Actor) async {
        while !batches.isEmpty {
            let batch = batches.removeFirst()
            if !batch.effects.isEmpty { await perform(batch.effects) }
            batch.waiter?.resume()
        }
        isPerforming = false
        let settled = waiters
        waiters = []
        for waiter in settled { waiter.resume() }
    }
}

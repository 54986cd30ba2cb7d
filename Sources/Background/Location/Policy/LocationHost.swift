import Synchronization
package import UndersongBase

/// The source of a policy, in whichever shell the policy runs: opened, changed and closed by the policy's
/// effects. Its events are inputs of the policy, which ignores those of an earlier source.
package final class HostedSource: Sendable {
    /// Returns a source that is not open: a new one, or the same each time.
    package typealias Make = @Sendable () -> any LocationSource

    private struct State {
        var make: Make
        var open: (any LocationSource)?
    }

    private let state: Mutex<State>

    /// Creates a host of the sources that `make` returns.
    package init(_ make: @escaping Make) { state = Mutex(State(make: make)) }

    /// Opens the sources that `make` returns from now on. One that is open stays so until the policy
    /// handles `replaceSource`.
    package func choose(_ make: @escaping Make) { state.withLock { $0.make = make } }

    /// Performs an effect that concerns the source, whose events go to `send`. Returns false for any
    /// other effect. Called for one effect at a time.
    package func perform(
        _ effect: LocationPolicy.Effect, _ send: @escaping @Sendable (LocationPolicy.Input) -> Void
    ) -> Bool {
        switch effect {
        case .open(let demand, let number):
            let source = state.withLock(\.make)()
            state.withLock { $0.open = source }
            source.start(demand) { send(.source(number, $0)) }
        case .change(let demand): state.withLock(\.open)?.change(demand)
        case .close: close()
        case .deliver, .fail, .sourceFailed, .paused, .resumed, .visit, .watching, .notWatching,
            .region,
            .regionState, .prompt, .authorized, .refused, .save:
            return false
        }
        return true
    }

    /// Closes the source, if one is open.
    func close() { state.withLock { $0.open.take() }?.stop() }
}

/// A policy on a queue of its own, with its source. Any thread may use it.
package final class LocationHost: Sendable {
    /// Performs the effects of one input that do not concern the source, after which the policy is as
    /// given. Called on the host's queue.
    package typealias Perform = @Sendable ([LocationPolicy.Effect], LocationPolicy) -> Void

    private let source: HostedSource
    private let performOthers = Mutex<Perform?>(nil)
    /// Set by the initializer only.
    private nonisolated(unsafe) var madeShell: QueueShell<LocationPolicy>?

    /// Creates a host whose policy continues from `record`, on a queue with the name `label`, with the
    /// sources that `source` returns. `alarm` makes an alarm that rings by calling a closure.
    package init(
        _ record: LocationPolicy.Record = LocationPolicy.Record(), label: String,
        now: @escaping @Sendable () -> LocationTime,
        alarm: @escaping (@escaping @Sendable () -> Void) -> any Alarm,
        source: @escaping HostedSource.Make
    ) {
        self.source = HostedSource(source)
        unsafe madeShell = QueueShell(
            LocationPolicy(record), label: label, now: now, alarm: alarm
        ) { [weak self] in self?.perform($0) }
    }

    deinit {
        shell.stop()
        source.close()
    }

    private var shell: QueueShell<LocationPolicy> {
        guard let shell = unsafe madeShell else { preconditionFailure("there is no shell yet") }
        return shell
    }

    /// Performs the effects by `perform` from now on. Called once, before the first input.
    package func begin(_ perform: @escaping Perform) {
        performOthers.withLock { $0 = perform }
    }

    /// The policy after the latest input.
    package var policy: LocationPolicy { shell.machine }

    /// Handles an input, and returns when its effects are performed.
    package func handle(_ input: LocationPolicy.Input) { shell.handle(input) }

    /// Handles an input soon, after those before it.
    package func post(_ input: LocationPolicy.Input) { shell.post(input) }

    /// Returns when all inputs so far are handled, and their effects performed.
    package func settle() { shell.settle() }

    /// Calls `body` between two inputs, when the effects of those before it are performed.
    package func read<Result>(_ body: (LocationPolicy) -> Result) -> Result { shell.read(body) }

    /// Measures by the sources that `make` returns from now on.
    package func replaceSource(_ make: @escaping HostedSource.Make) {
        source.choose(make)
        handle(.replaceSource)
    }

    /// Ends the policy for good. When this returns, no effect is performed any more.
    package func end() {
        handle(.end)
        shell.stop()
    }

    /// The source is opened and closed first, whatever the others take.
    private func perform(_ effects: [LocationPolicy.Effect]) {
        let others = effects.filter { effect in
            !source.perform(effect) { [weak self] in self?.post($0) }
        }
        if !others.isEmpty { performOthers.withLock(\.self)?(others, policy) }
    }
}

extension HostClock {
    /// The moment by both clocks.
    package var locationTime: LocationTime {
        LocationTime(boot: secondsSinceBoot, wall: secondsSinceEpoch)
    }
}

package import UndersongBase

/// The owner of background tasks that the service schedules.
package enum RefreshOwner: Hashable, Comparable, Sendable {
    case service
    /// An app, by its identifier.
    case app(String)
}

/// The schedulers of the service and of its apps: each with its own habits, requests and handlers, and
/// all with one budget, one wake and one series of task numbers (F8).
package struct RefreshHosts: Machine {
    package enum Input: MachineInput {
        /// Background tasks of this owner are scheduled from now on, once its records are restored.
        case add(RefreshOwner)
        /// The records of an earlier service for owners that were added. Nothing of theirs begins before
        /// all of them are known.
        case restored([RefreshOwner: RefreshScheduler.Memory])
        /// An owner is gone: its tasks fail, and what it has asked for is forgotten.
        case remove(RefreshOwner)
        /// An input of one owner's scheduler.
        case host(RefreshOwner, RefreshHost.Input)
        /// A report on the machine and the user, which concerns all.
        case report(RefreshHost.Report)
        case timePassed
    }

    /// An effect for one owner.
    package struct Effect: Hashable, Sendable {
        package let owner: RefreshOwner
        package let effect: RefreshHost.Effect
    }

    private let environment: RefreshEnvironment
    /// The permitted identifier that the service's own fetches need.
    private let requiredIdentifier: String?
    package private(set) var hosts: [RefreshOwner: RefreshHost] = [:]
    package private(set) var pool = RefreshPool()
    private var isWatching = false
    /// The last reports on the machine.
    private var machine: MachineState?
    private var login: LoginState?
    private var isPlaying = false

    /// Creates the schedulers, with that of the service alone. The service's own fetches need
    /// `requiredIdentifier`; those of apps need the mode alone.
    package init(_ environment: RefreshEnvironment, requiredIdentifier: String? = nil) {
        self.environment = environment
        self.requiredIdentifier = requiredIdentifier
        hosts[.service] = RefreshHost(
            environment, requiredIdentifier: requiredIdentifier, stage: .restoring)
    }

    /// The owners, the service first.
    package var owners: [RefreshOwner] { hosts.keys.sorted() }

    /// The owner of the running task with this number; nil if it is over.
    package func owner(ofTask number: Int) -> RefreshOwner? {
        hosts.first { $0.value.scheduler.tasks.contains { $0.number == number } }?.key
    }

    package mutating func handle(_ input: Input, at now: RefreshHost.Moment) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .add(let owner): add(owner, now, &effects)
        case .restored(let memories): restore(memories, now, &effects)
        case .remove(let owner): remove(owner, now, &effects)
        case .host(let owner, let input): send(input, to: owner, now, &effects)
        case .report(let report):
            note(report)
            for owner in owners { send(.report(report), to: owner, now, &effects) }
        case .timePassed:
            for owner in owners { send(.timePassed, to: owner, now, &effects) }
        }
        // Another one may process now.
        if effects.contains(where: \.endsProcessing) {
            for owner in owners { send(.timePassed, to: owner, now, &effects) }
        }
        if effects.contains(where: isWake) {
            for owner in owners { send(.scheduler(.woken), to: owner, now, &effects) }
        }
        for owner in hosts.keys { hosts[owner]?.scheduler.pool = pool }
        return effects
    }

    package func nextDue(at now: RefreshHost.Moment) -> Due {
        var due = Due.never
        for host in hosts.values { due.limit(to: host.nextDue(at: now)) }
        return due
    }

    private mutating func send(
        _ input: RefreshHost.Input, to owner: RefreshOwner, _ now: RefreshHost.Moment,
        _ effects: inout [Effect]
    ) {
        guard var host = hosts.removeValue(forKey: owner) else { return }
        host.scheduler.pool = pool
        let new = host.handle(input, at: now)
        pool = host.scheduler.pool
        hosts[owner] = host
        for effect in new {
            // One watch is enough for all.
            if effect == .watch {
                guard !isWatching else { continue }
                isWatching = true
            }
            effects.append(Effect(owner: owner, effect: effect))
        }
    }

    private mutating func add(
        _ owner: RefreshOwner, _ now: RefreshHost.Moment, _ effects: inout [Effect]
    ) {
        guard hosts[owner] == nil else { return }
        hosts[owner] = RefreshHost(environment, stage: .restoring)
        if let machine { send(.report(.machine(machine)), to: owner, now, &effects) }
        if let login { send(.report(.login(login)), to: owner, now, &effects) }
        send(.report(.sound(isPlaying: isPlaying)), to: owner, now, &effects)
    }

    private mutating func restore(
        _ memories: [RefreshOwner: RefreshScheduler.Memory], _ now: RefreshHost.Moment,
        _ effects: inout [Effect]
    ) {
        let owners = memories.keys.sorted()
        for owner in owners {
            hosts[owner]?.stage = .launching
            if let memory = memories[owner] { send(.restored(memory), to: owner, now, &effects) }
        }
        // The user allows or denies background refresh to all.
        let availability = hosts[.service]?.conditions.availability ?? .available
        for owner in owners {
            guard let handlers = hosts[owner]?.conditions.handlers else { continue }
            send(.report(.availability(availability)), to: owner, now, &effects)
            send(.launched(handlers: handlers), to: owner, now, &effects)
        }
    }

    private mutating func remove(
        _ owner: RefreshOwner, _ now: RefreshHost.Moment, _ effects: inout [Effect]
    ) {
        send(.scheduler(.cancelAll), to: owner, now, &effects)
        send(.scheduler(.setInterval(.never)), to: owner, now, &effects)
        for task in hosts[owner]?.scheduler.tasks ?? [] {
            let end = RefreshScheduler.Input.completed(task.number, RefreshCompletion(.failed))
            send(.scheduler(end), to: owner, now, &effects)
        }
        hosts[owner] = nil
    }

    private mutating func note(_ report: RefreshHost.Report) {
        switch report {
        case .machine(let machine): self.machine = machine
        case .login(let login): self.login = login
        case .sound(let isPlaying): self.isPlaying = isPlaying
        case .availability, .host, .handlers, .closed, .program: break
        }
    }

    /// Returns true if an effect begins something by schedule in the background.
    private func isWake(_ effect: Effect) -> Bool {
        guard case .scheduler(.launch(let task)) = effect.effect else { return false }
        return task.cause == .schedule
            && hosts[effect.owner]?.scheduler.conditions.host != .active
    }
}

extension RefreshHosts.Effect {
    fileprivate var endsProcessing: Bool {
        guard case .scheduler(.ended(let task, _)) = effect else { return false }
        return task.kind == .processing
    }
}

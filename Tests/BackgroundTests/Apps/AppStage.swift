import UndersongBase

@testable import UndersongBackground

/// A supervisor of apps with a clock, and the processes that it looks at.
struct AppStage {
    typealias Effect = AppSupervisor.Effect

    static let podcast = App(
        identifier: "podcast", name: "Podcast", command: ["/usr/bin/podcast"], folder: "/",
        modes: [.audio])

    var supervisor = AppSupervisor(boot: "boot", service: "service")
    var now = 100.0
    /// The processes, by client.
    var conditions: [Int: ProcessCondition] = [:]

    /// The identity of the process of a client in these tests, which has its number plus 1000.
    static func process(_ client: Int) -> ProcessIdentity {
        ProcessIdentity(id: Int32(1000 + client), start: 7)
    }

    static func group(_ client: Int) -> Int32 { process(client).id }

    var time: ScheduleTime { ScheduleTime(boot: now, wall: 1_000_000 + now) }

    /// Handles an input and what the looks find, and returns the other effects.
    @discardableResult
    mutating func handle(_ input: AppSupervisor.Input) -> [Effect] {
        supervisor.handle(input, at: time).flatMap { effect in
            guard case .look(let client) = effect else { return [effect] }
            return handle(.looked(client, conditions[client]))
        }
    }

    /// Lets time pass, with `timePassed` whenever something is due, and returns the effects.
    @discardableResult
    mutating func run(for seconds: Double) -> [Effect] {
        let end = now + seconds
        var effects: [Effect] = []
        while let due = supervisor.nextDue(at: time).boot, due <= end {
            now = max(now, due)
            effects += handle(.timePassed)
        }
        now = end
        return effects
    }

    /// A client joins whose process runs in the background of a terminal, leading its own group.
    mutating func join(_ client: Int, name: String = "push run", isForeground: Bool = false) {
        let condition = ProcessCondition(
            identity: Self.process(client), activity: .running, group: Self.group(client),
            foregroundGroup: isForeground ? Self.group(client) : 1)
        conditions[client] = condition
        handle(.joined(client, condition, name: name))
    }

    /// An app's process connects and reports needs; nil for no report.
    @discardableResult
    mutating func connect(
        _ client: Int, _ state: ApplicationState = .background, launch: String? = nil,
        needs: AppNeeds? = AppNeeds()
    ) -> [Effect] {
        join(client, name: "podcast", isForeground: state == .active)
        handle(.install(Self.podcast))
        let effects = handle(
            .connected(client, app: "podcast", state, source: "terminal", launch: launch))
        return effects + (needs.map { handle(.needs(client, $0)) } ?? [])
    }

    /// The terminal brings an app's process to the background.
    @discardableResult
    mutating func leaveFront(_ client: Int) -> [Effect] {
        conditions[client]?.foregroundGroup = 1
        return handle(.entered(client, .background, source: "terminal"))
    }

    /// Job control stops a client: it announces that and stops, and its shell notices it.
    @discardableResult
    mutating func stop(_ client: Int) -> [Effect] {
        let effects = handle(.willStop(client))
        conditions[client]?.activity = .stopped
        conditions[client]?.foregroundGroup = 1
        return effects
    }

    /// A client's process runs again and reports it.
    @discardableResult
    mutating func proceed(_ client: Int) -> [Effect] {
        conditions[client]?.activity = .running
        return handle(.didContinue(client))
    }

    /// Work of a client is over, and what it does then.
    @discardableResult
    mutating func end(_ work: AppWork, _ client: Int) -> [Effect] {
        handle(.ended(work, client, overran: false)) + run(for: AppSupervisor.lingering)
    }

    func status() -> AppStatus? { supervisor.status(of: "podcast", at: time) }

    // MARK: Effects

    /// The record of a stop.
    static func record(_ client: Int) -> Effect {
        .keep([.suspended(process(client), group: group(client), boot: "boot")])
    }

    /// The removal of the record of a stop.
    static func removal(_ client: Int) -> Effect { .keep([.notSuspended(process(client))]) }

    static func suspension(_ client: Int) -> [Effect] {
        [
            record(client),
            .suspend(process(client), group: group(client)),
        ]
    }

    static func resumption(_ client: Int) -> [Effect] {
        [
            .resume(process(client), group: group(client)), removal(client),
        ]
    }

    static func report(
        _ phase: AppEvent.Phase, _ client: Int?, of name: String = "podcast",
        state: AppState? = nil, reason: String? = nil, end: AppEnd? = nil
    ) -> Effect {
        var event = AppEvent(phase, name)
        event.process = client.map { process($0).id }
        (event.state, event.reason, event.end) = (state, reason, end)
        return .report(event)
    }

    static func needs(_ tasks: String..., wake: Int = 0) -> AppNeeds {
        var needs = AppNeeds()
        (needs.tasks, needs.wake) = (tasks, wake)
        return needs
    }
}

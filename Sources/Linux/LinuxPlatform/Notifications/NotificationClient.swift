import Synchronization
package import UndersongBackground
package import UndersongBase

/// Shows notifications by the server of the desktop, and a badge by its dock, over the session bus.
///
/// It has a thread of its own from its first use on. A server that is missing, hangs or ends makes
/// notifications fail within `patience`; the next one looks for a server again.
package final class NotificationClient: UserNotifier, BusObject {
    /// The seconds that a server has to answer.
    package static let patience = 5.0
    /// The seconds that a server has to answer somebody who only wants to know it. Nobody waits for
    /// one that has not answered so fast before.
    package static let searchPatience = 0.25
    /// The most requests that wait for a server.
    private static let taskLimit = 64
    /// The most calls that a server has not answered, in time or not.
    private static let callLimit = 256
    /// The number of calls whose answers do not matter.
    private static let ignored = 0

    private enum Errand {
        case find(@Sendable (Result<NotificationServer, NotifierProblem>) -> Void)
        case show(DesktopNotification, @Sendable (NotifierProblem?) -> Void)

        func fail(_ reason: String) {
            let problem = NotifierProblem(reason)
            switch self {
            case .find(let answer): answer(.failure(problem))
            case .show(_, let answer): answer(problem)
            }
        }
    }

    /// A task that has not ended.
    private struct Waiting {
        var task: Errand
        /// True if a server that has not answered until its end is asked again.
        var isPatient: Bool
        var timer: HostTimer?
    }

    private struct State {
        var handler: (@Sendable (NotifierEvent) -> Void)?
        var isStarted = false
        var hasEnded = false
        var isConnected = false
        var search = ServerSearch()
        /// The reason why the latest search has found no server; nil before its end, and since there
        /// is news.
        var problem: NotifierProblem?
        var waiting: [Int: Waiting] = [:]
        /// The tasks that wait for the server to be known, in order.
        var queue: [Int] = []
        var lastTask = 0
        /// The notifications of calls that are not answered, also those that have failed meanwhile.
        var calls: [Int: NotificationKey] = [:]
        /// The calls whose notifications are closed as soon as their ids are known.
        var unwanted: Set<Int> = []
        var ids = NotificationIds()
        var badge = 0
    }

    private let bus: BusService
    private let clock: any HostClock
    private let state = Mutex(State())

    /// Creates a client on `bus`, which must not have been started.
    package init(bus: BusService, clock: any HostClock) {
        self.bus = bus
        self.clock = clock
    }

    package func begin(_ handler: @escaping @Sendable (NotifierEvent) -> Void) {
        state.withLock { $0.handler = handler }
    }

    package func findServer(
        _ answer: @escaping @Sendable (Result<NotificationServer, NotifierProblem>) -> Void
    ) {
        let (problem, isSearching) = state.withLock { ($0.problem, !$0.queue.isEmpty) }
        guard let problem else { return add(.find(answer), within: Self.searchPatience) }
        answer(.failure(problem))
        // For the next one who wants to know it.
        if !isSearching { add(.find { _ in }, within: Self.patience) }
    }

    package func show(
        _ notification: DesktopNotification,
        _ answer: @escaping @Sendable (NotifierProblem?) -> Void
    ) { add(.show(notification, answer), within: Self.patience) }

    package func close(_ key: NotificationKey) {
        let (id, task) = state.withLock { state -> (UInt32?, Errand?) in
            for (number, other) in state.calls where other == key { state.unwanted.insert(number) }
            // One that was not sent yet is never shown.
            let queued = state.queue.filter { number in
                if case .show(let notification, _)? = state.waiting[number]?.task {
                    notification.key == key
                } else {
                    false
                }
            }
            state.queue.removeAll { queued.contains($0) }
            let removed = queued.compactMap { state.waiting.removeValue(forKey: $0) }
            for waiting in removed { waiting.timer?.cancel() }
            return (state.ids.id(of: key), removed.last?.task)
        }
        task?.fail("it was removed")
        if let id { bus.call(Self.ignored, NotificationRequest.close(id)) }
    }

    package func setBadge(_ number: Int) {
        let (hasChanged, isConnected) = state.withLock { state in
            defer { state.badge = number }
            return (state.badge != number && !state.hasEnded, state.isConnected)
        }
        guard hasChanged else { return }
        start()
        // Without a bus, it is shown as soon as there is one.
        if isConnected { bus.emit([LauncherEntry.update(badge: number)]) }
    }

    package func end() {
        let (tasks, isStarted) = state.withLock { state -> ([Waiting], Bool) in
            state.hasEnded = true
            state.handler = nil
            state.queue = []
            defer { state.waiting = [:] }
            return (Array(state.waiting.values), state.isStarted)
        }
        for waiting in tasks {
            waiting.timer?.cancel()
            waiting.task.fail("the service is ending")
        }
        if isStarted { bus.stop() }
    }

    // MARK: Tasks

    private func start() {
        let isFirst = state.withLock { state in
            guard !state.hasEnded, !state.isStarted else { return false }
            state.isStarted = true
            return true
        }
        if isFirst { bus.start(self, threadName: "notifications") }
    }

    private func add(_ task: Errand, within seconds: Double) {
        let number = state.withLock { state -> Int? in
            guard !state.hasEnded, state.waiting.count < Self.taskLimit,
                state.calls.count < Self.callLimit
            else { return nil }
            state.lastTask += 1
            state.waiting[state.lastTask] = Waiting(
                task: task, isPatient: seconds >= Self.patience)
            state.queue.append(state.lastTask)
            return state.lastTask
        }
        guard let number else {
            return task.fail("too many notifications wait for the notification server")
        }
        let timer = clock.wake(after: seconds, leeway: 100_000_000) { [weak self] in
            self?.expire(number)
        }
        state.withLock { $0.waiting[number]?.timer = timer }
        start()
        advance()
    }

    private func expire(_ number: Int) {
        let (task, reason) = state.withLock { state -> (Errand?, String) in
            let wasQueued = state.queue.contains(number)
            state.queue.removeAll { $0 == number }
            let waiting = state.waiting.removeValue(forKey: number)
            if state.calls[number] != nil { state.unwanted.insert(number) }
            if wasQueued, waiting?.isPatient == true { state.search.giveUp() }
            let reason =
                state.isConnected
                ? "the notification server does not answer" : "there is no session bus"
            if wasQueued { state.problem = NotifierProblem(reason) }
            return (waiting?.task, reason)
        }
        task?.fail(reason)
    }

    /// Does for the tasks that wait what can be done now.
    private func advance() {
        if !bus.isConnected { bus.lookAgain() }
        let (requests, found) =
            state.withLock { state in
                guard state.isConnected, !state.queue.isEmpty else { return ([], nil) }
                if let server = state.search.server { return Self.send(&state, to: server) }
                return (state.search.begin(), nil)
            } as ([(Int, BusRequest)], (server: NotificationServer, waiting: [Waiting])?)
        for (number, request) in requests { bus.call(number, request) }
        for waiting in found?.waiting ?? [] {
            waiting.timer?.cancel()
            if case .find(let answer) = waiting.task, let server = found?.server {
                answer(.success(server))
            }
        }
    }

    /// The calls of all that wait for the server to be known, and those who only wanted to know it.
    private static func send(
        _ state: inout State, to server: NotificationServer
    ) -> ([(Int, BusRequest)], (server: NotificationServer, waiting: [Waiting])?) {
        var requests: [(Int, BusRequest)] = []
        var found: [Waiting] = []
        for number in state.queue {
            switch state.waiting[number]?.task {
            case .find: found += [state.waiting.removeValue(forKey: number)].compactMap(\.self)
            case .show(let notification, _):
                state.calls[number] = notification.key
                requests.append(
                    (
                        number,
                        NotificationRequest.show(
                            notification, replacing: state.ids.id(of: notification.key),
                            capabilities: server.capabilities)
                    ))
            case nil: break
            }
        }
        state.queue = []
        return (requests, (server, found))
    }

    /// Lets all tasks fail that `isMeant`.
    private func fail(_ reason: String, where isMeant: (State, Int) -> Bool) {
        let failed = state.withLock { state in
            let numbers = state.waiting.keys.filter { isMeant(state, $0) }.sorted()
            state.queue.removeAll { numbers.contains($0) }
            return numbers.compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for waiting in failed {
            waiting.timer?.cancel()
            waiting.task.fail(reason)
        }
    }

    // MARK: The bus

    package func busCame() {
        let badge = state.withLock { state in
            (state.isConnected, state.problem) = (true, nil)
            return state.badge
        }
        for rule in [
            "type='signal',sender='\(NotificationRequest.service)',"
                + "interface='\(NotificationRequest.service)',"
                + "path='\(NotificationRequest.path)'",
            Self.ownerRule(NotificationRequest.service), Self.ownerRule(LauncherEntry.dock),
        ] {
            bus.call(Self.ignored, .bus("AddMatch", [.string(rule)]))
        }
        if badge > 0 { bus.emit([LauncherEntry.update(badge: badge)]) }
        advance()
    }

    private static func ownerRule(_ name: String) -> String {
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
            + "member='NameOwnerChanged',arg0='\(name)'"
    }

    package func busWent() {
        state.withLock { $0.isConnected = false }
        forgetServer()
        fail("the session bus is lost") { $0.calls[$1] != nil }
        state.withLock { ($0.calls, $0.unwanted) = ([:], []) }
    }

    /// Forgets the server, and all that it has shown.
    private func forgetServer() {
        let handler = state.withLock { state in
            state.search.giveUp()
            state.problem = nil
            defer { state.ids = NotificationIds() }
            return state.ids.isEmpty ? nil : state.handler
        }
        handler?(.lost)
    }

    package func receive(_ call: BusCall) {
        bus.refuse(call, BusError(.unknownObject, "There is no object at \(call.path)"))
    }

    package func answered(_ number: Int, _ answer: Result<[BusValue], BusError>) {
        if number > Self.ignored {
            endCall(number, answer)
        } else if number < Self.ignored {
            receiveInquiry(number, answer)
        }
    }

    private func endCall(_ number: Int, _ answer: Result<[BusValue], BusError>) {
        var (reason, id): (String?, UInt32?) = (nil, nil)
        switch answer {
        case .success(let values):
            if case .uint32(let number)? = values.first { id = number }
            if id == nil { reason = "the answer of the notification server is not valid" }
        case .failure(let error): reason = ServerSearch.reason(of: error)
        }
        let (waiting, isUnwanted) = state.withLock { state in
            let key = state.calls.removeValue(forKey: number)
            if let key, let id { state.ids.add(id, of: key) }
            return (
                state.waiting.removeValue(forKey: number),
                state.unwanted.remove(number) != nil
            )
        }
        waiting?.timer?.cancel()
        if case .show(_, let answer)? = waiting?.task {
            answer(reason.map { NotifierProblem($0) })
        }
        if let id, isUnwanted { bus.call(Self.ignored, NotificationRequest.close(id)) }
    }

    /// Handles an answer of the server that is being asked.
    private func receiveInquiry(_ number: Int, _ answer: Result<[BusValue], BusError>) {
        let step = state.withLock { state in
            let step = state.search.receive(answer, to: number)
            switch step {
            case .ask: break
            case .found: state.problem = nil
            case .failed(let reason): state.problem = NotifierProblem(reason)
            }
            return step
        }
        switch step {
        case .ask(let requests): for (number, request) in requests { bus.call(number, request) }
        case .found: advance()
        case .failed(let reason): fail(reason) { state, number in state.queue.contains(number) }
        }
    }

    // MARK: Signals

    package func receive(_ signal: BusSignal) {
        if signal.sender == "org.freedesktop.DBus", signal.member == "NameOwnerChanged",
            signal.arguments.count == 3, let name = signal.arguments[0].text,
            let owner = signal.arguments[2].text
        {
            return noteOwner(of: name, isThere: !owner.isEmpty)
        }
        guard signal.interface == NotificationRequest.service,
            case .uint32(let id)? = signal.arguments.first, signal.arguments.count == 2
        else { return }
        let (event, handler) =
            state.withLock { state in
                guard let owner = state.search.owner, owner == signal.sender else {
                    return (nil, nil)
                }
                let event = state.ids.receive(signal.member, signal.arguments[1], of: id)
                return (event, state.handler)
            } as (NotifierEvent?, (@Sendable (NotifierEvent) -> Void)?)
        if let event { handler?(event) }
    }

    private func noteOwner(of name: String, isThere: Bool) {
        if name == LauncherEntry.dock {
            let badge = state.withLock { $0.badge }
            if isThere, badge > 0 { bus.emit([LauncherEntry.update(badge: badge)]) }
        } else if name == NotificationRequest.service {
            let isNews = state.withLock { $0.search.isNews(isThere: isThere) }
            guard isNews else { return }
            forgetServer()
            advance()
        }
    }
}

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
    /// The most requests that wait for a server.
    private static let taskLimit = 64
    /// The most calls that a server has not answered, in time or not.
    private static let callLimit = 256
    /// The number of calls whose answers do not matter.
    private static let ignored = 0
    /// The calls by which a server is found.
    private static let inquiryCalls = 3

    /// The state of the search for a server.
    private enum Server {
        case unknown
        /// It is being asked.
        case asked(Inquiry)
        /// It is the process with this unique name.
        case found(NotificationServer, owner: String)
    }

    /// The answers of a server that is being asked.
    private struct Inquiry {
        var name: String?
        var capabilities: [String]?
        var owner: String?
    }

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
        var timer: HostTimer?
    }

    private struct State {
        var handler: (@Sendable (NotifierEvent) -> Void)?
        var isStarted = false
        var hasEnded = false
        var isConnected = false
        var server = Server.unknown
        /// The number of inquiries so far: answers to an earlier one do not count.
        var inquiries = 0
        var waiting: [Int: Waiting] = [:]
        /// The tasks that wait for the server to be known, in order.
        var queue: [Int] = []
        var lastTask = 0
        /// The notifications of calls that are not answered, also those that have failed meanwhile.
        var calls: [Int: NotificationKey] = [:]
        /// The calls whose notifications are closed as soon as their ids are known.
        var unwanted: Set<Int> = []
        var ids: [NotificationKey: UInt32] = [:]
        var keys: [UInt32: NotificationKey] = [:]
        var tokens: [UInt32: String] = [:]
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
    ) { add(.find(answer)) }

    package func show(
        _ notification: DesktopNotification,
        _ answer: @escaping @Sendable (NotifierProblem?) -> Void
    ) { add(.show(notification, answer)) }

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
            return (state.ids[key], removed.last?.task)
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

    private func add(_ task: Errand) {
        let number = state.withLock { state -> Int? in
            guard !state.hasEnded, state.waiting.count < Self.taskLimit,
                state.calls.count < Self.callLimit
            else { return nil }
            state.lastTask += 1
            state.waiting[state.lastTask] = Waiting(task: task)
            state.queue.append(state.lastTask)
            return state.lastTask
        }
        guard let number else {
            return task.fail("too many notifications wait for the notification server")
        }
        let timer = clock.wake(after: Self.patience, leeway: 100_000_000) { [weak self] in
            self?.expire(number)
        }
        state.withLock { $0.waiting[number]?.timer = timer }
        start()
        advance()
    }

    private func expire(_ number: Int) {
        let (waiting, isConnected) = state.withLock { state in
            if state.calls[number] != nil { state.unwanted.insert(number) }
            // The next one asks again.
            if case .asked = state.server, state.queue.contains(number) { state.server = .unknown }
            state.queue.removeAll { $0 == number }
            return (state.waiting.removeValue(forKey: number), state.isConnected)
        }
        waiting?.task.fail(
            isConnected
                ? "the notification server does not answer" : "there is no session bus")
    }

    /// Does for the tasks that wait what can be done now.
    private func advance() {
        if !bus.isConnected { bus.lookAgain() }
        let (requests, found) =
            state.withLock { state in
                guard state.isConnected, !state.queue.isEmpty else { return ([], nil) }
                switch state.server {
                case .asked: return ([], nil)
                case .unknown:
                    state.server = .asked(Inquiry())
                    state.inquiries += 1
                    let number = -Self.inquiryCalls * state.inquiries
                    return ([(number, NotificationRequest.information())], nil)
                case .found(let server, _): return Self.send(&state, to: server)
                }
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
                            notification, replacing: state.ids[notification.key],
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
            state.isConnected = true
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
            state.server = .unknown
            defer { (state.ids, state.keys, state.tokens) = ([:], [:], [:]) }
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
        case .failure(let error): reason = Self.reason(of: error)
        }
        let (waiting, isUnwanted) = state.withLock { state in
            let key = state.calls.removeValue(forKey: number)
            if let key, let id {
                if let old = state.ids.updateValue(id, forKey: key), old != id {
                    state.keys[old] = nil
                }
                state.keys[id] = key
            }
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
        let (calls, reason, isFound) =
            state.withLock { state in
                let first = -Self.inquiryCalls * state.inquiries
                guard case .asked(var inquiry) = state.server,
                    (first..<first + Self.inquiryCalls).contains(number)
                else { return ([], nil, false) }
                let values: [BusValue]
                switch answer {
                case .success(let answered): values = answered
                case .failure(let error):
                    state.server = .unknown
                    return ([], Self.reason(of: error), false)
                }
                var calls: [(Int, BusRequest)] = []
                switch number - first {
                case 0:
                    // The name, the vendor, the version, and that of the specification.
                    let texts = values.map { $0.text ?? "" }
                    inquiry.name = [texts.first ?? "", texts.count > 2 ? texts[2] : ""]
                        .filter { !$0.isEmpty }.joined(separator: " ")
                    let name = BusValue.string(NotificationRequest.service)
                    calls = [
                        (first + 1, NotificationRequest.capabilities()),
                        (first + 2, .bus("GetNameOwner", [name])),
                    ]
                case 1:
                    if case .array("s", let words)? = values.first {
                        inquiry.capabilities = words.compactMap(\.text)
                    } else {
                        inquiry.capabilities = []
                    }
                default: inquiry.owner = values.first?.text ?? ""
                }
                if let name = inquiry.name, let capabilities = inquiry.capabilities,
                    let owner = inquiry.owner
                {
                    let server = NotificationServer(name: name, capabilities: capabilities)
                    state.server = .found(server, owner: owner)
                    return (calls, nil, true)
                }
                state.server = .asked(inquiry)
                return (calls, nil, false)
            } as ([(Int, BusRequest)], String?, Bool)
        for (number, request) in calls { bus.call(number, request) }
        if let reason { fail(reason) { state, number in state.queue.contains(number) } }
        if isFound { advance() }
    }

    private static func reason(of error: BusError) -> String {
        if error.isAny(of: .serviceUnknown, .nameHasNoOwner) {
            return "no notification server is running"
        }
        if error.isAny(of: .noReply) { return "the notification server has ended" }
        return error.message.isEmpty ? error.name : error.message
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
        let (event, handler) = state.withLock { state -> (NotifierEvent?, _) in
            guard case .found(_, signal.sender) = state.server, let key = state.keys[id] else {
                return (nil, state.handler)
            }
            return (
                Self.event(signal.member, signal.arguments[1], of: key, id, &state), state.handler
            )
        }
        if let event { handler?(event) }
    }

    private static func event(
        _ member: String, _ value: BusValue, of key: NotificationKey, _ id: UInt32,
        _ state: inout State
    ) -> NotifierEvent? {
        switch (member, value) {
        case ("ActivationToken", .string(let token)):
            state.tokens[id] = token
            return nil
        case ("ActionInvoked", .string(let word)):
            let token = state.tokens.removeValue(forKey: id)
            guard let action = NotificationRequest.action(ofKey: word) else { return nil }
            return .answered(key, action: action, token: token)
        case ("NotificationClosed", .uint32(let reason)):
            (state.keys[id], state.ids[key], state.tokens[id]) = (nil, nil, nil)
            return .closed(key, isDismissed: reason == 2)
        default: return nil
        }
    }

    private func noteOwner(of name: String, isThere: Bool) {
        if name == LauncherEntry.dock {
            let badge = state.withLock { $0.badge }
            if isThere, badge > 0 { bus.emit([LauncherEntry.update(badge: badge)]) }
        } else if name == NotificationRequest.service {
            let isNews = state.withLock { state in
                // A server that was just started for an inquiry is the one that is asked.
                if case .asked(let inquiry) = state.server {
                    return inquiry.name != nil || !isThere
                }
                return true
            }
            guard isNews else { return }
            forgetServer()
            advance()
        }
    }
}

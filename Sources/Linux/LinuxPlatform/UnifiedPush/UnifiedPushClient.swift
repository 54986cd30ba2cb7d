import Synchronization
package import UndersongBackground
package import UndersongBase

/// Registers this process with a distributor of UnifiedPush and receives its messages, as
/// `UnifiedPushConnector` decides, on a D-Bus message bus. Any thread may call it.
package final class UnifiedPushClient: BusObject {
    /// The maximum number of inputs that wait for each other before messages are refused.
    private static let inputLimit = 256
    /// The seconds that a distributor has to end a registration.
    private static let endPatience = 3.0

    /// The numbers of calls other than registrations, whose numbers are positive.
    private enum Request {
        static let watchDistributors = -1
        static let watchName = -2
        static let listNames = -3
        static let listStartable = -4
        static let unregister = -5
    }

    private struct Waiter {
        var body: @Sendable (UnifiedPushStatus) -> Void
        var timer: HostTimer?
    }

    private struct State {
        /// True if the registration is being ended: nothing is accepted any more.
        var isLeaving = false
        /// The calls that wait for an answer, by their numbers.
        var calls: [Int: (call: BusCall, meaning: ConnectorCall)] = [:]
        var version = UnifiedPush.Version.two
        /// The answers that `findDistributors` has got so far.
        var names: [String]?
        var startable: [String]?
        /// True if the bus can start this process; nil before the bus has answered.
        var isStartable: Bool?
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private let configuration: Configuration
    private let services: Services
    private let bus: BusService
    private let clock: any HostClock
    private let state = Mutex(State())
    private let shell: QueueShell<UnifiedPushConnector>
    private let effects = EffectSink()
    /// Posted when the distributor has answered that the registration is over.
    private let hasLeft = Semaphore()

    /// Creates a client for the registration that was kept, if there is one; it does nothing before
    /// `start`. `bus` must not have been started.
    package init(
        _ registration: UnifiedPushRegistration?, _ configuration: Configuration,
        services: Services, bus: BusService, clock: any HostClock
    ) {
        self.configuration = configuration
        self.services = services
        self.bus = bus
        self.clock = clock
        shell = QueueShell(
            UnifiedPushConnector(
                registration, distributor: configuration.distributor, vapid: configuration.vapid),
            label: "undersong.unifiedpush.client", now: { clock.secondsSinceBoot },
            alarm: { HostAlarm(clock, leeway: 100_000_000, $0) },
            whenHandled: { [effects] in effects.client?.releaseSettled() },
            perform: { [effects] in effects.client?.perform($0) })
        effects.client = self
    }

    /// The client that performs the shell's effects, as long as it is there.
    private final class EffectSink: Sendable {
        private struct Reference { weak var client: UnifiedPushClient? }
        private let reference = Mutex(Reference())

        var client: UnifiedPushClient? {
            get { reference.withLock(\.client) }
            set { reference.withLock { $0.client = newValue } }
        }
    }

    /// Begins.
    package func start() { bus.start(self, threadName: "unifiedpush") }

    /// Ends without a word to the distributor, which keeps the registration.
    package func stop() {
        bus.stop()
        shell.stop()
        for waiter in state.withLock({ $0.waiters.keys.sorted() }) { release(waiter) }
    }

    /// Ends the registration, as far as the distributor can be reached, and then stops. Blocks for
    /// some seconds at most.
    package func leave() {
        state.withLock { $0.isLeaving = true }
        if let registration, bus.isConnected,
            let request = DistributorRequest.end(of: registration)
        {
            bus.call(Request.unregister, request)
            _ = hasLeft.wait(until: clock.now + Int64(Self.endPatience * 1e9))
        }
        stop()
    }

    /// The registration; nil if there is none yet.
    package var registration: UnifiedPushRegistration? { shell.machine.registration }

    /// The state of the registration.
    package var status: UnifiedPushStatus {
        var status = shell.machine.status(at: clock.secondsSinceBoot)
        status.startable = state.withLock(\.isStartable)
        return status
    }

    /// Looks again after the machine has slept, or has got another network.
    package func awake() {
        handle(.awoke)
        bus.lookAgain()
    }

    /// Calls `body` once, on any thread, when the attempt to register has come to an end, or after
    /// `seconds`.
    package func whenSettled(
        within seconds: Double, _ body: @escaping @Sendable (UnifiedPushStatus) -> Void
    ) {
        let number = state.withLock { state in
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = Waiter(body: body)
            return state.lastWaiter
        }
        let timer = clock.wake(after: seconds, leeway: 50_000_000) { [weak self] in
            self?.release(number)
        }
        state.withLock { $0.waiters[number]?.timer = timer }
        releaseSettled()
    }

    private func release(_ number: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.timer?.cancel()
        waiter?.body(status)
    }

    private func releaseSettled() {
        guard shell.machine.isSettled else { return }
        for number in state.withLock({ $0.waiters.keys.sorted() }) { release(number) }
    }

    // MARK: Inputs and effects

    private func handle(_ input: UnifiedPushConnector.Input) {
        if !state.withLock(\.isLeaving) { shell.post(input) }
    }

    private func perform(_ effects: [UnifiedPushConnector.Effect]) {
        for effect in effects where !state.withLock(\.isLeaving) { perform(effect) }
    }

    private func perform(_ effect: UnifiedPushConnector.Effect) {
        switch effect {
        case .requestName: bus.offer([configuration.name])
        case .findDistributors: findDistributors()
        case .renew: handle(.renewed(services.renew()))
        case .keep(let registration): handle(.kept(services.keep(registration)))
        case .register(let registration, let version, let number):
            register(registration, version, number)
        case .accept(let number):
            guard let (call, meaning) = removeCall(number) else { return }
            bus.answer(call, meaning.answer(to: call))
        case .refuse(let number, let reason):
            guard let (call, _) = removeCall(number) else { return }
            bus.refuse(call, BusError(.failed, reason))
        case .open(let message, let keys):
            handle(.opened(message.identifier, services.open(message.bytes, keys)))
        case .deliver(let identifier, let content):
            services.deliver(identifier, content) { [weak self] isTaken in
                self?.handle(isTaken ? .taken(identifier) : .notTaken(identifier))
            }
        case .log(let text): services.log(text)
        }
    }

    private func removeCall(_ number: Int) -> (BusCall, ConnectorCall)? {
        state.withLock { $0.calls.removeValue(forKey: number) }.map { ($0.call, $0.meaning) }
    }

    private func register(
        _ registration: UnifiedPushRegistration, _ version: UnifiedPush.Version, _ number: Int
    ) {
        state.withLock { $0.version = version }
        let request = DistributorRequest.registration(
            registration, version, service: configuration.name,
            description: configuration.description)
        guard let request else { return }
        bus.call(number, request)
    }

    private func findDistributors() {
        state.withLock { ($0.names, $0.startable) = (nil, nil) }
        let rule =
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
            + "member='NameOwnerChanged',"
        let prefix = UnifiedPush.distributorPrefix.dropLast()
        bus.call(
            Request.watchDistributors,
            .bus("AddMatch", [.string(rule + "arg0namespace='\(prefix)'")]))
        bus.call(
            Request.watchName, .bus("AddMatch", [.string(rule + "arg0='\(configuration.name)'")]))
        bus.call(Request.listNames, .bus("ListNames"))
        bus.call(Request.listStartable, .bus("ListActivatableNames"))
    }

    // MARK: The bus

    package func busCame() { handle(.busCame) }

    package func busWent() {
        state.withLock { $0.calls = [:] }
        handle(.busWent)
    }

    package func named(_ isOurs: Bool) { handle(.named(isOurs)) }

    package func answered(_ number: Int, _ answer: Result<[BusValue], BusError>) {
        switch number {
        case Request.watchDistributors, Request.watchName: break
        case Request.unregister: hasLeft.post()
        case Request.listNames, Request.listStartable:
            let all = Self.names(in: answer)
            let names = all.filter { $0.hasPrefix(UnifiedPush.distributorPrefix) }
            let found = state.withLock { state -> (running: [String], startable: [String])? in
                if number == Request.listNames {
                    state.names = names
                } else {
                    state.startable = names
                    state.isStartable = all.contains(configuration.name)
                }
                guard let running = state.names, let startable = state.startable else { return nil }
                return (running, startable)
            }
            guard let found else { return }
            handle(.distributors(running: found.running, startable: found.startable))
        default:
            let version = state.withLock { $0.version }
            handle(.answered(number, DistributorRequest.answer(answer, version)))
        }
    }

    private static func names(in answer: Result<[BusValue], BusError>) -> [String] {
        guard case .success(let values) = answer, case .array("s", let names)? = values.first else {
            return []
        }
        return names.compactMap(\.text)
    }

    package func receive(_ signal: BusSignal) {
        guard signal.sender == "org.freedesktop.DBus", signal.member == "NameOwnerChanged",
            signal.arguments.count == 3, let name = signal.arguments[0].text,
            let owner = signal.arguments[2].text
        else { return }
        if name == configuration.name {
            if owner.isEmpty { handle(.nameIsFree) }
        } else if name.hasPrefix(UnifiedPush.distributorPrefix) {
            handle(.distributor(name, isRunning: !owner.isEmpty))
        }
    }

    package func receive(_ call: BusCall) {
        let meaning: ConnectorCall
        do throws(BusError) {
            meaning = try ConnectorCall(call)
        } catch {
            return bus.refuse(call, error)
        }
        if meaning == .introspection {
            return bus.answer(call, [.string(ConnectorCall.description)])
        }
        let refusal = state.withLock { state -> BusError? in
            guard !state.isLeaving else { return BusError(.failed, "The token is not known") }
            guard shell.backlog < Self.inputLimit else {
                return BusError(.limitsExceeded, "Too many calls wait")
            }
            if let id = call.id { state.calls[id] = (call, meaning) }
            return nil
        }
        if let refusal { return bus.refuse(call, refusal) }
        switch meaning {
        case .message(let token, let bytes, _):
            handle(
                .message(
                    UnifiedPushConnector.Message(
                        token: token, bytes: bytes, identifier: services.identify(bytes),
                        call: call.id)))
        case .endpoint(let token, let url): handle(.endpoint(url, token: token, call: call.id))
        case .unregistered(let token): handle(.unregistered(token: token, call: call.id))
        case .introspection: break
        }
    }
}

extension UnifiedPushClient {
    /// The connector's name and description, and the distributor that it uses.
    package struct Configuration: Sendable {
        /// This process's name on the bus.
        package var name: String
        /// The purpose of the pushes, for people: 100 bytes at most.
        package var description: String
        /// The distributor's name on the bus; nil for any.
        package var distributor: String?
        /// The public key of the only sender; nil for any.
        package var vapid: String?

        package init(
            name: String, description: String, distributor: String? = nil, vapid: String? = nil
        ) {
            self.name = name
            self.description = description
            self.distributor = distributor
            self.vapid = vapid
        }
    }

    /// The functions that others perform for it. They are called on any thread, one at a time.
    package struct Services: Sendable {
        /// Makes a new token and keys; nil if there are no random numbers.
        package var renew: @Sendable () -> UnifiedPushRegistration?
        /// Writes the registration to the disk. Returns why that has failed.
        package var keep: @Sendable (UnifiedPushRegistration) -> String?
        /// Returns an identifier that distinguishes a message from others.
        package var identify: @Sendable ([UInt8]) -> String
        /// Decrypts a message.
        package var open:
            @Sendable ([UInt8], UnifiedPushRegistration.Keys) ->
                Result<[UInt8], UnifiedPushConnector.Unreadable>
        /// Hands something on: the last argument is called once, on any thread, with whether it was
        /// taken, or refused for good.
        package var deliver:
            @Sendable (
                _ identifier: String, _ content: PushContent,
                _ answer: @escaping @Sendable (Bool) -> Void
            ) -> Void
        /// Writes a trouble into the log.
        package var log: @Sendable (String) -> Void

        package init(
            renew: @escaping @Sendable () -> UnifiedPushRegistration?,
            keep: @escaping @Sendable (UnifiedPushRegistration) -> String?,
            identify: @escaping @Sendable ([UInt8]) -> String,
            open:
                @escaping @Sendable ([UInt8], UnifiedPushRegistration.Keys) ->
                Result<[UInt8], UnifiedPushConnector.Unreadable>,
            deliver:
                @escaping @Sendable (String, PushContent, @escaping @Sendable (Bool) -> Void) ->
                Void,
            log: @escaping @Sendable (String) -> Void
        ) {
            self.renew = renew
            self.keep = keep
            self.identify = identify
            self.open = open
            self.deliver = deliver
            self.log = log
        }
    }
}

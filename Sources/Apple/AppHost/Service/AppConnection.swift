import Dispatch
import Synchronization
package import UndersongBackground
package import UndersongBase
package import UndersongControl

/// The connection of this process's app to the service, which is made again when it is lost. Any
/// thread may use it.
///
/// A service that was killed is started again; one that was ended is waited for.
package final class AppConnection: Sendable {
    /// News of the service, with the number of the connection that brings it.
    package enum News: Sendable {
        /// The service knows this app by a new connection: again, or for the first time.
        case connected(ConnectApp.Reply)
        case lost
        case state(ApplicationState)
        case woken(AppWoken)
        case terminating(AppTerminating)
        case refreshLaunch(RefreshLaunch)
        case refreshExpiring(RefreshExpiring)
        case refreshEnded(RefreshEnded)
        case push(PushReceived)
        /// The answer of registering for pushes.
        case pushToken(Result<PushToken, ControlError>)
        case notificationAnswered(NotificationAnswered)
    }

    /// Handles news, in order, on threads of the connections.
    package typealias Receive = @Sendable (News, _ connection: Int) -> Void

    /// Nanoseconds after which a connection counts as steady.
    private static let steadyTime: Int64 = 60_000_000_000

    private struct State {
        var launch: String?
        /// The state by the terminal; without one, the state that the service has put the app in.
        var state: ApplicationState
        var source: String
        /// The needs as they were reported last.
        var needs = AppNeeds()
        var wantsPushes = false
        /// True if the service has known this app at all.
        var hasBegun = false
        /// The time of the last connection.
        var beginning: Int64 = 0
        var backoff = Backoff(seconds: 0.25...5)
        var receive: Receive = { _, _ in }
    }

    private let app: App
    private let refresh: RefreshCenter
    private let clock: any HostClock
    private let link: ControlLink
    private let state: Mutex<State>

    /// Creates a connection of `app`, whose background tasks are those of `refresh`. `launch` is the
    /// value of `UNDERSONG_LAUNCH`.
    package init(
        _ app: App, in state: ApplicationState, source: String, launch: String?,
        refresh: RefreshCenter, to location: ServiceLocation, clock: any HostClock
    ) {
        self.app = app
        self.refresh = refresh
        self.clock = clock
        self.state = Mutex(State(launch: launch, state: state, source: source))
        link = ControlLink(
            location, name: app.name, clock: clock, queue: DispatchQueue(label: "app"))
    }

    /// Connects, and starts the service if none is running: the first news is `connected`, which has
    /// been received when this returns.
    ///
    /// - Throws: There is no service, or it refuses this app. Then there is no other attempt.
    package func begin(_ receive: @escaping Receive) throws(ControlError) {
        state.withLock { $0.receive = receive }
        _ = try link.connect(handlers)
    }

    /// Ends the connection for good.
    package func end() { link.close() }

    // MARK: Calls

    /// Makes a call on the present connection, and waits for its answer; not on its threads.
    package func call<Call: ControlCall>(_ call: Call) throws(ControlError) -> Call.Reply {
        guard let connection = link.connection else {
            throw ControlError(.unavailable, "cannot reach the service: It has gone away")
        }
        return try connection.client.call(call)
    }

    /// Makes a call on the present connection, or on the one with this number alone, without waiting.
    /// The result goes to `completion`, on any thread.
    package func send<Call: ControlCall>(
        _ call: Call, by number: Int? = nil,
        _ completion: @escaping @Sendable (Result<Call.Reply, ControlError>) -> Void = { _ in }
    ) {
        guard let connection = link.connection, connection.number == number ?? connection.number
        else {
            let error = ControlError(.unavailable, "cannot reach the service: It has gone away")
            return completion(.failure(error))
        }
        connection.client.send(call, completion)
    }

    /// Reports the state by the terminal, now and on later connections.
    package func enter(_ newState: ApplicationState, source: String) {
        state.withLock { ($0.state, $0.source) = (newState, source) }
        send(EnterAppState(newState, source: source))
    }

    /// Reports needs, now and on later connections.
    package func report(_ needs: AppNeeds) {
        state.withLock { $0.needs = needs }
        send(ReportAppNeeds(needs))
    }

    /// Registers for pushes of this app, or no longer. The answer is news, on each connection.
    package func setWantsPushes(_ wantsPushes: Bool) {
        state.withLock { $0.wantsPushes = wantsPushes }
        guard wantsPushes else { return send(UnregisterForPushes()) }
        link.perform { [weak self] connection throws(ControlError) in
            self?.registerForPushes(connection)
        }
    }

    /// True while there is a connection.
    package var isOpen: Bool { link.connection != nil }

    // MARK: On the link's queue

    private var handlers: ControlLink.Handlers {
        ControlLink.Handlers(
            opened: { [weak self] connection throws(ControlError) in
                try self?.introduce(connection)
            },
            notice: { [weak self] message, connection in self?.receive(message, connection) },
            ended: { [weak self] _, _ in self?.delay() })
    }

    /// Makes this process the app in the eyes of the service, and repeats what that has to know.
    private func introduce(_ connection: ControlLink.Connection) throws(ControlError) {
        let now = clock.now
        let call = state.withLock { state in
            state.beginning = now
            return ConnectApp(
                app, state: state.state, source: state.source,
                launch: state.hasBegun ? nil : state.launch)
        }
        let reply = try connection.client.call(call)
        follow(reply.state)
        try refresh.rejoin(connection.client, reply)
        let (needs, isAgain, receive) = state.withLock { state in
            defer { state.hasBegun = true }
            return (state.needs, state.hasBegun, state.receive)
        }
        if isAgain {
            connection.client.send(ReportAppNeeds(needs))
            if state.withLock(\.wantsPushes) { registerForPushes(connection) }
        }
        receive(.connected(reply), connection.number)
    }

    private func registerForPushes(_ connection: ControlLink.Connection) {
        let receive = state.withLock(\.receive)
        connection.client.send(RegisterForPushes(topics: [app.identifier])) { result in
            receive(.pushToken(result), connection.number)
        }
    }

    private func receive(_ message: ControlNoticeMessage, _ connection: Int) {
        guard let news = News(message) else { return }
        if case .state(let state) = news { follow(state) }
        state.withLock(\.receive)(news, connection)
    }

    /// Keeps the state that the service has put an app without a terminal in: the next service knows
    /// nothing of it.
    private func follow(_ newState: ApplicationState) {
        state.withLock { state in
            if state.source == "none" { state.state = newState }
        }
    }

    /// The seconds until another attempt; nil if the first one has failed.
    private func delay() -> Double? {
        let now = clock.now
        let (delay, isNew, receive) = state.withLock { state -> (Double?, Bool, Receive) in
            guard state.hasBegun else { return (nil, false, state.receive) }
            if state.beginning > 0, now - state.beginning >= Self.steadyTime {
                state.backoff.reset()
            }
            let isNew = state.beginning > 0
            state.beginning = 0
            return (state.backoff.next(), isNew, state.receive)
        }
        if isNew { receive(.lost, 0) }
        return delay
    }
}

extension AppConnection.News {
    private typealias Decoder = @Sendable (ControlNoticeMessage) -> Self?

    private static let decoders: [String: Decoder] = [
        AppStateChanged.method: decoder(AppStateChanged.self) { .state($0.state) },
        AppWoken.method: decoder(AppWoken.self, Self.woken),
        AppTerminating.method: decoder(AppTerminating.self, Self.terminating),
        RefreshLaunch.method: decoder(RefreshLaunch.self, Self.refreshLaunch),
        RefreshExpiring.method: decoder(RefreshExpiring.self, Self.refreshExpiring),
        RefreshEnded.method: decoder(RefreshEnded.self, Self.refreshEnded),
        PushReceived.method: decoder(PushReceived.self, Self.push),
        NotificationAnswered.method:
            decoder(NotificationAnswered.self, Self.notificationAnswered),
    ]

    private static func decoder<Notice: ControlNotice>(
        _ type: Notice.Type, _ make: @escaping @Sendable (Notice) -> Self
    ) -> Decoder {
        { message in (try? message.decode(type)).map(make) }
    }

    /// Decodes a notice; nil if it does not concern an app.
    init?(_ message: ControlNoticeMessage) {
        guard let news = Self.decoders[message.method]?(message) else { return nil }
        self = news
    }
}

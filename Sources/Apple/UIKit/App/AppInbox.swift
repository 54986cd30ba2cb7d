import Dispatch
import Synchronization
import UndersongAppHost
import UndersongBackground

/// The news of the service before the application has launched, and the way to it afterwards.
final class AppInbox: Sendable {
    struct Push {
        var push: PushReceived
        var connection: Int
    }

    private struct State {
        var isOpen = false
        var reply: ConnectApp.Reply?
        var waiting: [(news: AppConnection.News, connection: Int)] = []
        var deliver: @Sendable (AppConnection.News, Int) -> Void = { _, _ in }
    }

    private let state = Mutex(State())
    private let hasPush = DispatchSemaphore(value: 0)

    /// Delivers news once this is open.
    var deliver: @Sendable (AppConnection.News, Int) -> Void {
        get { state.withLock(\.deliver) }
        set { state.withLock { $0.deliver = newValue } }
    }

    /// The service's first answer; nil before.
    var reply: ConnectApp.Reply? { state.withLock(\.reply) }

    func add(_ news: AppConnection.News, _ connection: Int) {
        state.withLock { state in
            guard !state.isOpen else { return state.deliver(news, connection) }
            if case .connected(let reply) = news, state.reply == nil {
                state.reply = reply
                return
            }
            state.waiting.append((news, connection))
            if case .push = news { hasPush.signal() }
        }
    }

    /// Delivers what has waited, and what comes from now on.
    func open() {
        state.withLock { state in
            state.isOpen = true
            for (news, connection) in state.waiting { state.deliver(news, connection) }
            state.waiting = []
        }
    }

    /// Waits for a push, and removes it.
    func waitForPush(within seconds: Double) -> Push? {
        guard hasPush.wait(timeout: .now() + seconds) == .success else { return nil }
        return state.withLock { state in
            for (index, entry) in state.waiting.enumerated() {
                guard case .push(let push) = entry.news else { continue }
                state.waiting.remove(at: index)
                return Push(push: push, connection: entry.connection)
            }
            return nil
        }
    }
}

/// The pushes that are handled, and the results that the service has not confirmed.
struct PushAnswers {
    enum Receipt {
        case isNew
        /// It is being handled.
        case isHandled
        case hasResult(PushResult)
    }

    /// The connections that have brought each push last.
    private var connections: [Int: Int] = [:]
    private var results: [Int: PushResult] = [:]

    mutating func receive(_ push: Int, by connection: Int) -> Receipt {
        let isKnown = connections.updateValue(connection, forKey: push) != nil
        if let result = results[push] { return .hasResult(result) }
        return isKnown ? .isHandled : .isNew
    }

    /// Notes a result. Returns the connection to answer by.
    mutating func finish(_ push: Int, _ result: PushResult) -> Int? {
        results[push] = result
        return connections[push]
    }

    mutating func forget(_ push: Int) { (connections[push], results[push]) = (nil, nil) }
}

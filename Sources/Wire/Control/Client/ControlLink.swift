package import Dispatch
import Synchronization
package import UndersongBase

/// A connection to a service that is made when it is needed, and made again when it is lost for as
/// long as its user wants. Any thread may use it.
package final class ControlLink: Sendable {
    /// One connection. A later one has a higher number.
    package struct Connection: Sendable {
        package let client: ControlClient
        package let number: Int
    }

    /// The user's part. The queue is the link's; nothing is called after `close` but for one call
    /// that is under way.
    package struct Handlers: Sendable {
        /// There is a connection: called on the queue, and may wait for calls. What this throws
        /// ends the connection.
        package var opened: @Sendable (Connection) throws(ControlError) -> Void
        /// The service has sent something on the connection with this number: called on its thread.
        package var notice: @Sendable (ControlNoticeMessage, _ connection: Int) -> Void
        /// A connection was lost (`wasOpen`), or could not be made: called on the queue. Returns
        /// the seconds until the next attempt; nil closes the link.
        package var ended: @Sendable (ControlError, _ wasOpen: Bool) -> Double?

        package init(
            opened: @escaping @Sendable (Connection) throws(ControlError) -> Void = { _ in },
            notice: @escaping @Sendable (ControlNoticeMessage, _ connection: Int) -> Void = {
                _, _ in
            },
            ended: @escaping @Sendable (ControlError, _ wasOpen: Bool) -> Double? = { _, _ in nil }
        ) {
            self.opened = opened
            self.notice = notice
            self.ended = ended
        }
    }

    private enum Phase {
        case closed
        case connecting
        case open(ControlClient)
        /// The next attempt is scheduled, or about to be.
        case waiting(HostTimer?)
    }

    private struct State {
        var phase = Phase.closed
        /// Counts the changes of the phase; what belongs to another one than the last is over.
        var number = 0
        var handlers = Handlers()
        /// The reason why there is no connection.
        var ending = ControlError(.unavailable, "cannot reach the service: It was closed")

        mutating func begin(_ phase: Phase) -> Int {
            self.phase = phase
            number += 1
            return number
        }
    }

    private let clock: any HostClock
    private let queue: DispatchQueue
    private let makeClient: MakeClient
    private let state = Mutex(State())

    /// Makes a client, and starts the service if necessary.
    package typealias MakeClient =
        @Sendable (
            _ onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void,
            _ onClose: @escaping @Sendable (ControlError) -> Void
        ) throws(ControlError) -> ControlClient

    /// Creates a link whose connections are made by `makeClient`, which may block, on `queue`.
    package init(clock: any HostClock, queue: DispatchQueue, _ makeClient: @escaping MakeClient) {
        self.clock = clock
        self.queue = queue
        self.makeClient = makeClient
    }

    /// The connection; nil while there is none.
    package var connection: Connection? {
        state.withLock { state in
            guard case .open(let client) = state.phase else { return nil }
            return Connection(client: client, number: state.number)
        }
    }

    /// Opens the link, unless it is open: connects after `begin` was called on the queue.
    package func open(
        _ handlers: Handlers, begin: @escaping @Sendable () -> Void = {}
    ) {
        guard let number = start(handlers) else { return }
        queue.async { [self] in
            begin()
            attempt(number)
        }
    }

    /// Closes the link at once, unless `isWanted`, which is called while others have to wait.
    package func close(unless isWanted: () -> Bool = { false }) {
        let last = state.withLock { state -> Phase in
            guard !isWanted() else { return .closed }
            defer { _ = state.begin(.closed) }
            state.handlers = Handlers()
            return state.phase
        }
        switch last {
        case .open(let client): client.close()
        case .waiting(let timer): timer?.cancel()
        case .closed, .connecting: break
        }
    }

    /// Calls `body` on the queue if there is a connection then, of this number, or any for nil.
    /// An error that it throws ends that.
    package func perform(
        on number: Int? = nil,
        _ body: @escaping @Sendable (Connection) throws(ControlError) -> Void
    ) {
        queue.async { [self] in
            guard let connection, connection.number == number ?? connection.number else { return }
            do throws(ControlError) {
                try body(connection)
            } catch {
                end(connection.number, error)
            }
        }
    }

    /// Makes the next attempt at once, if there is no connection and one is scheduled.
    package func hurry() {
        queue.async { [self] in
            let waiting = state.withLock { state -> (number: Int, timer: HostTimer?)? in
                guard case .waiting(let timer) = state.phase else { return nil }
                return (state.number, timer)
            }
            guard let waiting else { return }
            waiting.timer?.cancel()
            connectAgain(waiting.number)
        }
    }

    /// Ends the connection with this number as if it were lost. Called on the queue.
    package func fail(_ connection: Int, _ error: ControlError) { end(connection, error) }

    /// Returns the connection, for which the link is opened if it is closed. Waits for it; must not
    /// be called on the queue.
    ///
    /// - Throws: the reason why there is no connection.
    package func connect(_ handlers: Handlers) throws(ControlError) -> Connection {
        let result = queue.sync { () -> Result<Connection, ControlError> in
            do throws(ControlError) {
                return .success(try needed(handlers))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Sends a call on the connection, for which the link is opened if it is closed; while that is
    /// being made, calls wait. The caller keeps the descriptors open until the result is passed to
    /// `completion`, on any thread.
    package func send<Call: ControlCall>(
        _ call: Call, descriptors: [Int32] = [], _ handlers: Handlers,
        _ completion: @escaping @Sendable (Result<Call.Reply, ControlError>) -> Void
    ) {
        queue.async { [self] in
            do throws(ControlError) {
                try needed(handlers).client.send(call, descriptors: descriptors, completion)
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Sends a call as above, and returns its reply. One that does not come `within` these seconds
    /// of the call costs the connection.
    package func call<Call: ControlCall>(
        _ call: Call, within seconds: Double? = nil, _ handlers: Handlers
    ) async throws(ControlError) -> Call.Reply {
        let result: Result<Call.Reply, ControlError> = await withCheckedContinuation {
            continuation in
            queue.async { [self] in
                do throws(ControlError) {
                    let connection = try needed(handlers)
                    let timer = seconds.map { seconds in
                        clock.wake(after: seconds, leeway: Self.leeway(seconds)) {
                            connection.client.close()
                        }
                    }
                    connection.client.send(call) { result in
                        timer?.cancel()
                        continuation.resume(returning: result)
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    // MARK: On the queue

    /// Leaves the phase `closed`; returns nil in any other.
    private func start(_ handlers: Handlers) -> Int? {
        state.withLock { state in
            guard case .closed = state.phase else { return nil }
            state.handlers = handlers
            return state.begin(.connecting)
        }
    }

    private func needed(_ handlers: Handlers) throws(ControlError) -> Connection {
        _ = start(handlers)
        attempt(state.withLock(\.number))
        guard let connection else { throw state.withLock(\.ending) }
        return connection
    }

    private func attempt(_ number: Int) {
        let wanted = state.withLock { state -> Handlers? in
            guard state.number == number, case .connecting = state.phase else { return nil }
            return state.handlers
        }
        guard let handlers = wanted else { return }
        do throws(ControlError) {
            let client = try makeClient(
                { [weak self] message in
                    if self?.isCurrent(number) == true { handlers.notice(message, number) }
                },
                { [weak self] error in
                    guard let self else { return }
                    queue.async { self.end(number, error) }
                })
            let isWanted = state.withLock { state in
                guard state.number == number else { return false }
                state.phase = .open(client)
                return true
            }
            guard isWanted else { return client.close() }
            try handlers.opened(Connection(client: client, number: number))
        } catch {
            end(number, error)
        }
    }

    private func isCurrent(_ number: Int) -> Bool { state.withLock { $0.number == number } }

    /// Ends a connection, or an attempt to make one, unless that is over.
    private func end(_ number: Int, _ error: ControlError) {
        let last = state.withLock { state -> (handlers: Handlers, phase: Phase, next: Int)? in
            guard state.number == number else { return nil }
            let phase = state.phase
            state.ending = error
            return (state.handlers, phase, state.begin(.waiting(nil)))
        }
        guard let (handlers, phase, next) = last else { return }
        var wasOpen = false
        if case .open(let client) = phase {
            wasOpen = true
            client.close()
        }
        guard let delay = handlers.ended(error, wasOpen) else {
            return state.withLock { state in
                guard state.number == next else { return }
                (state.phase, state.handlers) = (.closed, Handlers())
            }
        }
        // After what calls that were lost have left on the queue.
        guard delay > 0 else { return queue.async { self.connectAgain(next) } }
        let timer = clock.wake(after: delay, leeway: Self.leeway(delay)) { [weak self] in
            guard let self else { return }
            queue.async { self.connectAgain(next) }
        }
        let isWanted = state.withLock { state in
            guard state.number == next else { return false }
            state.phase = .waiting(timer)
            return true
        }
        if !isWanted { timer.cancel() }
    }

    private func connectAgain(_ number: Int) {
        let isWanted = state.withLock { state in
            guard state.number == number else { return false }
            state.phase = .connecting
            return true
        }
        if isWanted { attempt(number) }
    }

    /// Nanoseconds by which a timer of so many seconds may be late.
    private static func leeway(_ seconds: Double) -> Int64 { Int64(min(seconds / 10, 0.1) * 1e9) }
}

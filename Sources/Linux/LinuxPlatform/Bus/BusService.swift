import CUndersongLinux
import Dispatch
import Glibc
import Synchronization
package import UndersongBase

/// The object that a `BusService` lets others call. Its methods are called on the service's thread
/// and must not block.
package protocol BusObject: AnyObject, Sendable {
    /// The bus is connected: `offer` now gives this process a name on it.
    func busCame()
    /// The bus was lost, and with it all unanswered calls.
    func busWent()
    /// A method was called: reply with `answer` or `refuse`, now or later.
    func receive(_ call: BusCall)
    /// The bus has given this process one of the names of `offer`, or none.
    func named(_ isOurs: Bool)
    /// The call that was made with this number was answered.
    func answered(_ number: Int, _ answer: Result<[BusValue], BusError>)
    /// A signal has come. It may also come from a process that was not asked for it.
    func receive(_ signal: BusSignal)
}

extension BusObject {
    package func named(_ isOurs: Bool) {}
    package func answered(_ number: Int, _ answer: Result<[BusValue], BusError>) {}
    package func receive(_ signal: BusSignal) {}
}

/// Offers an object to other programs on a D-Bus message bus.
///
/// It has a thread of its own, which sleeps without a timer while nothing happens. If there is no
/// bus, it waits for the bus's socket to appear, provided that the address names it; `lookAgain`
/// makes it try at once. Any thread may call the methods, which never wait for the bus, except that
/// the object must not call `stop`.
package final class BusService: Sendable {
    /// The most calls that wait for an answer.
    private static let callLimit = 1024
    /// Seconds to wait before each attempt after the bus's socket appears, since the bus may not be
    /// listening yet.
    private static let delays = [0.01, 0.05, 0.2, 1, 4]
    /// The seconds that `stop` waits for pending output to be sent.
    private static let endPatience = 0.2

    /// Pending output.
    private enum Output {
        case names([String])
        case answer(Int, [BusValue])
        case error(Int, BusError)
        case signal(BusSignal)
        case request(Int, BusRequest)
    }

    private struct State {
        var isStopping = false
        var isStarted = false
        /// True to try to connect now.
        var looksAgain = false
        /// The socket that the thread is waiting on.
        var connection: Int32?
        /// True if the bus is connected.
        var isConnected = false
        var outputs: [Output] = []
    }

    private let address: BusAddress
    private let clock: any HostClock
    private let state = Mutex(State())
    private let wakeup = Wakeup()
    private let ended = DispatchGroup()

    /// Creates a service for the bus at `address`; it does nothing before `start`.
    package init(_ address: BusAddress, clock: any HostClock) {
        self.address = address
        self.clock = clock
    }

    /// Starts: `object` is called until `stop`. The thread gets the name `name`, at most 15 bytes.
    /// Precondition: not started yet.
    package func start(_ object: any BusObject, threadName name: String) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        precondition(isFirst, "a bus service starts only once")
        ended.enter()
        startThread(named: name) { [self] in
            run(object)
            ended.leave()
        }
    }

    /// Requests the first free name of `names`.
    package func offer(_ names: [String]) { put([.names(names)]) }

    /// Answers a call with values.
    package func answer(_ call: BusCall, _ values: [BusValue]) {
        if let id = call.id { put([.answer(id, values)]) }
    }

    /// Answers a call with an error.
    package func refuse(_ call: BusCall, _ error: BusError) {
        if let id = call.id { put([.error(id, error)]) }
    }

    /// Sends signals, in this order.
    package func emit(_ signals: [BusSignal]) {
        if !signals.isEmpty { put(signals.map { .signal($0) }) }
    }

    /// Calls a method of another process. The object gets the answer with the caller's `number`, as
    /// late as it comes; none if the bus is lost.
    package func call(_ number: Int, _ request: BusRequest) { put([.request(number, request)]) }

    /// Tries to connect if there is no bus.
    package func lookAgain() {
        let isLost = state.withLock { state in
            guard !state.isConnected else { return false }
            state.looksAgain = true
            return true
        }
        if isLost { wakeup.post() }
    }

    /// True if the bus is connected.
    package var isConnected: Bool { state.withLock(\.isConnected) }

    /// Sends pending output and ends the thread; the object is no longer called once this returns.
    package func stop() {
        guard state.withLock({ $0.isStarted }) else { return }
        state.withLock { $0.isStopping = true }
        wakeup.post()
        guard ended.wait(timeout: .now() + Self.endPatience) == .timedOut else { return }
        state.withLock { state in
            if let connection = state.connection { _ = shutdown(connection, Int32(SHUT_RDWR)) }
        }
        ended.wait()
    }

    private func put(_ outputs: [Output]) {
        let isTaken = state.withLock { state in
            guard state.isConnected else { return false }
            state.outputs += outputs
            return true
        }
        if isTaken { wakeup.post() }
    }

    // MARK: The thread

    private func run(_ object: any BusObject) {
        let watch = address.socketFolder.flatMap { FolderWatch($0) }
        var delays = Self.delays[...]
        var lastCall = 0
        repeat {
            if serve(object, &lastCall) { delays = Self.delays[...] }
        } while pause(&delays, watch)
    }

    /// Waits until another attempt makes sense. Returns false when the service stops.
    private func pause(_ delays: inout ArraySlice<Double>, _ watch: FolderWatch?) -> Bool {
        let deadline = delays.popFirst().map { clock.now + Int64($0 * 1e9) } ?? .max
        while true {
            let (isStopping, looksAgain) = state.withLock { state in
                defer { state.looksAgain = false }
                return (state.isStopping, state.looksAgain)
            }
            if isStopping { return false }
            if looksAgain || clock.now >= deadline { return true }
            Wakeup.wait(for: wakeup.descriptor, or: watch?.descriptor, until: deadline)
            wakeup.clear()
            if let watch, watch.hasChanged {
                watch.clear()
                delays = Self.delays[...]
                return true
            }
        }
    }

    /// Serves until the bus is lost. Returns whether it was connected. Calls get numbers after
    /// `lastCall`, so that a late answer finds none of the next connection.
    private func serve(_ object: any BusObject, _ lastCall: inout Int) -> Bool {
        guard let connection = BusConnection(address), admit(connection.descriptor) else {
            return false
        }
        defer { leave() }
        guard connection.isAccepted() else { return false }
        state.withLock { $0.isConnected = true }
        object.busCame()
        var calls = Calls(after: lastCall)
        defer { lastCall = calls.last }
        while send(over: connection, &calls, object) {
            switch connection.receive() {
            case .message(let message): handle(message, over: connection, &calls, object)
            case .wakeup: break
            case .nothing:
                if connection.wait(or: wakeup) { wakeup.clear() }
            case .loss:
                lose(object)
                return true
            }
        }
        lose(object)
        return true
    }

    private func admit(_ connection: Int32) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            state.connection = connection
            return true
        }
    }

    private func lose(_ object: any BusObject) {
        state.withLock { state in
            state.isConnected = false
            state.outputs = []
        }
        object.busWent()
    }

    private func leave() { state.withLock { $0.connection = nil } }

    private func handle(
        _ message: consuming BusMessage, over connection: borrowing BusConnection,
        _ calls: inout Calls, _ object: any BusObject
    ) {
        if let number = message.answeredCall.flatMap({ calls.requests.removeValue(forKey: $0) }) {
            let failure = BusError(.failed, "The answer has values of a type that is not known")
            let answer: Result<[BusValue], BusError> =
                if let error = message.error {
                    .failure(error)
                } else {
                    message.values().map { .success($0) } ?? .failure(failure)
                }
            return object.answered(number, answer)
        }
        guard let path = message.path, let member = message.member else { return }
        if message.isSignal, let interface = message.interface {
            let sender = message.sender
            guard let values = message.values() else { return }
            var signal = BusSignal(path: path, interface: interface, member: member, values)
            signal.sender = sender
            return object.receive(signal)
        }
        guard message.isCall else { return }
        guard calls.count < Self.callLimit || !message.wantsReply else {
            let error = BusError(.limitsExceeded, "cannot call \(member): Too many calls wait")
            _ = connection.refuse(message, error)
            return
        }
        var call = BusCall(
            path: path, interface: message.interface, member: member,
            arguments: message.values(), signature: message.signature)
        if message.wantsReply { call.id = calls.add(message) }
        object.receive(call)
    }

    /// Sends pending output. Returns false if the bus accepts no more, or the service stops.
    private func send(
        over connection: borrowing BusConnection, _ calls: inout Calls, _ object: any BusObject
    ) -> Bool {
        let (outputs, isStopping) = state.withLock { state in
            defer { state.outputs = [] }
            return (state.outputs, state.isStopping)
        }
        for output in outputs {
            let isSent =
                switch output {
                case .names(let names): offer(names, over: connection, object)
                case .answer(let id, let values):
                    calls.remove(id).map { connection.answer($0.message, values) } ?? true
                case .error(let id, let error):
                    calls.remove(id).map { connection.refuse($0.message, error) } ?? true
                case .signal(let signal): connection.emit(signal)
                case .request(let number, let request):
                    make(request, as: number, over: connection, &calls, object)
                }
            if !isSent { return false }
        }
        return !isStopping
    }

    /// Requests the first free name of `names`. Always true: the bus stays in use even if none is
    /// free.
    private func offer(
        _ names: [String], over connection: borrowing BusConnection, _ object: any BusObject
    ) -> Bool {
        var isOurs = false
        for name in names where connection.requestName(name) {
            isOurs = true
            break
        }
        object.named(isOurs)
        return true
    }

    private func make(
        _ request: BusRequest, as number: Int, over connection: borrowing BusConnection,
        _ calls: inout Calls, _ object: any BusObject
    ) -> Bool {
        switch connection.send(request) {
        case .sent(let id): calls.requests[id] = number
        case .invalid:
            let error = BusError(.invalidArguments, "A name or value is not valid on D-Bus")
            object.answered(number, .failure(error))
        case .loss: return false
        }
        return true
    }
}

/// The unanswered calls of this process, and those that it has made.
private struct Calls {
    final class Call {
        let message: BusMessage
        init(_ message: consuming BusMessage) { self.message = message }
    }

    /// The caller's numbers of those that it has made, by the bus's.
    var requests: [UInt64: Int] = [:]
    private var calls: [Int: Call] = [:]
    private(set) var last: Int

    init(after last: Int) { self.last = last }

    var count: Int { calls.count }

    mutating func add(_ message: consuming BusMessage) -> Int {
        last += 1
        calls[last] = Call(message)
        return last
    }

    mutating func remove(_ id: Int) -> Call? { calls.removeValue(forKey: id) }
}

import ArgumentParser
import Dispatch
import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongControl

/// Runs a command for each task that the service launches here.
final class RefreshRunner: Sendable {
    static let fetchIdentifier = "net.undersong.refresh"
    static let processingIdentifier = "net.undersong.processing"
    /// Seconds after a run for which the next one is not requested.
    private static let pause = 43200.0

    private struct Launch {
        var task: Int
        /// The number of the connection that has brought it.
        var connection: Int
    }

    private struct State {
        /// The launches whose commands were not run.
        var launches: [Launch] = []
        var running: Launch?
        /// The request to submit on each connection; nil while the command is running, and where
        /// the interval decides.
        var request: RefreshRequest?
    }

    private let identifier: String
    private let command: [String]
    private let isOnce: Bool
    private let request: RefreshRequest?
    private let runner: CommandRunner
    private let state: Mutex<State>

    /// `request` is submitted at the beginning and after each run; nil where the interval decides.
    init(identifier: String, command: [String], isOnce: Bool, request: RefreshRequest?) {
        self.identifier = identifier
        self.command = command
        self.isOnce = isOnce
        self.request = request
        runner = CommandRunner(name: command.first ?? identifier)
        state = Mutex(State(request: request))
    }

    /// Registers, and runs the command until this program is ended.
    func follow(session: String) throws {
        let registration = ServiceRegistration(
            to: "run \(command.first ?? "a command")", session: session
        ) { [self] service throws(ControlError) in
            _ = try service.call(RegisterRefresh(identifier))
            if let request = state.withLock(\.request) {
                _ = try service.call(SubmitRefresh(request))
            }
        } _: { [self] in
            handle($0, by: $1)
        }
        try registration.begin()
        while true {
            let launch = try next(registration)
            let status = try runner.run(command)
            let result: RefreshResult = status == 0 ? .newData : status == 1 ? .noData : .failed
            let completion = RefreshCompletion(result, new: status == 0 ? 1 : 0)
            let reply = registration.call(
                CompleteRefresh(launch.task, completion), by: launch.connection)
            if isOnce { throw ExitCode(status) }
            finish(at: reply?.now ?? registration.now, registration)
        }
    }

    /// Ends a run, and requests the next one: now, or on the next connection.
    private func finish(at now: Double, _ registration: ServiceRegistration) {
        var next = request
        next?.earliestBeginDate = now + Self.pause
        registration.call { [next] in
            state.withLock { ($0.running, $0.request) = (nil, next) }
            return next.map { SubmitRefresh($0) }
        }
    }

    private func handle(_ notice: Notice, by connection: Int) {
        switch notice {
        case .refreshLaunch(let launch):
            state.withLock { state in
                state.launches.append(Launch(task: launch.run.number, connection: connection))
            }
            runner.wake()
        case .refreshExpiring(let task) where isRunning(task.task, connection):
            runner.handle(
                .taskExpiring(TaskExpiring(task: task.task, timeRemaining: task.timeRemaining)))
        case .refreshEnded(let end)
        where end.run.result == .overran && isRunning(end.run.number, connection):
            runner.handle(.taskTerminated(TaskTerminated(task: end.run.number)))
        default: break
        }
    }

    /// True if the command is running for this task; another service may have one of that number.
    private func isRunning(_ task: Int, _ connection: Int) -> Bool {
        state.withLock { $0.running?.task == task && $0.running?.connection == connection }
    }

    /// The next launch whose connection is still there. Throws the exit status for a signal that
    /// ends this program.
    private func next(_ registration: ServiceRegistration) throws -> Launch {
        while true {
            let signal = runner.wait { state.withLock { !$0.launches.isEmpty } }
            if let signal { throw ExitCode(128 + signal) }
            let launch = state.withLock { $0.launches.removeFirst() }
            guard registration.has(launch.connection) else { continue }
            state.withLock { ($0.running, $0.request) = (launch, nil) }
            return launch
        }
    }
}

/// Begins a task and waits for its end.
struct RefreshWait {
    private let options: SessionOptions

    init(_ options: SessionOptions) { self.options = options }

    /// Sends `call`, waits for the end of the task that it begins, and shows it. Throws an
    /// `ExitCode` unless something is new.
    func run<Call: ControlCall>(_ call: Call, _ purpose: String) throws
    where Call.Reply == RefreshBegun {
        let ends = Arrivals<RefreshRun>()
        let service = try options.service(to: purpose) { notice in
            switch notice {
            case .refreshEnded(let end): ends.add(end.run)
            case .lost: ends.add(nil)
            default: break
            }
        }
        let task = try service.call(call).task
        guard let run = ends.first(where: { $0.number == task }) else {
            throw Failure("cannot \(purpose): The service has gone away")
        }
        options.show(run, RefreshText.end)
        switch run.result {
        case .newData, .done: break
        case .noData: throw ExitCode(1)
        case .failed, .overran, .interrupted, nil: throw ExitCode(2)
        }
    }
}

/// The reports of a service, in order, until it has gone.
final class Arrivals<Element: Sendable>: Sendable, Sequence, IteratorProtocol {
    private let elements = Mutex<[Element]>([])
    private let arrived = DispatchSemaphore(value: 0)

    /// Adds an element; nil when the service has gone.
    func add(_ element: Element?) {
        elements.withLock { elements in elements += [element].compactMap(\.self) }
        arrived.signal()
    }

    /// Waits for the next element; nil if the service has gone.
    func next() -> Element? {
        arrived.wait()
        return elements.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

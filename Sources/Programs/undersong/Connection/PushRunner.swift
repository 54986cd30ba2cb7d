import Glibc
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongControl
import UndersongPlayback

/// Runs a command for each push, with the payload on its standard input, and answers with what its
/// exit status says.
final class PushRunner: Sendable {
    private struct State {
        /// The pushes whose commands are about to run, or running.
        var running: Set<Int> = []
        /// The commands, by their pushes; each leads a process group.
        var processes: [Int: ChildProcess] = [:]
        /// The numbers of the connections that last brought pushes which are running, or whose
        /// answers the service has not taken yet.
        var connections: [Int: Int] = [:]
        /// The results of pushes whose answers the service has not taken yet.
        var results: [Int: PushResult] = [:]
        var isEnding = false
        var registration: ServiceRegistration?
    }

    private let command: [String]
    private let state = Mutex(State())

    init(_ command: [String]) { self.command = command }

    /// Registers for these topics, all of them for nil, and starts the service if none is running.
    func begin(session: String, topics: [String]?) throws {
        let registration = ServiceRegistration(to: "handle pushes", session: session) {
            service throws(ControlError) in
            _ = try service.call(RegisterForPushes(topics: topics))
        } _: { [self] in
            handle($0, by: $1)
        }
        state.withLock { $0.registration = registration }
        try registration.begin()
    }

    /// Kills the commands that are running.
    func end() {
        state.withLock { state in
            state.isEnding = true
            for process in state.processes.values { kill(-process.id, SIGTERM) }
        }
    }

    private func handle(_ notice: Notice, by connection: Int) {
        switch notice {
        case .pushReceived(let push): begin(push, by: connection)
        case .pushExpired(let push): killCommand(of: push.push)
        default: break
        }
    }

    /// Runs the command for a push. A push that comes again from a service that was killed is not
    /// handled again.
    private func begin(_ push: PushReceived, by connection: Int) {
        let number = push.push
        let (result, isNew) = state.withLock { state in
            state.connections[number] = connection
            return (
                state.results[number],
                state.results[number] == nil
                    && state.running.insert(number).inserted
            )
        }
        if let result { return answer(number, result) }
        guard isNew else { return }
        startThread(named: "push") { [self] in
            let status = run(push)
            let result: PushResult = status == 0 ? .newData : status == 1 ? .noData : .failed
            let isOver = state.withLock { state in
                state.running.remove(number)
                // A command that was killed with this program has handled nothing: the push comes
                // again.
                guard !state.isEnding, status != nil else { return false }
                state.results[number] = result
                return true
            }
            if isOver { answer(number, result) }
        }
    }

    /// Answers by the connection that brought the push. A later one does not know it before it
    /// brings it, too.
    private func answer(_ push: Int, _ result: PushResult) {
        let (registration, connection) = state.withLock { state in
            (state.registration, state.connections[push])
        }
        guard let registration, let connection else { return }
        registration.send(AnswerPush(push, result), by: connection) { [self] in
            state.withLock { state in
                (state.results[push], state.connections[push]) = (nil, nil)
            }
        }
    }

    /// Runs the command for a push to its end, and returns its exit status as a shell would report
    /// it.
    private func run(_ push: PushReceived) -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return report(errno) }
        defer { for end in ends where end >= 0 { close(end) } }
        // A pipe takes 4096 bytes without a reader.
        let bytes = Array(push.userInfo.utf8)
        guard unsafe write(ends[1], bytes, bytes.count) == bytes.count else { return report(errno) }
        close(ends[1])
        ends[1] = -1
        let started = state.withLock { state -> Result<ChildProcess, NewProcess.StartError>? in
            guard !state.isEnding else { return nil }
            let started = start(push, input: ends[0])
            if case .success(let process) = started { state.processes[push.push] = process }
            return started
        }
        switch started {
        case .success(let process): return wait(for: process, push.push)
        case .failure(let error):
            let failure = Failure(error)
            complain(failure.message)
            return failure.status
        case nil: return nil
        }
    }

    private func report(_ code: Int32) -> Int32 {
        complain("cannot run \(command[0]): \(SystemError(code).reason)")
        return 126
    }

    private func wait(for process: ChildProcess, _ push: Int) -> Int32 {
        process.waitForEnd()
        // From here on the number may belong to another process.
        return state.withLock { state in
            state.processes[push] = nil
            return process.reap().shellStatus
        }
    }

    private func killCommand(of push: Int) {
        state.withLock { state in
            guard let process = state.processes[push] else { return }
            complain("the time for push \(push) is over, killing \(command[0])")
            kill(-process.id, SIGKILL)
        }
    }

    private func start(
        _ push: PushReceived, input: Int32
    ) -> Result<ChildProcess, NewProcess.StartError> {
        var process = NewProcess(command: command)
        process.variables["UNDERSONG_PUSH"] = Array("\(push.push)".utf8)
        process.variables["UNDERSONG_TOPIC"] = Array(push.topic.utf8)
        // Others are closed: it would keep the pipes of other commands open.
        process.descriptors[0] = .duplicate(of: input)
        process.group = .own
        // This program ignores it.
        process.signals = .unblocked(reset: [SIGPIPE])
        return Result { () throws(NewProcess.StartError) in try process.start() }
    }
}

import ArgumentParser
import CommandOptions
import Control
import Glibc
import Synchronization

/// Runs a command for each task that the service launches here.
final class RefreshRunner: Sendable {
    static let fetchIdentifier = "net.undersong.refresh"
    static let processingIdentifier = "net.undersong.processing"
    /// Seconds after a run for which the next one is not requested.
    private static let pause = 43200.0

    private let identifier: String
    private let command: [String]
    private let isOnce: Bool
    private let request: Refresh?
    private let runner: CommandRunner
    private let launches = Mutex<[RefreshLaunch]>([])
    private let isLost = Mutex(false)

    /// `request` is submitted at the beginning and after each run; nil where the interval decides.
    init(identifier: String, command: [String], isOnce: Bool, request: Refresh?) {
        self.identifier = identifier
        self.command = command
        self.isOnce = isOnce
        self.request = request
        runner = CommandRunner(name: command.first ?? identifier, hasOwnGroup: true)
    }

    /// Registers, and runs the command until this program is ended.
    func follow(session: String) throws {
        let service = try Service(
            to: "run \(command.first ?? "a command")", session: session, startsService: true
        ) { [self] in take($0) }
        _ = try service.call(Refresh(.register, identifier: identifier))
        if let request { _ = try service.call(request) }
        while let launch = try next() {
            let status = try runner.run(command)
            var call = Refresh(.complete)
            call.task = launch.task
            call.result = status == 0 ? "newData" : status == 1 ? "noData" : "failed"
            call.new = status == 0 ? 1 : 0
            let reply = try? service.call(call)
            if isOnce { throw ExitCode(status) }
            if var request, let reply {
                request.earliestBeginDate = reply.now + Self.pause
                _ = try service.call(request)
            }
        }
        throw Failure("cannot run \(identifier): The service has gone away", status: 69)
    }

    private func take(_ notice: Notice) {
        switch notice {
        case .refreshLaunch(let launch): launches.withLock { $0.append(launch) }
        case .refreshExpiring(let task):
            runner.take(
                .taskExpiring(TaskExpiring(task: task.task, timeRemaining: task.timeRemaining)))
            return
        case .refreshEnded(let end) where end.result == "overran":
            runner.take(.taskTerminated(TaskTerminated(task: end.task)))
            return
        case .lost: isLost.withLock { $0 = true }
        default: return
        }
        runner.wake()
    }

    /// The next launch; nil if the service has gone. Throws the exit status for a signal that ends
    /// this program.
    private func next() throws -> RefreshLaunch? {
        let signal = runner.wait { [self] in
            launches.withLock { !$0.isEmpty } || isLost.withLock { $0 }
        }
        if let signal { throw ExitCode(128 + signal) }
        return launches.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

import Glibc
import Synchronization
package import UndersongBackground
package import UndersongBase
import UndersongPlayback

/// Runs a shell command for each item that begins, one at a time: of the items that begin while it
/// is running, only the last one gets it. Any thread may call it; it never waits for the command.
package final class ItemCommand: Sendable {
    /// The seconds for which a command may run before it is killed.
    package static let patience = 30.0

    private struct State {
        /// The environment for the next run; nil if every item has had its command.
        var next: [String: [UInt8]]?
        var isRunning = false
        /// True if the last run failed, so that the next failure is not reported again.
        var hasFailed = false
    }

    private let command: String
    private let session: String
    private let patience: Double
    private let clock: any HostClock
    private let complain: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// `command` is a line for `/bin/sh`. `complain` is called with the first failure, and again
    /// with the first one after a success, on a thread of its own.
    package init(
        _ command: String, session: String, patience: Double = ItemCommand.patience,
        clock: any HostClock,
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.command = command
        self.session = session
        self.patience = patience
        self.clock = clock
        self.complain = complain
    }

    /// Starts the command if the event is the beginning of an item.
    package func handle(_ event: PlayerEvent) {
        guard case .item(.began(let item, let description)) = event.kind else { return }
        let variables = variables(of: item, description, number: event.head.place + 1)
        let starts = state.withLock { state in
            state.next = variables
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { startThread(named: "on-item") { [self] in runAll() } }
    }

    private func runAll() {
        while let variables = nextVariables() {
            let problem = run(variables)
            let isNews = state.withLock { state in
                defer { state.hasFailed = problem != nil }
                return !state.hasFailed
            }
            guard let problem, isNews else { continue }
            complain("cannot run the command for an item, \(command): \(problem)")
        }
    }

    private func nextVariables() -> [String: [UInt8]]? {
        state.withLock { state in
            state.isRunning = state.next != nil
            return state.next.take()
        }
    }

    // MARK: The environment

    private static let names = ["TITLE", "ARTIST", "ALBUM", "PATH", "DURATION", "PLACE", "SESSION"]
        .map { "UNDERSONG_" + $0 }

    /// Facts that are not known have no variable.
    private func variables(
        of item: QueueItem, _ description: MediaDescription?, number: Int
    ) -> [String: [UInt8]] {
        var values = [
            "TITLE": Array(item.displayTitle.utf8), "PATH": item.source.path.bytes,
            "PLACE": Array("\(number)".utf8),
            "SESSION": Array(session.utf8),
        ]
        for (name, tag) in [("ARTIST", "artist"), ("ALBUM", "album")] {
            values[name] = description?.tags[tag].flatMap { $0.isEmpty ? nil : Array($0.utf8) }
        }
        values["DURATION"] = description.flatMap { ItemFacts($0).duration }.map {
            Array("\($0.seconds)".utf8)
        }
        return Dictionary(
            uniqueKeysWithValues: values.map { name, value in
                ("UNDERSONG_" + name, value.filter { $0 != 0 })
            })
    }

    // MARK: The process

    /// Runs the command to its end; returns what went wrong.
    private func run(_ variables: [String: [UInt8]]) -> String? {
        let process: ChildProcess
        do throws(NewProcess.StartError) {
            process = try start(variables)
        } catch {
            return error.cause.reason
        }
        let hasEnded = process.waitForEnd(until: clock.now + Int64(patience * 1e9))
        // What it has started in the background is left alone, unless it took too long.
        if !hasEnded { kill(-process.id, SIGKILL) }
        let end = process.reap()
        guard hasEnded else { return "It took longer than \(Int(patience)) s and was killed" }
        switch end {
        case .exited(let status): return status == 0 ? nil : "Exit status \(status)"
        case .killed(let number): return "Signal \(number)"
        }
    }

    /// Starts the shell in a process group of its own, with no descriptors but the standard ones;
    /// what it writes is logged with this program's errors, unless these are on a terminal.
    private func start(
        _ variables: [String: [UInt8]]
    ) throws(NewProcess.StartError) -> ChildProcess {
        var process = NewProcess(
            "/bin/sh", bytes: [Array("-c".utf8), ProcessArguments.bytes(of: command)])
        // Facts that are not known have no variable.
        process.removedVariables = Self.names
        process.variables = variables
        let errors = isatty(STDERR_FILENO) == 1 ? NewProcess.Descriptor.null : .duplicate(of: 2)
        process.descriptors = [.null, errors, errors]
        process.group = .own
        return try process.start()
    }
}

import CUndersongLinux
import Glibc
import Synchronization
package import UndersongBase
package import UndersongControl
import UndersongPlayback

/// Runs a shell command for each item that begins, one at a time: of the items that begin while it
/// is running, only the last one gets it. Any thread may call it; it never waits for the command.
package final class ItemCommand: Sendable {
    /// The seconds for which a command may run before it is killed.
    package static let patience = 30.0

    private struct State {
        /// The environment for the next run; nil if every item has had its command.
        var next: [[UInt8]]?
        var isRunning = false
        /// Whether the last run failed, so that the next failure is not reported again.
        var hasFailed = false
    }

    private let command: String
    private let session: String
    private let patience: Double
    private let clock: any HostClock
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// `command` is a line for `/bin/sh`. `report` is called with the first failure, and again with
    /// the first one after a success, on a thread of its own.
    package init(
        _ command: String, session: String, patience: Double = ItemCommand.patience,
        clock: any HostClock,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.command = command
        self.session = session
        self.patience = patience
        self.clock = clock
        self.report = report
    }

    /// Starts the command if the event is the beginning of an item.
    package func take(_ event: PlayerEvent) {
        guard case .item(let item) = event.kind, item.change == "began" else { return }
        let variables = variables(of: item, number: event.head.place + 1)
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
            report("cannot run the command for an item, \(command): \(problem)")
        }
    }

    private func nextVariables() -> [[UInt8]]? {
        state.withLock { state in
            state.isRunning = state.next != nil
            return state.next.take()
        }
    }

    // MARK: The environment

    private static let names = ["TITLE", "ARTIST", "ALBUM", "PATH", "DURATION", "PLACE", "SESSION"]

    /// Facts that are not known have no variable.
    private func variables(of item: PlayerEvent.Item, number: Int) -> [[UInt8]] {
        let path = item.pathBytes.map(Array.init) ?? Array(item.path.utf8)
        var values = [
            "TITLE": Array(item.title.utf8), "PATH": path, "PLACE": Array("\(number)".utf8),
            "SESSION": Array(session.utf8),
        ]
        for (name, tag) in [("ARTIST", "artist"), ("ALBUM", "album")] {
            values[name] = item.tags?[tag].flatMap { $0.isEmpty ? nil : Array($0.utf8) }
        }
        values["DURATION"] = item.duration.map { Array("\($0.seconds)".utf8) }
        return values.map { name, value in
            Array("UNDERSONG_\(name)=".utf8) + value.filter { $0 != 0 }
        }
    }

    /// The variables of this program's environment that are not facts of an item.
    private static var inherited: [[UInt8]] {
        let own = names.map { Array("UNDERSONG_\($0)=".utf8) }
        var variables: [[UInt8]] = []
        var place = unsafe environ
        while let variable = unsafe place.pointee {
            let bytes = unsafe Array(
                UnsafeRawBufferPointer(start: variable, count: strlen(variable)))
            if !own.contains(where: bytes.starts(with:)) { variables.append(bytes) }
            unsafe place += 1
        }
        return variables
    }

    // MARK: The process

    /// Runs the command to its end; returns what went wrong.
    private func run(_ variables: [[UInt8]]) -> String? {
        var process = pid_t()
        let code = start(variables, &process)
        guard code == 0 else { return unsafe String(cString: strerror(code)) }
        let hasEnded = waits(for: process)
        // What it has started in the background is left alone, unless it took too long.
        if !hasEnded { kill(-process, SIGKILL) }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        guard hasEnded else { return "It took longer than \(Int(patience)) s and was killed" }
        let signal = status & 0x7F
        if signal != 0 { return "Signal \(signal)" }
        let exit = status >> 8 & 0xFF
        return exit == 0 ? nil : "Exit status \(exit)"
    }

    /// Returns whether the process has ended in time.
    private func waits(for process: pid_t) -> Bool {
        let descriptor = pidfd_open(process, 0)
        // A kernel without them has no limit.
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        let end = clock.now + Int64(patience * 1e9)
        var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = max((end - clock.now + 999_999) / 1_000_000, 0)
            let count = unsafe poll(&awaited, 1, Int32(left))
            if count >= 0 || errno != EINTR { return count != 0 }
        }
    }

    /// Starts the shell in a process group of its own, with no descriptors but the standard ones;
    /// what it writes is logged with this program's errors, unless these are on a terminal.
    private func start(_ variables: [[UInt8]], _ process: inout pid_t) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if isatty(STDERR_FILENO) == 1 {
            unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, 2, 1)
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGMASK)
                | Int16(POSIX_SPAWN_SETSIGDEF))
        let line = ["/bin/sh", "-c", command].map { ProcessArguments.bytes(of: $0) }
        var words = unsafe line.map { unsafe Self.copy($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var values = unsafe (Self.inherited + variables).map { unsafe Self.copy($0) } + [nil]
        defer { unsafe values.forEach { unsafe free($0) } }
        return unsafe posix_spawn(
            &process, "/bin/sh", &actions, &attributes, &words, &values)
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        unsafe (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
            unsafe $0.baseAddress.flatMap { unsafe strdup($0) }
        }
    }
}

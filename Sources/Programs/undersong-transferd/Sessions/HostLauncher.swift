import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// Starts the hosts of background sessions.
enum HostLauncher {
    /// Starts `command`. A service's own children have its sandbox, and end with it, so systemd starts
    /// the command where it has started this process; if it does not, it is started here all the same.
    /// Calls `report` with what went wrong.
    static func launch(_ command: [String], report: @escaping @Sendable (String) -> Void) {
        let startHere = { @Sendable in start(command) { report($0.description) } }
        guard isService else { return startHere() }
        let name = "systemd-run"
        let path = ServiceStarter.program(named: name, searchPath: Environment["PATH"])
        let words = [path ?? "/usr/bin/" + name, "--user", "--quiet", "--collect", "--"] + command
        let fallBack = { @Sendable (reason: String) in
            report("cannot start \(command[0]) by \(name): \(reason)")
            startHere()
        }
        start(words) {
            fallBack($0.cause.reason)
        } completion: { status in
            if status != 0 { fallBack("It ends with status \(status)") }
        }
    }

    /// True if systemd has started this process as a service.
    private static var isService: Bool { Environment["INVOCATION_ID"] != nil }

    /// Starts a program, without a terminal, input, output or any descriptor of this process, in `/`.
    /// Calls `completion` when it has ended, on a thread of its own, with the exit status that a shell
    /// would report.
    private static func start(
        _ words: [String], failure: (NewProcess.StartError) -> Void,
        completion: @escaping @Sendable (Int32) -> Void = { _ in }
    ) {
        var process = NewProcess(FilePath(words[0]), Array(words.dropFirst()))
        process.descriptors = [.null, .null, .null]
        process.folder = "/"
        do throws(NewProcess.StartError) {
            let host = try process.start()
            startThread(named: "host's end") { completion(host.reap().shellStatus) }
        } catch {
            failure(error)
        }
    }
}

import CUndersongLinux
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// Starts the hosts of background sessions.
enum HostLauncher {
    /// Starts `command`. A service's own children have its sandbox, and end with it, so systemd starts
    /// the command where it has started this process; if it does not, it is started here all the same.
    /// Calls `report` with what went wrong.
    static func launch(_ command: [String], report: @escaping @Sendable (String) -> Void) {
        let startHere = { @Sendable in
            let code = start(command)
            if code != 0 { report("cannot start \(command[0]): \(ResumeData.reason(code))") }
        }
        guard isService else { return startHere() }
        let name = "systemd-run"
        let path = ServiceStarter.program(named: name, searchPath: Environment["PATH"])
        let words = [path ?? "/usr/bin/" + name, "--user", "--quiet", "--collect", "--"] + command
        let fallBack = { @Sendable (reason: String) in
            report("cannot start \(command[0]) by \(name): \(reason)")
            startHere()
        }
        let code = start(words) { status in
            if status != 0 { fallBack("It ends with status \(status)") }
        }
        if code != 0 { fallBack(ResumeData.reason(code)) }
    }

    /// Whether systemd has started this process as a service.
    private static var isService: Bool { Environment["INVOCATION_ID"] != nil }

    /// Starts a program, without a shell, a terminal, input, output or any descriptor of this
    /// process, in `/`. Returns 0 or an `errno`. Calls `completion` when it has ended, on a thread of
    /// its own, with its exit status; 128 plus the signal's number if a signal has ended it.
    private static func start(
        _ words: [String], completion: @escaping @Sendable (Int32) -> Void = { _ in }
    ) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        unsafe posix_spawn_file_actions_addchdir_np(&actions, "/")
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSID) | Int16(POSIX_SPAWN_SETSIGMASK)
                | Int16(POSIX_SPAWN_SETSIGDEF))
        var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var process = pid_t()
        let code = unsafe posix_spawn(
            &process, words[0], &actions, &attributes, &pointers, environ)
        guard code == 0 else { return code }
        let host = process
        startThread(named: "host's end") {
            var word: Int32 = 0
            while unsafe waitpid(host, &word, 0) < 0 && errno == EINTR {}
            let signal = word & 0x7f
            completion(signal == 0 ? word >> 8 & 0xff : 128 + signal)
        }
        return 0
    }
}

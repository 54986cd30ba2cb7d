import CLinux
import CommandOptions
import Control
import Glibc
import Threads

/// Starts the hosts of background sessions.
enum HostLauncher {
    /// The words of a command that starts another one outside this service and its sandbox.
    private static let escape = ["/usr/bin/systemd-run", "--user", "--quiet", "--collect", "--"]

    /// What to run for `command`. A service's own children have its sandbox, and end with it.
    static func words(for command: [String], isService: Bool) -> [String] {
        isService ? escape + command : command
    }

    /// Whether systemd has started this process as a service.
    static var isService: Bool { Environment["INVOCATION_ID"] != nil }

    /// Starts a program, without a shell, a terminal, input, output or any descriptor of this
    /// process, in `/`. Returns 0 or an `errno`.
    static func start(_ words: [String]) -> Int32 {
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
            while waitpid(host, nil, 0) < 0 && errno == EINTR {}
        }
        return 0
    }
}

import CUndersongLinux
import Glibc

/// A process to start: its program, and its inheritance from this one.
///
/// Unless something else is set, that is this process's environment, working folder and standard
/// descriptors. The process leads a session of its own, and no signal is blocked or ignored in it.
package struct NewProcess: Sendable {
    /// A descriptor of the new process.
    package enum Descriptor: Sendable {
        /// This process's descriptor of the same number.
        case inherited
        /// `/dev/null`, for reading as standard input and for writing as any other.
        case null
        /// A duplicate of a descriptor of this process, which none before it has replaced.
        case duplicate(of: Int32)
        /// A file that only this user can read. It is emptied first.
        case log(String)
        /// Such a file, to whose end everything is added.
        case appended(String)
    }

    /// The processes with which it gets signals.
    package enum Group: Sendable {
        /// The ones of this process.
        case inherited
        /// Its own children. It has this process's terminal, from which it cannot read.
        case own
        /// Its own children, without a terminal.
        case session
    }

    /// Its signals at the start.
    package enum Signals: Sendable {
        /// Blocked and ignored as in this process.
        case inherited
        /// No signal is blocked. The ones that this process ignores are ignored, except for these.
        case unblocked(reset: [Int32])
        /// No signal is blocked or ignored.
        case reset
    }

    /// The reason a process cannot be started.
    package struct StartError: Error, CustomStringConvertible {
        package let path: FilePath
        package let cause: SystemError

        /// `cannot start /usr/bin/undersongd: Permission denied`
        package var description: String { "cannot start \(path): \(cause.reason)" }
    }

    /// The program, which is also the first of the words it gets.
    package let path: FilePath
    /// The words after the first one.
    package let arguments: [[UInt8]]
    /// True if a program without a slash is looked for in the folders of PATH.
    package var isSearched = false
    /// Variables that are added to this process's environment, or replace its own.
    package var variables: [String: [UInt8]] = [:]
    /// Variables that are removed from it before.
    package var removedVariables: [String] = []
    /// The descriptors from 0.
    package var descriptors: [Descriptor] = [.inherited, .inherited, .inherited]
    /// True to close all other descriptors in it; otherwise it gets the ones that are not marked
    /// `O_CLOEXEC`.
    package var closesOthers = true
    /// The working folder; nil for this process's.
    package var folder: String?
    package var group = Group.session
    package var signals = Signals.reset

    /// Creates a process with arguments that are any bytes except zero.
    package init(_ path: FilePath, bytes arguments: [[UInt8]]) {
        (self.path, self.arguments) = (path, arguments)
    }

    package init(_ path: FilePath, _ arguments: [String] = []) {
        self.init(path, bytes: arguments.map { Array($0.utf8) })
    }

    /// Starts it.
    package func start() throws(StartError) -> ChildProcess {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe addActions(to: &actions)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        setAttributes(&attributes)
        var process = pid_t()
        let code = unsafe path.withPlatformString { path in
            unsafe withCStrings([self.path.bytes] + arguments) { words in
                unsafe withCStrings(environment) { variables in
                    unsafe isSearched
                        ? posix_spawnp(&process, path, &actions, &attributes, words, variables)
                        : posix_spawn(&process, path, &actions, &attributes, words, variables)
                }
            }
        }
        guard code == 0 else { throw StartError(path: path, cause: SystemError(code)) }
        return ChildProcess(id: process)
    }

    private func addActions(to actions: inout posix_spawn_file_actions_t) {
        for (number, descriptor) in zip(Int32(0)..., descriptors) {
            switch descriptor {
            case .inherited: break
            case .null:
                let flag = number == STDIN_FILENO ? O_RDONLY : O_WRONLY
                unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", flag, 0)
            case .duplicate(let own):
                unsafe posix_spawn_file_actions_adddup2(&actions, own, number)
            case .log(let path):
                unsafe posix_spawn_file_actions_addopen(
                    &actions, number, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
            case .appended(let path):
                unsafe posix_spawn_file_actions_addopen(
                    &actions, number, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            }
        }
        if closesOthers {
            unsafe posix_spawn_file_actions_addclosefrom_np(&actions, Int32(descriptors.count))
        }
        if let folder { unsafe posix_spawn_file_actions_addchdir_np(&actions, folder) }
    }

    private func setAttributes(_ attributes: inout posix_spawnattr_t) {
        var flags: Int16 = 0
        switch group {
        case .inherited: break
        case .own:
            flags |= Int16(POSIX_SPAWN_SETPGROUP)
            unsafe posix_spawnattr_setpgroup(&attributes, 0)
        case .session: flags |= Int16(POSIX_SPAWN_SETSID)
        }
        var (blocked, reset) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&blocked)
        unsafe sigemptyset(&reset)
        switch signals {
        case .inherited: break
        case .unblocked(let numbers):
            flags |= Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
            for number in numbers { unsafe sigaddset(&reset, number) }
        case .reset:
            flags |= Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
            unsafe sigfillset(&reset)
        }
        unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
        unsafe posix_spawnattr_setsigdefault(&attributes, &reset)
        unsafe posix_spawnattr_setflags(&attributes, flags)
    }

    /// The variables of the new process, as `name=value`.
    private var environment: [[UInt8]] {
        let replaced = (removedVariables + variables.keys).map {
            Array($0.utf8) + [UInt8(ascii: "=")]
        }
        var all: [[UInt8]] = []
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            let bytes = unsafe Array(
                UnsafeRawBufferPointer(start: variable, count: strlen(variable)))
            if !replaced.contains(where: bytes.starts) { all.append(bytes) }
            unsafe next += 1
        }
        return all + variables.map { Array("\($0)=".utf8) + $1 }
    }
}

/// Calls `body` with texts as C programs get them: a null pointer is after the last one.
package func withCStrings<Result>(
    _ texts: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = unsafe texts.map { text in
        unsafe (text.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
            unsafe $0.baseAddress.flatMap { unsafe strdup($0) }
        }
    }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
        guard let start = buffer.baseAddress else { preconditionFailure("there is a nil") }
        return unsafe body(start)
    }
}

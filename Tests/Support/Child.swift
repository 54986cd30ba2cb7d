import CUndersongLinux
package import Foundation
import Glibc
internal import Synchronization

/// A program started by a test, in a new session.
///
/// It is reaped as soon as it ends, whether or not anybody waits for it: Swift Testing waits for the
/// processes of its exit tests by asking for any child that has ended, and never sees its own while
/// another one is a zombie.
package final class Child: Sendable {
    /// The process. Its number may belong to another one after `wait` has returned.
    package let process: pid_t
    private let end: End

    /// The exit status once there is one.
    private final class End: Sendable {
        let status = Mutex<Int32?>(nil)
        let isReached = DispatchGroup()
    }

    /// Starts `path` with only the given standard descriptors, without a terminal unless `terminal`
    /// is the path of one.
    package init(
        _ path: String, _ arguments: [String], _ environment: [String: String],
        _ descriptors: [Int32], folder: String? = nil, terminal: String? = nil
    ) throws {
        _ = Self.checksForZombies
        let process = try spawn(
            path, arguments, environment, descriptors, folder: folder, terminal: terminal)
        let end = End()
        end.isReached.enter()
        Thread.detachNewThread {
            // It stays a zombie until the lock is held, so that its number is not another's yet.
            var information = siginfo_t()
            while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0
                && errno == EINTR
            {}
            end.status.withLock { status in
                var word: Int32 = 0
                waitpid(process, &word, 0)
                let signal = word & 0x7F
                status = signal == 0 ? word >> 8 & 0xFF : 128 + signal
            }
            end.isReached.leave()
        }
        self.process = process
        self.end = end
    }

    /// The exit status, or 128 plus the signal's number; nil while it runs.
    package var status: Int32? { end.status.withLock(\.self) }

    /// Sends a signal, unless it has ended.
    package func send(_ signal: Int32) {
        end.status.withLock { if $0 == nil { kill(process, signal) } }
    }

    /// Sends a signal that ends it, and returns when it has ended.
    package func end(by signal: Int32 = SIGKILL) {
        send(signal)
        end.isReached.wait()
    }

    /// Waits up to `patience` for its end, and returns its exit status; for one ended by a signal, 128
    /// plus the signal's number. One that does not end is killed.
    ///
    /// - Throws: `Overdue`.
    package func wait() throws(Overdue) -> Int32 {
        guard end.isReached.wait(timeout: .now() + patience) == .success, let status else {
            end()
            throw Overdue("process \(process) does not end")
        }
        return status
    }

    /// Makes the test run fail if it ends with children that nobody has reaped.
    private static let checksForZombies: Void = {
        atexit {
            // One that has just ended is being reaped.
            let isClean = (try? waitUntil(within: 5) { zombies().isEmpty }) != nil
            guard !isClean else { return }
            fflush(nil)
            let text = "✘ Processes that nobody has reaped: \(zombies().joined(separator: ", "))\n"
            FileHandle.standardError.write(Data(text.utf8))
            _exit(1)
        }
    }()

    /// The names and numbers of this process's children that have ended and that nobody has reaped.
    package static func zombies() -> [String] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter { $0.allSatisfy(\.isNumber) }.compactMap { process in
            // Number, name in parentheses, state, parent.
            guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let end = stat.lastIndex(of: ")"), let start = stat.firstIndex(of: "(")
            else { return nil }
            let fields = stat[end...].split(separator: " ")
            guard fields.count > 2, fields[1] == "Z", fields[2] == "\(getpid())" else { return nil }
            return "\(stat[start...end]) \(process)"
        }
    }
}

private func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String],
    _ descriptors: [Int32], folder: String?, terminal: String?
) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Dispatch's threads block signals, which the program would inherit.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSID))
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }
    // The first terminal opened by a session's leader becomes its controlling terminal.
    if let terminal { posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0) }
    for (number, descriptor) in descriptors.enumerated() {
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, Int32(max(3, descriptors.count)))
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var argumentPointers = ([path] + arguments).map { strdup($0) } + [nil]
    var variablePointers = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
    var process = pid_t()
    let code = posix_spawn(
        &process, path, &actions, &attributes, &argumentPointers, &variablePointers)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    return process
}

extension FileHandle {
    /// The next bytes, as they come; empty at the end. `availableData` traps when a signal
    /// interrupts it.
    package var nextData: Data {
        var bytes = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(fileDescriptor, &bytes, bytes.count)
            if count < 0 && errno == EINTR { continue }
            return Data(bytes.prefix(max(count, 0)))
        }
    }
}

import CLinux
package import Foundation
import Glibc

/// Starts `path` with only the given standard descriptors, in a new session without a terminal,
/// unless `terminal` is the path of one.
package func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String],
    _ descriptors: [Int32], folder: String? = nil, terminal: String? = nil
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

/// Waits up to `patience` until a process of this one has ended, and returns its exit status; for one
/// ended by a signal, 128 plus the signal's number. One that does not end is killed. Errors: `Overdue`.
package func awaitEnd(of process: pid_t) throws -> Int32 {
    var word: Int32 = 0
    do {
        try waitUntil { waitpid(process, &word, WNOHANG) == process }
    } catch {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        throw error
    }
    let signal = word & 0x7F
    return signal == 0 ? word >> 8 & 0xFF : 128 + signal
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

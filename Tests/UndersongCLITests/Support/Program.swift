import CLinux
import Foundation
import Glibc
import Synchronization

/// Seconds after which a test that waits for something gives up, and with it the whole run.
let patience = 60.0

/// `undersong`, started by a test. It is ended with the test at the latest.
final class Program: Sendable {
    private struct Output {
        var standard = Data()
        var error = Data()
        var open = 2
    }

    let process: pid_t
    private let output = Mutex(Output())
    private let hasOutput = DispatchSemaphore(value: 0)
    private let status = Mutex<Int32?>(nil)

    /// Starts it with `arguments` in `folder`; `input` is its standard input. By `path` another
    /// program may be started, which starts it.
    init(
        _ arguments: [String], environment: [String: String], in folder: String? = nil,
        input: Int32? = nil, by path: String = Program.undersong
    ) throws {
        let (standard, error) = (Pipe(), Pipe())
        let descriptors = [
            input ?? FileHandle.nullDevice.fileDescriptor,
            standard.fileHandleForWriting.fileDescriptor, error.fileHandleForWriting.fileDescriptor,
        ]
        process = try spawn(path, arguments, environment, descriptors, folder: folder)
        try standard.fileHandleForWriting.close()
        try error.fileHandleForWriting.close()
        read(standard.fileHandleForReading) { $0.standard.append($1) }
        read(error.fileHandleForReading) { $0.error.append($1) }
    }

    deinit {
        guard status.withLock({ $0 == nil }) else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// The program under test, which stands beside the test bundle.
    static let undersong = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "undersong").path

    var text: String { String(decoding: output.withLock(\.standard), as: UTF8.self) }
    var errorText: String { String(decoding: output.withLock(\.error), as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    func signal(_ number: Int32) { kill(process, number) }

    /// Waits for the end and all output, and returns the status as a shell tells it.
    @discardableResult
    func wait() -> Int32 {
        waitForOutput { _ in output.withLock { $0.open == 0 } }
        return status.withLock { status in
            if let status { return status }
            var word: Int32 = 0
            waitpid(process, &word, 0)
            let signal = word & 0x7F
            let new = signal == 0 ? word >> 8 & 0xFF : 128 + signal
            status = new
            return new
        }
    }

    /// Waits until what it has written satisfies `condition`.
    func waitForOutput(_ condition: (Program) -> Bool) {
        while !condition(self) {
            precondition(
                hasOutput.wait(timeout: .now() + patience) == .success, "a program does not go on")
        }
    }

    private func read(
        _ handle: FileHandle, _ append: @escaping @Sendable (inout Output, Data) -> Void
    ) {
        Thread.detachNewThread { [weak self] in
            while true {
                let data = handle.nextData
                guard let self else { return }
                self.output.withLock { output in
                    if data.isEmpty { output.open -= 1 } else { append(&output, data) }
                }
                self.hasOutput.signal()
                if data.isEmpty { return }
            }
        }
    }
}

/// Starts `path` with the standard descriptors that are given and none else, in a session of its own
/// so that it has no terminal, unless `terminal` is one for it.
func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String],
    _ descriptors: [Int32], folder: String? = nil, terminal: String? = nil
) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSID))
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }
    if let terminal { posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0) }
    for (number, descriptor) in descriptors.enumerated() {
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
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
    /// The next bytes as they come, empty at the end. `availableData` traps where a signal interrupts.
    var nextData: Data {
        var bytes = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(fileDescriptor, &bytes, bytes.count)
            if count < 0 && errno == EINTR { continue }
            return Data(bytes.prefix(max(count, 0)))
        }
    }
}

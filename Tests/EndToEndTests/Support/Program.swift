import Foundation
import Glibc
import Synchronization
import TestSupport

/// A program started by a test. It is terminated with this object at the latest.
///
/// Foundation's `Process` cannot be used: it takes a program that closes inherited descriptors, as
/// PulseAudio does, for one that has ended.
final class Program: Sendable {
    /// Both outputs, as far as they have been read.
    private struct Output {
        var standard = Data()
        var error = Data()
    }

    private let child: Child

    /// The folder of its service, unless the test sets one.
    private let folder: RuntimeFolder?
    private let standardOutput: FileHandle
    private let output = Mutex(Output())
    private let readers = DispatchGroup()
    private let hasOutput = DispatchSemaphore(value: 0)

    /// Starts `path` with `arguments`. With `readsOutput` false its standard output is not read
    /// until `startReading`, as by a stalled reader.
    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:],
        input data: Data? = nil, readsOutput: Bool = true
    ) throws {
        let (input, standard, error) = (Pipe(), Pipe(), Pipe())
        let silence = FileHandle.nullDevice
        folder = try environment["XDG_RUNTIME_DIR"] == nil ? RuntimeFolder() : nil
        child = try Child(
            path, arguments, folder?.environment.merging(environment) { $1 } ?? environment,
            [
                (data == nil ? silence : input.fileHandleForReading).fileDescriptor,
                standard.fileHandleForWriting.fileDescriptor,
                error.fileHandleForWriting.fileDescriptor,
            ])
        standardOutput = standard.fileHandleForReading
        try standard.fileHandleForWriting.close()
        try error.fileHandleForWriting.close()
        try input.fileHandleForReading.close()
        if let data { feed(data, to: input.fileHandleForWriting) }
        read(error.fileHandleForReading) { $0.error.append($1) }
        if readsOutput { startReading() }
    }

    deinit { child.end() }

    var processIdentifier: pid_t { child.process }

    /// The path of the program under test.
    static let undersong = path(of: "undersong")

    /// The path of a program of this package, which is in the same folder as the test bundle.
    static func path(of name: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
    }

    var text: String { String(decoding: data, as: UTF8.self) }
    var data: Data { output.withLock(\.standard) }
    var errorText: String { String(decoding: output.withLock(\.error), as: UTF8.self) }

    /// Starts reading the standard output.
    func startReading() { read(standardOutput) { $0.standard.append($1) } }

    /// Sends a signal.
    func signal(_ number: Int32) { child.send(number) }

    /// Waits for the end and for all output, and returns the exit status; for a program ended by a
    /// signal, 128 plus the signal's number.
    @discardableResult
    func wait() throws -> Int32 {
        guard readers.wait(timeout: .now() + patience) == .success else {
            throw Overdue("a program does not end: \(errorText.suffix(500))")
        }
        return try child.wait()
    }

    /// Waits until the output so far satisfies `condition`.
    func waitForOutput(_ condition: (Data) -> Bool) throws {
        while !condition(data) {
            try hasOutput.waitPatiently(orSay: "a program stops at \(text.suffix(500))")
        }
    }

    private func read(
        _ handle: FileHandle, _ append: @escaping @Sendable (inout Output, Data) -> Void
    ) {
        Thread.detachNewThread(in: readers) { [weak self] in
            while true {
                let data = handle.nextData
                guard !data.isEmpty, let self else { return }
                self.output.withLock { append(&$0, data) }
                self.hasOutput.signal()
            }
        }
    }

    private func feed(_ data: Data, to handle: FileHandle) {
        Thread.detachNewThread(in: readers) {
            try? handle.write(contentsOf: data)
            try? handle.close()
        }
    }
}

extension Thread {
    /// Runs `body` on a new thread that belongs to `group`.
    static func detachNewThread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        detachNewThread {
            body()
            group.leave()
        }
    }
}

/// Runs a helper program to its end and returns its output.
func output(of name: String, _ arguments: [String], input: Data? = nil) throws -> Data {
    // lame decodes its arguments by the locale.
    let program = try Program(
        "/usr/bin/env", [name] + arguments, environment: ["LC_ALL": "C.UTF-8"], input: input)
    let status = try program.wait()
    guard status == 0 else { throw HelperFailure(command: name, text: program.errorText) }
    return program.data
}

struct HelperFailure: Error {
    let command: String
    let text: String
}

import Foundation
import Glibc
import Synchronization
import TestSupport

/// `undersong`, started by a test. It is terminated with this object at the latest.
final class Program: Sendable {
    private struct Output {
        var standard = Data()
        var error = Data()
        var open = 2
    }

    private let child: Child
    private let output = Mutex(Output())
    private let hasOutput = DispatchSemaphore(value: 0)

    /// Starts it with `arguments` in `folder`; `input` is its standard input. `path` may be another
    /// program, which starts it.
    init(
        _ arguments: [String], environment: [String: String], in folder: String? = nil,
        input: Int32? = nil, by path: String = Program.undersong
    ) throws {
        let (standard, error) = (Pipe(), Pipe())
        let descriptors = [
            input ?? FileHandle.nullDevice.fileDescriptor,
            standard.fileHandleForWriting.fileDescriptor, error.fileHandleForWriting.fileDescriptor,
        ]
        child = try Child(path, arguments, environment, descriptors, folder: folder)
        try standard.fileHandleForWriting.close()
        try error.fileHandleForWriting.close()
        read(standard.fileHandleForReading) { $0.standard.append($1) }
        read(error.fileHandleForReading) { $0.error.append($1) }
    }

    deinit { child.end() }

    var process: pid_t { child.process }

    /// The program under test, in the same folder as the test bundle.
    static let undersong = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "undersong").path

    var bytes: [UInt8] { Array(output.withLock(\.standard)) }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var errorText: String { String(decoding: output.withLock(\.error), as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    func signal(_ number: Int32) { child.send(number) }

    /// Waits for the end and all output, and returns the status as a shell reports it.
    @discardableResult
    func wait() throws -> Int32 {
        try waitForOutput { _ in output.withLock { $0.open == 0 } }
        return try child.wait()
    }

    /// Waits until its output satisfies `condition`.
    func waitForOutput(_ condition: (Program) -> Bool) throws {
        while !condition(self) {
            try hasOutput.waitPatiently(orSay: "a program stops at \(text)\(errorText)")
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

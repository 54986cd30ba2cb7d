import Foundation
import Glibc
import TestSupport

/// A process with a store that is killed at a random moment: one test of this program, run by
/// itself, which does its work until then and reports each step on standard error.
struct KilledProcess {
    /// The name of the test.
    let test: String
    /// The environment variable with the folder of its store, which only that process has.
    let variable: String
    /// The words with which its reports begin. Swift's own messages are left out.
    let words: Set<String>

    /// In that process, the folder of its store.
    static func folder(_ variable: String) -> String? {
        ProcessInfo.processInfo.environment[variable]
    }

    /// The number of times to kill it, by an environment variable.
    static func count(_ variable: String) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? 20
    }

    /// Reports a step, in that process.
    static func report(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe write(2, bytes, bytes.count)
    }

    /// Runs it until it has reported so many steps, and a little longer. Returns all of them.
    func run(in folder: String, upTo count: Int) throws -> [String] {
        let pipe = Pipe()
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        let program = try Child(
            "/proc/self/exe", ["--filter", test, "--testing-library", "swift-testing"],
            [variable: folder], [null, null, pipe.fileHandleForWriting.fileDescriptor])
        try pipe.fileHandleForWriting.close()
        var text = Data()
        var isKilled = false
        while case let bytes = pipe.fileHandleForReading.nextData, !bytes.isEmpty {
            text.append(bytes)
            if !isKilled, text.count(where: { $0 == 0x0a }) >= count {
                usleep(.random(in: 0...3000))
                program.send(SIGKILL)
                isKilled = true
            }
        }
        _ = try program.wait()
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { line in words.contains(String(line.prefix { $0 != " " })) }
    }
}

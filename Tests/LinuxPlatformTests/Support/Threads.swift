import Foundation
import TestSupport

/// The calls in which this process's threads wait, according to the kernel.
enum Threads {
    /// A thread's wait for descriptors.
    struct Poll {
        /// The address of its timeout; zero for none.
        let timeout: String
    }

    /// Waits until the named thread waits for descriptors.
    static func waitForPoll(of name: String) throws -> Poll {
        var found: Poll?
        try waitUntil {
            found = try poll(of: name)
            return found != nil
        }
        guard let found else { throw Overdue("the thread \(name) does not wait") }
        return found
    }

    private static func poll(of name: String) throws -> Poll? {
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
            guard text(of: thread, "comm") == name,
                let words = text(of: thread, "syscall")?.split(separator: " "),
                words.count > 3, words[0] == ppoll
            else { continue }
            return Poll(timeout: String(words[3]))
        }
        return nil
    }

    /// The number of the system call.
    #if arch(x86_64)
        private static let ppoll = "271"
    #else
        private static let ppoll = "73"
    #endif

    /// One of the kernel's files about a thread, which may have ended meanwhile.
    private static func text(of thread: String, _ file: String) -> String? {
        try? String(contentsOfFile: "/proc/self/task/\(thread)/\(file)", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

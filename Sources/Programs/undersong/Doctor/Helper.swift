import Glibc
import UndersongBase

/// Runs small programs for facts that this program does not have.
enum Helper {
    /// The output of the program `words[0]`. Empty if it fails or takes longer than `milliseconds`;
    /// nil if there is no such program.
    static func output(of words: [String], within milliseconds: Int32) -> String? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return "" }
        defer { close(ends[0]) }
        let child = start(words, writingTo: ends[1])
        close(ends[1])
        guard let child else { return nil }
        let (bytes, isComplete) = read(ends[0], within: milliseconds)
        if !isComplete { kill(child.id, SIGKILL) }
        return child.reap() == .exited(status: 0) ? String(decoding: bytes, as: UTF8.self) : ""
    }

    /// Reads to the end, or until the time limit.
    private static func read(
        _ descriptor: Int32, within milliseconds: Int32
    ) -> (bytes: [UInt8], isComplete: Bool) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&awaited, 1, milliseconds) > 0 else { return (bytes, false) }
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return (bytes, count == 0) }
            bytes += buffer[..<count]
        }
    }

    private static func start(_ words: [String], writingTo output: Int32) -> ChildProcess? {
        var process = NewProcess(FilePath(words[0]), Array(words.dropFirst()))
        process.isSearched = true
        process.descriptors = [.null, .duplicate(of: output), .null]
        process.group = .inherited
        process.signals = .inherited
        return try? process.start()
    }
}

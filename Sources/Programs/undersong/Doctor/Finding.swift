import Glibc
import UndersongBase
import UndersongCommandOptions

/// A result of `undersong doctor` about one subject.
struct Finding: Codable, Equatable {
    /// The rating of a subject.
    enum Verdict: String, Codable {
        /// As it should be.
        case good
        /// Missing, but not needed.
        case note
        /// Wrong.
        case wrong
    }

    /// The thing that was checked.
    var subject: String
    var verdict: Verdict
    /// The result, as a clause.
    var text: String
    /// The remedy, if there is one.
    var advice: String?

    static func good(_ subject: String, _ text: String) -> Finding {
        Finding(subject: subject, verdict: .good, text: text)
    }

    static func note(_ subject: String, _ text: String, _ advice: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .note, text: text, advice: advice)
    }

    static func wrong(_ subject: String, _ text: String, _ advice: String) -> Finding {
        Finding(subject: subject, verdict: .wrong, text: text, advice: advice)
    }

    /// The finding as text: one line, and a second one with the advice.
    var lines: String {
        let mark =
            switch verdict {
            case .good: "ok   "
            case .note: "note "
            case .wrong: "WRONG"
            }
        let line = "\(mark)  \(subject): \(Columns.printable(text))"
        return line + (advice.map { "\n       \(Columns.printable($0))" } ?? "")
    }
}

/// The facts that the system reports about a file or folder.
struct FileFacts {
    private let status: stat

    /// Nil if the file does not exist. Follows a link unless `followsLinks` is false.
    init?(_ path: String, followsLinks: Bool = true) {
        var status = stat()
        let code = followsLinks ? unsafe stat(path, &status) : unsafe lstat(path, &status)
        guard code == 0 else { return nil }
        self.status = status
    }

    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    var isPipe: Bool { status.st_mode & S_IFMT == S_IFIFO }
    var isSocket: Bool { status.st_mode & S_IFMT == S_IFSOCK }
    var isOwn: Bool { status.st_uid == geteuid() }

    /// The permissions, as `chmod` takes them: `0700`.
    var mode: String {
        let digits = String(status.st_mode & 0o777, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// The finding for what should be a socket of this user's alone; nil if it is one.
    func socketProblem(_ subject: String, _ path: String) -> Finding? {
        guard isSocket else { return .wrong(subject, "\(path) is not a socket", "rm '\(path)'") }
        return isOwn && !isOpenToOthers
            ? nil : .wrong(subject, "\(path) is open to others (\(mode))", "chmod 600 '\(path)'")
    }

    /// True if anyone but the owner has any permission.
    var isOpenToOthers: Bool { status.st_mode & 0o077 != 0 }
}

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

import Glibc
import UndersongBase
import UndersongTransfers

/// What is kept of a background session beside its tasks.
package struct SessionRecord: Hashable, Codable, Sendable {
    /// The session's identifier.
    package let identifier: String
    /// The program that is started when its tasks are done and it has no host, with arguments; nil
    /// for none.
    package var launch: [String]?
    /// The number of the last of its tasks.
    package var lastTask = 0
    /// Up to which of the ends of its tasks the host was started for, in `launchBoot`.
    package var launchOrder = 0
    package var launchBoot = ""

    package init(identifier: String) { self.identifier = identifier }
}

/// Where sessions, their files and the parts for their resume data are.
extension TransferFolder {
    /// Seconds for which the part of a task that was cancelled is kept.
    private static let keptSeconds = 604_800

    /// The path at which the file of a transfer waits for its host.
    package func filePath(_ id: Int) -> String { "\(path)/files/\(id).download" }

    /// The records of all sessions.
    package func loadSessions() -> [SessionRecord] {
        names(in: "sessions").filter { $0.hasSuffix(".session") }
            .compactMap { RecordFile("\(path)/sessions/\($0)").record }
    }

    /// Writes a record, durably. Returns 0 or the `errno` of a failure.
    package func keep(_ session: SessionRecord) -> Int32 {
        RecordFile(sessionPath(session.identifier)).save(session)
    }

    package func forget(session identifier: String) { unsafe unlink(sessionPath(identifier)) }

    /// Keeps the part of a transfer under `name`. Returns whether it could.
    package func keepPart(_ id: Int, as name: String) -> Bool {
        unsafe rename(partPath(id), keptPath(name)) == 0
    }

    /// Whether a part was kept, and has that many bytes.
    package func hasPart(_ name: String, length: Int64) -> Bool {
        var status = stat()
        return unsafe lstat(keptPath(name), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_size >= length
    }

    /// Gives a part that was kept to a transfer. Returns whether it could.
    package func takePart(_ name: String, for id: Int) -> Bool {
        unsafe rename(keptPath(name), partPath(id)) == 0
    }

    /// Deletes files that belong to nobody.
    func sweepSessions(_ tasks: [Int: TransferTask]) {
        for name in names(in: "files") {
            let task = Int(name.split(separator: ".").first ?? "").flatMap { tasks[$0] }
            if let task, task.session?.isFileTaken == false { continue }
            unsafe unlink("\(path)/files/\(name)")
        }
    }

    /// Deletes parts that nobody has asked for in a week; `now` in seconds since 1970.
    func sweepKept(now: Double) {
        for name in names(in: "kept") {
            let file = "\(path)/kept/\(name)"
            var status = stat()
            guard unsafe lstat(file, &status) == 0 else { continue }
            if status.st_ctim.tv_sec + Self.keptSeconds < Int(now) { unsafe unlink(file) }
        }
    }

    private func keptPath(_ name: String) -> String { "\(path)/kept/\(name).part" }

    private func sessionPath(_ identifier: String) -> String {
        var sum = SHA256()
        let bytes = Array(identifier.utf8)
        unsafe bytes.withUnsafeBytes { unsafe sum.update($0) }
        return "\(path)/sessions/\(sum.digest()).session"
    }
}

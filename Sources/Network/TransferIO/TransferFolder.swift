import CUndersongLinux
import FoundationEssentials
import Glibc
import Synchronization
package import UndersongBase
package import UndersongTransfers

/// The folder of a process's transfers: a record and a part for each.
///
/// A record is replaced as a whole, and only after the bytes that it counts have reached the disk.
/// Used on one thread.
package final class TransferFolder: Sendable {
    /// The reason why the folder cannot be used.
    package struct Trouble: Error, CustomStringConvertible {
        package let description: String
        /// True if another process uses it.
        package let isInUse: Bool
    }

    let path: String
    /// Held as long as the folder is used.
    private let lock: Int32
    /// The number of the latest version of each record. Locked while a record is written.
    private let versions = Mutex<[Int: Int]>([:])

    /// The longest that a program takes to end when it is killed, in nanoseconds.
    private static let patience: Int64 = 2_000_000_000

    /// Makes the folder if it is missing, and locks it, waiting for a program that is about to end.
    ///
    /// - Throws: `Trouble`.
    package init(_ path: String, clock: any HostClock) throws(Trouble) {
        self.path = path
        let folders = ["", "/pending", "/done", "/parts", "/sessions", "/files", "/kept"]
        for folder in folders.map({ path + $0 }) {
            let code = Folder.make(folder)
            guard code == 0 else {
                throw Trouble(
                    description: "cannot create \(folder): \(SystemError(code).reason)",
                    isInUse: false)
            }
        }
        lock = unsafe open(path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw Trouble(
                description: "cannot open \(path)/lock: \(SystemError.last.reason)", isInUse: false)
        }
        guard let claim = FileClaim(lock) else {
            let code = errno
            close(lock)
            throw Trouble(
                description: "cannot lock \(path): \(SystemError(code).reason)", isInUse: false)
        }
        guard claim.wait(until: clock.now + Self.patience) else {
            claim.abandon()
            throw Trouble(
                description: "cannot use \(path): Another process transfers there", isInUse: true)
        }
    }

    deinit { close(lock) }

    /// Lets another process use the folder. The last call.
    package func release() { flock(lock, LOCK_UN) }

    /// The records, and what is wrong with others, which are set aside. A part that is shorter than
    /// its record says is not relied upon; what is longer is cut when it is continued.
    package func load() -> (tasks: [TransferTask], troubles: [String]) {
        var tasks: [Int: TransferTask] = [:]
        var troubles: [String] = []
        for folder in ["pending", "done"] {
            for name in names(in: folder) where name.hasSuffix(".task") {
                let file = RecordFile<TransferTask>("\(path)/\(folder)/\(name)")
                guard let task = file.record, "\(task.id).task" == name else {
                    troubles.append("\(file.path) is damaged and set aside")
                    file.setAside()
                    continue
                }
                // The later record is written before the earlier one is removed.
                tasks[task.id] = task
                if folder == "done" { unsafe unlink("\(path)/pending/\(name)") }
            }
        }
        for (id, task) in tasks where task.stage == .pending {
            var status = stat()
            let isThere = unsafe stat(partPath(id), &status) == 0
            if task.part.offset > (isThere ? status.st_size : 0) {
                tasks[id]?.part = TransferPart()
            }
        }
        for name in names(in: "parts") {
            let id = Int(name.split(separator: ".").first ?? "") ?? 0
            if tasks[id] == nil { unsafe unlink("\(path)/parts/\(name)") }
        }
        sweepSessions(tasks)
        return (tasks.values.sorted { $0.id < $1.id }, troubles)
    }

    /// Records that this process runs in the boot `id`. Returns true if the last process did so too.
    func recordBoot(_ id: String) -> Bool {
        let file = path + "/boot"
        guard FileManager.default.contents(atPath: file) != Data(id.utf8) else { return true }
        _ = NewFile.replace(own: file, with: Array(id.utf8))
        return false
    }

    /// Writes a record, durably. Returns 0 or the `errno` of a failure.
    package func keep(_ task: TransferTask) -> Int32 {
        versions.withLock { versions in
            versions[task.id, default: 0] += 1
            return write(task)
        }
    }

    /// Writes a record as the function that is returned, on another thread if that is better,
    /// unless there is a later one by then.
    func note(_ task: TransferTask) -> @Sendable () -> Int32 {
        let version = versions.withLock { versions in
            versions[task.id, default: 0] += 1
            return versions[task.id]
        }
        return { [self] in
            versions.withLock { $0[task.id] == version ? write(task) : 0 }
        }
    }

    private func write(_ task: TransferTask) -> Int32 {
        let folder = task.isOpen ? "pending" : "done"
        let file = RecordFile<TransferTask>("\(path)/\(folder)/\(task.id).task")
        let isNew = !file.exists
        let code = file.save(task, syncsName: isNew)
        guard code == 0, isNew else { return code }
        let other = task.isOpen ? "done" : "pending"
        unsafe unlink("\(path)/\(other)/\(task.id).task")
        return 0
    }

    /// Deletes a record.
    package func forget(_ id: Int) {
        versions.withLock { versions in
            versions[id] = nil
            unsafe unlink("\(path)/pending/\(id).task")
            unsafe unlink("\(path)/done/\(id).task")
        }
    }

    /// The most bytes per second of all transfers together; nil for no limit. It stays when the
    /// process ends.
    var speedLimit: Int64? {
        FileManager.default.contents(atPath: path + "/limit")
            .flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
            .flatMap { $0 > 0 ? $0 : nil }
    }

    /// Writes the limit, durably. Returns 0 or the `errno` of a failure.
    func keep(speedLimit: Int64?) -> Int32 {
        let code = NewFile.replace(own: path + "/limit", with: Array("\(speedLimit ?? 0)".utf8))
        return code == 0 ? Folder.sync(FilePath(path)) : code
    }

    /// Deletes a part.
    package func discard(_ id: Int) { unsafe unlink(partPath(id)) }

    /// The path of a part.
    package func partPath(_ id: Int) -> String { "\(path)/parts/\(id).part" }

    func names(in folder: String) -> [String] {
        Folder.names(in: "\(path)/\(folder)").sorted()
    }

}

/// The record of a background session beside its tasks.
package struct SessionRecord: Hashable, Codable, Sendable {
    /// The session's identifier.
    package let identifier: String
    /// The program that is started when its tasks are done and it has no host, with arguments; nil
    /// for none.
    package var launch: [String]?
    /// True if its host has no opinion about delayed requests, so that it is not launched to be asked.
    package var ignoresDelays = false
    /// The number of the last of its tasks.
    package var lastTask = 0
    /// The last of the ends of its tasks, and of the questions about them, for which the host was started, in `launchBoot`.
    package var launchOrder = 0
    package var launchBoot = ""

    package init(identifier: String) { self.identifier = identifier }
}

/// Sessions, their files, and the parts for their resume data.
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

    /// Keeps the part of a transfer under `name`. Returns true if it could.
    package func keepPart(_ id: Int, as name: String) -> Bool {
        unsafe rename(partPath(id), keptPath(name)) == 0
    }

    /// True if a part was kept, and has that many bytes.
    package func hasPart(_ name: String, length: Int64) -> Bool {
        var status = stat()
        return unsafe lstat(keptPath(name), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_size >= length
    }

    /// Gives a part that was kept to a transfer. Returns true if it could.
    package func movePart(_ name: String, to id: Int) -> Bool {
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

    /// Deletes parts that were kept for a week; `now` is in seconds since 1970.
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

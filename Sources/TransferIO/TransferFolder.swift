import CLinux
import FoundationEssentials
import Glibc
package import Transfers

/// Where the transfers of a process are kept: a record and a part for each.
///
/// A record is replaced as a whole, and only after the bytes that it counts have reached the disk.
/// Used on one thread.
package final class TransferFolder: Sendable {
    /// Why the folder cannot be used.
    package struct Trouble: Error, CustomStringConvertible {
        package let description: String
        /// Whether another process uses it.
        package let isInUse: Bool
    }

    let path: String
    /// Held as long as the folder is used.
    private let lock: Int32

    /// Makes the folder if it is missing, and locks it. Errors: `Trouble`.
    package init(_ path: String) throws(Trouble) {
        self.path = path
        for folder in [path, path + "/pending", path + "/done", path + "/parts"] {
            try Self.make(folder)
        }
        lock = unsafe open(path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw Trouble(
                description: "cannot open \(path)/lock: \(reason(errno))", isInUse: false)
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
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
                let file = "\(path)/\(folder)/\(name)"
                guard let task = Self.read(file), "\(task.id).task" == name else {
                    troubles.append("\(file) is damaged and set aside")
                    unsafe rename(file, file + ".damaged")
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
        return (tasks.values.sorted { $0.id < $1.id }, troubles)
    }

    /// Records that this process runs in the boot `id`. Returns whether the last process did so too.
    func recordBoot(_ id: String) -> Bool {
        let file = path + "/boot"
        guard FileManager.default.contents(atPath: file) != Data(id.utf8) else { return true }
        _ = Self.write(Array(id.utf8), to: file)
        return false
    }

    /// Writes a record, durably. Returns 0 or the `errno` of a failure.
    package func keep(_ task: TransferTask) -> Int32 {
        let folder = task.isUnfinished ? "pending" : "done"
        let file = "\(path)/\(folder)/\(task.id).task"
        guard let bytes = Self.bytes(of: task) else { return EINVAL }
        let isNew = unsafe access(file, F_OK) != 0
        let code = Self.write(bytes, to: file)
        guard code == 0, isNew else { return code }
        let synced = Self.sync(folder: "\(path)/\(folder)")
        guard synced == 0 else { return synced }
        let other = task.isUnfinished ? "done" : "pending"
        unsafe unlink("\(path)/\(other)/\(task.id).task")
        return 0
    }

    /// Deletes a record.
    package func forget(_ id: Int) {
        unsafe unlink("\(path)/pending/\(id).task")
        unsafe unlink("\(path)/done/\(id).task")
    }

    /// Deletes a part.
    package func discard(_ id: Int) { unsafe unlink(partPath(id)) }

    /// The path of a part.
    package func partPath(_ id: Int) -> String { "\(path)/parts/\(id).part" }

    /// Waits until the names in a folder have reached the disk. Returns 0 or the `errno`.
    static func sync(folder: String) -> Int32 {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // Some file systems cannot, and need not.
        return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
    }

    private func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)"))?.sorted() ?? []
    }

    private static func make(_ folder: String) throws(Trouble) {
        var next = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            next += "/" + part
            guard unsafe mkdir(next, 0o700) != 0, errno != EEXIST else { continue }
            if unsafe access(next, F_OK) != 0 {
                throw Trouble(
                    description: "cannot make \(next): \(reason(errno))", isInUse: false)
            }
        }
    }

    private static func read(_ file: String) -> TransferTask? {
        guard let data = FileManager.default.contents(atPath: file),
            let end = data.firstIndex(of: 0x0a)
        else { return nil }
        let json = data[..<end]
        let sum = String(decoding: data[data.index(after: end)...].prefix(16), as: UTF8.self)
        guard sum == checksum(Array(json)) else { return nil }
        return try? JSONDecoder().decode(TransferTask.self, from: Data(json))
    }

    private static func bytes(of task: TransferTask) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(task) else { return nil }
        return Array(json) + [0x0a] + Array(checksum(Array(json)).utf8) + [0x0a]
    }

    /// FNV-1a in 16 digits: tells a whole record from half of one.
    private static func checksum(_ bytes: [UInt8]) -> String {
        let sum = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func write(_ bytes: [UInt8], to file: String) -> Int32 {
        let new = file + ".new"
        let descriptor = unsafe open(new, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let written = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        guard written == bytes.count else { return written < 0 ? errno : ENOSPC }
        guard fdatasync(descriptor) == 0, unsafe rename(new, file) == 0 else { return errno }
        return 0
    }
}

/// The description of an `errno`.
func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

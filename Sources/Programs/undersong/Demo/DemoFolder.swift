import FoundationEssentials
import Glibc
import UndersongBase
import UndersongCommandOptions

/// The folder of a demo, which no other demo uses while this process lives.
struct DemoFolder: Sendable {
    /// The beginning of the name; six letters that mkdtemp(3) chooses follow.
    private static let prefix = "undersong-demo-"
    private static let template = prefix + "XXXXXX"
    /// The most times that a new folder is made in place of one that another demo has removed.
    private static let tryLimit = 5

    let path: String

    /// Makes the folder in the first place that has room for it and for `longestName` bytes below it,
    /// and removes what demos that were killed have left there.
    ///
    /// - Throws: a failure if there is no place for it in which a program may run.
    init(longestName: Int) throws {
        let cache = Environment["XDG_CACHE_HOME"] ?? Environment["HOME"].map { $0 + "/.cache" }
        var reason = "There is no folder for it"
        for place in [Environment["TMPDIR"], "/tmp", "/var/tmp", cache].compactMap(\.self) {
            let length = place.utf8.count + 1 + Self.template.utf8.count + longestName
            guard place.hasPrefix("/"), length < 108 else { continue }
            guard Self.mayRunPrograms(in: place) else {
                reason = "No program may be run in \(place)"
                continue
            }
            Self.removeLeftovers(in: place)
            for _ in 0..<Self.tryLimit {
                var name = Array("\(place)/\(Self.template)".utf8CString)
                guard unsafe mkdtemp(&name) != nil else { break }
                let path = String(
                    decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
                // Another demo may have taken it for a leftover before it was locked.
                if Self.lock(path) != nil {
                    self.path = path
                    return
                }
            }
            reason = "\(place): \(SystemError.last.reason)"
        }
        throw Failure("cannot begin the demo: \(Columns.printable(reason))")
    }

    /// Removes the folder with all that is in it.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Opens a folder and locks it for as long as it is open. Returns nil if it is locked, was removed, or
    /// is another user's.
    private static func lock(_ path: String) -> Int32? {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        var status = stat()
        guard flock(folder, LOCK_EX | LOCK_NB) == 0, unsafe fstat(folder, &status) == 0,
            status.st_uid == getuid(), status.st_nlink > 0
        else {
            close(folder)
            return nil
        }
        return folder
    }

    /// Removes the folders of demos that do not run any longer, and ends what is left of their
    /// processes.
    private static func removeLeftovers(in place: String) {
        for name in Folder.names(in: place)
        where name.hasPrefix(prefix) && name.utf8.count == template.utf8.count {
            let path = place + "/" + name
            guard let folder = lock(path) else { continue }
            DemoProcesses(folder: path).end(service: nil)
            try? FileManager.default.removeItem(atPath: path)
            close(folder)
        }
    }

    private static func mayRunPrograms(in folder: String) -> Bool {
        // The constant ST_NOEXEC has no name in Swift.
        let noExecution = 8
        var facts = statvfs()
        return unsafe statvfs(folder, &facts) != 0 || Int(facts.f_flag) & noExecution == 0
    }
}

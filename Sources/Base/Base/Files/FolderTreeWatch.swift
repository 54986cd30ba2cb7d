import CUndersongLinux
import Glibc
import Synchronization

/// Notices changes in many folders, each of which is watched by itself, on a thread of its own. Any
/// thread may call it.
package final class FolderTreeWatch: Sendable {
    /// A change that was noticed.
    package enum Change: Hashable, Sendable {
        /// Something has changed in a folder, or with `isRecursive` possibly in all below it.
        case changed(FilePath, isRecursive: Bool)
        /// More has changed than the system keeps in mind.
        case lost
    }

    /// The reason why a folder cannot be watched.
    package enum Problem: Error {
        /// No more folders can be watched.
        case limit(String)
        /// The folder cannot be read, or is not there.
        case folder(SystemError)
    }

    private struct State {
        /// The folders that are watched, by the number of the watch.
        var folders: [Int32: FilePath] = [:]
        var watches: [FilePath: Int32] = [:]
        /// Folders that are not there, by the watch of one above them.
        var awaited: [Int32: Set<FilePath>] = [:]
        /// The roots whose mounting is noticed.
        var roots: Set<FilePath> = []
        var mounts: Set<String> = []
        var isHeld = false
        var hasEnded = false
    }

    private static let changes = UInt32(
        IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE | IN_ATTRIB
            | IN_DELETE_SELF | IN_MOVE_SELF)
    private static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO)

    private let descriptor: Int32
    /// The list of mounts, which shows by an exceptional condition that it has changed.
    private let mountList: Int32
    private let wakeup = Wakeup()
    private let state = Mutex(State())
    private let isRelevant: @Sendable ([UInt8]) -> Bool
    private let report: @Sendable ([Change]) -> Void

    /// Starts without any folder. `report` is called on the watch's thread; changes of files whose names
    /// are not relevant are not reported.
    /// - Throws: `Problem.limit` if the system has no means left for it.
    package init(
        isRelevant: @escaping @Sendable ([UInt8]) -> Bool,
        report: @escaping @Sendable ([Change]) -> Void
    ) throws(Problem) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        mountList = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        self.isRelevant = isRelevant
        self.report = report
        guard descriptor >= 0 else {
            throw .limit(
                "\(SystemError.last.reason) "
                    + "(fs.inotify.max_user_instances is \(Self.limit("max_user_instances")))")
        }
        startThread(named: "library watch") { [self] in run() }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if mountList >= 0 { close(mountList) }
    }

    /// Ends the thread. Nothing is reported any more.
    package func end() {
        state.withLock { $0.hasEnded = true }
        wakeup.post()
    }

    /// Makes the thread wait until `release`, whatever changes. The changes are reported then.
    package func hold() {
        state.withLock { $0.isHeld = true }
        wakeup.post()
    }

    /// Reports changes again.
    package func release() {
        state.withLock { $0.isHeld = false }
        wakeup.post()
    }

    /// Watches a folder; the links in its path are followed. If it is watched by another path already,
    /// that counts with `keepsPath`, and otherwise the new one. Returns the path by which it is watched.
    /// - Throws: An error if that fails.
    @discardableResult
    package func watch(
        _ folder: FilePath, keepsPath: Bool = false
    ) throws(Problem) -> FilePath {
        // Under the lock, so that no event comes before the folder is known.
        let result = state.withLock { state -> Result<FilePath, Problem> in
            let watch = unsafe folder.withPlatformString {
                unsafe inotify_add_watch(descriptor, $0, Self.changes | UInt32(IN_ONLYDIR))
            }
            guard watch >= 0 else { return .failure(Self.problem(errno)) }
            let earlier = state.folders[watch]
            if let earlier, keepsPath { return .success(earlier) }
            if let earlier { state.watches[earlier] = nil }
            state.folders[watch] = folder
            state.watches[folder] = watch
            stopAwaiting(folder, &state)
            return .success(folder)
        }
        return try result.get()
    }

    /// True if the folder is watched.
    package func isWatched(_ folder: FilePath) -> Bool {
        state.withLock { $0.watches[folder] != nil }
    }

    /// Reports a change of `root` when something is mounted or unmounted there, in it or above it.
    package func watchMounts(of root: FilePath) {
        let mounts = Self.mounts()
        state.withLock { state in
            if state.roots.isEmpty { state.mounts = mounts }
            state.roots.insert(root)
        }
        wakeup.post()
    }

    /// Reports a change of a folder that is not there when it, or the next one above it, comes. Its path
    /// is absolute.
    package func awaitArrival(of folder: FilePath) {
        guard folder.isAbsolute else { return }
        var path = folder
        while path != "/" {
            path = path.parent
            let isThere = state.withLock { state in
                let watch = unsafe path.withPlatformString {
                    unsafe inotify_add_watch(
                        descriptor, $0, Self.arrivals | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD))
                }
                if watch >= 0 { state.awaited[watch, default: []].insert(folder) }
                return watch >= 0
            }
            if isThere { return }
        }
    }

    /// Watches nothing in a folder and below it any more.
    package func leave(_ folder: FilePath) {
        state.withLock { state in
            state.roots.remove(folder)
            stopAwaiting(folder, &state)
            drop(folder, &state)
        }
    }

    private func stopAwaiting(_ folder: FilePath, _ state: inout State) {
        for (watch, folders) in state.awaited where folders.contains(folder) {
            state.awaited[watch]?.remove(folder)
            guard folders.count == 1 else { continue }
            state.awaited[watch] = nil
            if state.folders[watch] == nil { inotify_rm_watch(descriptor, watch) }
        }
    }

    private func drop(_ folder: FilePath, _ state: inout State) {
        for (path, watch) in state.watches where path.isWithin(folder) {
            inotify_rm_watch(descriptor, watch)
            state.folders[watch] = nil
            state.watches[path] = nil
        }
    }

    // MARK: The thread

    private func run() {
        while true {
            let (isHeld, hasEnded, hasRoots) = state.withLock {
                ($0.isHeld, $0.hasEnded, !$0.roots.isEmpty)
            }
            if hasEnded { return }
            // Negative descriptors are not waited for.
            var entries: InlineArray = [
                pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isHeld ? -1 : descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(
                    fd: isHeld || !hasRoots ? -1 : mountList, events: Int16(POLLPRI), revents: 0),
            ]
            var span = entries.mutableSpan
            let count = unsafe span.withUnsafeMutableBufferPointer { entries in
                unsafe poll(entries.baseAddress, nfds_t(entries.count), -1)
            }
            guard count > 0 else { continue }
            if entries[0].revents != 0 { wakeup.clear() }
            var changes: [Change] = []
            if entries[1].revents != 0 { readChanges(into: &changes) }
            if entries[2].revents != 0 { compareMounts(into: &changes) }
            let isEnd = state.withLock(\.hasEnded)
            if !changes.isEmpty, !isEnd { report(changes) }
        }
    }

    /// Reads what has happened, each folder once.
    private func readChanges(into changes: inout [Change]) {
        var found: Set<Change> = []
        unsafe withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            while true {
                let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var offset = 0
                while offset + 16 <= count {
                    let watch = unsafe buffer.load(fromByteOffset: offset, as: Int32.self)
                    let mask = unsafe buffer.load(fromByteOffset: offset + 4, as: UInt32.self)
                    let length = unsafe Int(
                        buffer.load(fromByteOffset: offset + 12, as: UInt32.self))
                    let end = min(offset + 16 + length, count)
                    let name = unsafe Array(buffer[(offset + 16)..<end].prefix { $0 != 0 })
                    handle(watch, mask, name, &found)
                    offset += 16 + length
                }
            }
        }
        changes += found
    }

    private func handle(
        _ watch: Int32, _ mask: UInt32, _ name: [UInt8], _ found: inout Set<Change>
    ) {
        func has(_ event: some BinaryInteger) -> Bool { mask & UInt32(event) != 0 }
        if has(IN_Q_OVERFLOW) {
            found.insert(.lost)
            return
        }
        state.withLock { state in
            let folder = state.folders[watch]
            if has(IN_IGNORED) {
                // The folder above them is not there any more either.
                for awaited in state.awaited.removeValue(forKey: watch) ?? [] {
                    found.insert(.changed(awaited, isRecursive: true))
                }
            }
            for awaited in state.awaited[watch] ?? [] {
                guard let folder = folder ?? Self.ancestor(of: awaited, before: name),
                    awaited.isWithin(folder.appending(name))
                else { continue }
                found.insert(.changed(awaited, isRecursive: true))
            }
            guard let folder else { return }
            if has(IN_IGNORED) {
                state.folders[watch] = nil
                state.watches[folder] = nil
            } else if has(IN_DELETE_SELF) || has(IN_MOVE_SELF) || has(IN_UNMOUNT) {
                // The folder above it says so too, if that is watched.
                found.insert(.changed(folder, isRecursive: true))
            } else if has(IN_ISDIR) {
                if has(IN_MOVED_FROM) { drop(folder.appending(name), &state) }
                if has(IN_CREATE) || has(IN_MOVED_TO) || has(IN_MOVED_FROM) || has(IN_DELETE) {
                    found.insert(.changed(folder, isRecursive: false))
                } else if has(IN_ATTRIB), name.isEmpty, state.roots.contains(folder) {
                    found.insert(.changed(folder, isRecursive: true))
                } else if has(IN_ATTRIB), !name.isEmpty {
                    found.insert(.changed(folder.appending(name), isRecursive: true))
                }
            } else if isRelevant(name) {
                found.insert(.changed(folder, isRecursive: false))
            }
        }
    }

    /// The folder above `path` in which `name` is the next one; nil if there is none.
    private static func ancestor(of path: FilePath, before name: [UInt8]) -> FilePath? {
        var path = path
        while path != "/" {
            let parent = path.parent
            if parent.appending(name) == path { return parent }
            path = parent
        }
        return nil
    }

    // MARK: Mounts

    private func compareMounts(into changes: inout [Change]) {
        let mounts = Self.mounts()
        let (changed, roots) = state.withLock { state in
            defer { state.mounts = mounts }
            return (state.mounts.symmetricDifference(mounts), state.roots)
        }
        let places = changed.compactMap(Self.place)
        for root in roots {
            if places.contains(where: { root.isWithin($0) }) {
                changes.append(.changed(root, isRecursive: true))
            } else {
                changes += places.filter { $0.isWithin(root) }.map {
                    .changed($0, isRecursive: true)
                }
            }
        }
    }

    /// The lines about mounts (proc_pid_mountinfo(5)).
    private static func mounts() -> Set<String> {
        let file = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        let bytes = (try? readAll(from: file, limit: 4 << 20)) ?? []
        return Set(bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) })
    }

    /// The path in the fifth field, in which spaces are written as `\040`.
    private static func place(_ line: String) -> FilePath? {
        let fields = line.utf8.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count > 5 else { return nil }
        var bytes: [UInt8] = []
        var rest = Substring(fields[4]).utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(Substring(digits)), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return FilePath(bytes: bytes)
    }

    // MARK: Limits

    private static func problem(_ code: Int32) -> Problem {
        switch code {
        case ENOSPC:
            .limit(
                "The limit of folders that are watched is reached "
                    + "(fs.inotify.max_user_watches is \(limit("max_user_watches")))")
        case ENOMEM: .limit(SystemError(code).reason)
        default: .folder(SystemError(code))
        }
    }

    private static func limit(_ name: String) -> String {
        let file = unsafe open("/proc/sys/fs/inotify/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "unknown" }
        defer { close(file) }
        let bytes = (try? readAll(from: file, limit: 100)) ?? []
        return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    /// The reason why a file system does not report what other machines or programs change in it; nil
    /// if it reports everything.
    package static func silence(of folder: FilePath) -> String? {
        var status = statfs()
        guard unsafe folder.withPlatformString({ unsafe statfs($0, &status) }) == 0 else {
            return nil
        }
        let kinds: [UInt32: String] = [
            0x6969: "NFS", 0x517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB",
            0x6573_5546: "FUSE", 0x0102_1997: "9P", 0x00C3_6400: "Ceph", 0x5346_414F: "AFS",
        ]
        return kinds[UInt32(truncatingIfNeeded: status.f_type)].map {
            "Changes made elsewhere are not reported by \($0)"
        }
    }
}

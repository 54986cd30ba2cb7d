import Foundation
import TestSupport
import UndersongBase
import UndersongPlayback
import UndersongTransferIO
import UndersongTransfers

/// A folder for transfers and one for files, and an engine on them.
final class Bench {
    let url = FileManager.default.temporaryDirectory.appending(path: "transfers-\(UUID())")
    private var engine: TransferEngine?
    private var latest: [Int: TransferPolicy.State] = [:]
    private let changes = Inbox<[Int: TransferPolicy.State]>()
    /// The engine's reports that it has settled.
    let settlements = Inbox<Void>()

    private let change: (inout TransferEngine.Settings) -> Void
    /// The bytes on a disk of its own; nil without one.
    private let diskSize: Int?
    private let clock: any HostClock

    /// `change` makes the engine's settings other than they usually are. With `diskSize`, all is on
    /// a disk of its own.
    init(
        diskSize: Int? = nil, clock: any HostClock = SystemClock(),
        _ change: @escaping (inout TransferEngine.Settings) -> Void = { _ in }
    ) throws {
        self.change = change
        self.diskSize = diskSize
        self.clock = clock
        if let diskSize {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            guard mount("tmpfs", url.path, "tmpfs", 0, "size=\(diskSize)") == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
            }
        }
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try start()
    }

    deinit {
        stop()
        if diskSize != nil { umount2(url.path, Int32(MNT_DETACH)) }
        try? FileManager.default.removeItem(at: url)
    }

    /// The folder for files.
    var files: URL { url.appending(path: "files") }

    /// The folder of records and parts.
    var state: URL { url.appending(path: "state") }

    /// The names of the files that are there, also of hidden ones.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: files.path)) ?? []).sorted()
    }

    /// The length of the first transfer's part, whether it has reached the disk or not.
    var partLength: Int? {
        let part = state.appending(path: "parts/1.part").path
        return try? FileManager.default.attributesOfItem(atPath: part)[.size] as? Int
    }

    /// The number of bytes that the first transfer's record counts.
    func recordedOffset() throws -> Int64 {
        let file = state.appending(path: "pending/1.task")
        guard let record = try? Data(contentsOf: file) else { return 0 }
        let json = record.prefix { $0 != UInt8(ascii: "\n") }
        return try JSONDecoder().decode(TransferTask.self, from: json).part.offset
    }

    /// Leaves so many bytes free on the disk.
    func fillDisk(butFor room: Int) throws {
        var status = statvfs()
        guard statvfs(url.path, &status) == 0 else { throw POSIXError(.EIO) }
        let free = Int(status.f_bavail) * Int(status.f_frsize)
        try Data(count: max(0, free - room)).write(to: url.appending(path: "ballast"))
    }

    func makeRoom() throws {
        try FileManager.default.removeItem(at: url.appending(path: "ballast"))
    }

    func start() throws {
        let engine = TransferEngine(clock: clock)
        let changes = changes
        var reports = TransferEngine.Reports()
        reports.changed = { engine, ids in
            let states = ids.compactMap { id in
                engine.policy.state(of: id, at: engine.now).map { (id, $0) }
            }
            changes.put(Dictionary(uniqueKeysWithValues: states))
        }
        reports.settled = { [settlements] in settlements.put(()) }
        var settings = TransferEngine.Settings()
        settings.bootID = "boot"
        change(&settings)
        try engine.start(folder: state.path, settings: settings, reports: reports)
        self.engine = engine
    }

    /// Stops the engine, which stores what has come.
    func stop() {
        guard let engine else { return }
        let done = Semaphore()
        engine.stop { done.post() }
        try? done.waitPatiently(orSay: "the engine does not stop")
        self.engine = nil
        latest = [:]
    }

    /// Begins a transfer of `url` to `name` in `folder`, `files` if that is nil.
    func add(
        _ url: String, to name: String = "file", in folder: URL? = nil,
        _ body: (inout TransferRequest) -> Void = { _ in }
    ) {
        let destination = (folder ?? files).appending(path: name).path
        var request = TransferRequest(url: url, destination: destination)
        body(&request)
        handle(.add(request, isResumed: true, isBackground: false))
    }

    func handle(_ input: TransferPolicy.Input) {
        engine?.perform { $0.handle(input) }
    }

    /// Waits until the engine has looked at the time and its connections once more.
    func turn() throws {
        // The second letter is taken after the turn that the first one has begun.
        for _ in 0..<2 {
            let done = Semaphore()
            engine?.perform { _ in done.post() }
            try done.waitPatiently(orSay: "the engine does not answer")
        }
    }

    /// Waits until transfer `id` is over, and returns how.
    func end(of id: Int = 1) throws -> TransferPolicy.State {
        try state(of: id) { state in
            switch state {
            case .finished, .failed, .cancelled: true
            case .waiting, .active: false
            }
        }
    }

    /// Waits for a state of transfer `id`.
    func state(
        of id: Int = 1, _ condition: (TransferPolicy.State) -> Bool
    ) throws -> TransferPolicy.State {
        let deadline = SystemClock().now + Int64(patience * 1e9)
        while true {
            if let state = latest[id], condition(state) { return state }
            guard SystemClock().now < deadline else {
                throw Overdue("transfer \(id) stays \(latest[id].map { "\($0)" } ?? "unknown")")
            }
            latest.merge(try changes.next()) { $1 }
        }
    }

    func contents(_ name: String = "file") -> [UInt8]? {
        (try? Data(contentsOf: files.appending(path: name))).map(Array.init)
    }
}

/// Bytes that differ from place to place, and from one `seed` to another.
func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 32)
    }
}

extension Bench {
    /// Another user of a folder.
    struct Second {
        let ids: [Int]
        let troubles: Int

        init(_ path: String) throws {
            let (tasks, troubles) = try TransferFolder(path, clock: SystemClock()).load()
            ids = tasks.map(\.id)
            self.troubles = troubles.count
        }
    }
}

import Synchronization
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongLibrary
import UndersongStore

/// The needs of the library.
struct LibraryEnvironment: Sendable {
    var store: LibraryStore
    var scanner: any LibraryScanning
}

extension Why.Trouble {
    /// The trouble of a library whose file cannot be read, for no reason that is known.
    static let unreadableLibrary = Why.Trouble(
        reason: "the library cannot be read",
        remedy: "look for errors of the disk in the system's log")

    /// The trouble of a library's store; nil if it has no folder, as no state has then.
    init?(ofLibrary trouble: StoreTrouble) {
        let update = "then: undersong library update"
        let file = "library.sqlite"
        let remedy: String
        switch trouble.code {
        case .noFolder: return nil
        case .locked: remedy = "end the other program that uses \(file), \(update)"
        case .diskFull: remedy = "make room on the disk, \(update)"
        case .readOnly:
            remedy = "make the folder and \(file) in it readable and writable, \(update)"
        case .otherVersion:
            remedy =
                "update Undersong; or end it with 'undersong shutdown' and move \(file) away, "
                + "and a new library begins"
        case .damaged, .unread, .inputOutput:
            remedy =
                "check the disk; if \(file) is lost, end Undersong with 'undersong shutdown' "
                + "and move it away, and a new library begins"
        }
        self.init(reason: trouble.description, remedy: remedy)
    }
}

/// Scans folders, one at a time, and notices changes in them. Any thread may call it.
protocol LibraryScanning: Sendable {
    /// Calls `handler` with changes from now on, on any thread.
    func notice(_ handler: @escaping @Sendable (ScanPlan.Input) -> Void)

    /// Prepares a scan, which `stop` ends from now on.
    func begin(_ request: ScanRequest, _ records: any ScanRecords)

    /// Scans what was begun, on a thread of its own, and stores what it finds. Calls `onProgress` there
    /// now and then. `now` is in seconds since 1970.
    func scan(
        now: Double, onProgress: @escaping @Sendable (LibraryScan) -> Void
    ) async -> ScanOutcome

    /// Ends the scan that runs after the file that is being read.
    func stop()

    /// Notices no more changes in a folder.
    func leave(_ folder: FilePath)

    /// Lets nothing wake up until `release`. The changes are noticed then.
    func hold()
    func release()

    /// Ends everything, for good.
    func end()
}

/// Scans the folders of the disk, which are watched from the first scan on.
final class DiskScanning: LibraryScanning {
    private struct State {
        var scanner: LibraryScanner?
        var watch: FolderTreeWatch?
        var isHeld = false
        var hasEnded = false
    }

    private let clock: any HostClock
    private let state = Mutex(State())
    private let handler = Mutex<(@Sendable (ScanPlan.Input) -> Void)?>(nil)

    init(clock: any HostClock) { self.clock = clock }

    func notice(_ handler: @escaping @Sendable (ScanPlan.Input) -> Void) {
        self.handler.withLock { $0 = handler }
    }

    func begin(_ request: ScanRequest, _ records: any ScanRecords) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            if state.watch == nil { state.watch = makeWatch(isHeld: state.isHeld) }
            state.scanner = LibraryScanner(
                request, records, watch: state.watch, clock: clock)
        }
    }

    func scan(
        now: Double, onProgress: @escaping @Sendable (LibraryScan) -> Void
    ) async -> ScanOutcome {
        guard let scanner = state.withLock(\.scanner) else { return ScanOutcome(.stopped) }
        return await scanner.scan(now: now, report: onProgress)
    }

    /// A watch; nil if the system has no means left for it.
    private func makeWatch(isHeld: Bool) -> FolderTreeWatch? {
        let watch = try? FolderTreeWatch(isRelevant: LibraryScanner.isRelevant) {
            [weak self] changes in
            guard let handler = self?.handler.withLock(\.self) else { return }
            for change in changes {
                switch change {
                case .changed(let folder, let isRecursive):
                    handler(.changed(folder, isRecursive: isRecursive))
                case .lost: handler(.lostChanges)
                }
            }
        }
        if isHeld { watch?.hold() }
        return watch
    }

    func stop() { state.withLock { $0.scanner?.stop() } }

    func leave(_ folder: FilePath) { state.withLock(\.watch)?.leave(folder) }

    func hold() {
        state.withLock { state in
            state.isHeld = true
            state.watch?.hold()
        }
    }

    func release() {
        state.withLock { state in
            state.isHeld = false
            state.watch?.release()
        }
    }

    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.scanner?.stop()
            state.watch?.end()
        }
        handler.withLock { $0 = nil }
    }
}

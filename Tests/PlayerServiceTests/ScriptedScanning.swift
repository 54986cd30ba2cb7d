import Synchronization
import UndersongBase
import UndersongLibrary
import UndersongPlayback

@testable import UndersongService

/// Finds what a test puts into folders, without a disk.
final class ScriptedScanning: LibraryScanning {
    private struct State {
        var files: [ScannedFile] = []
        var request: (ScanRequest, any ScanRecords)?
        var requests: [ScanRequest] = []
        var isEndless = false
        var isStopped = false
        var isHeld = false
        var left: [FilePath] = []
        var handler: (@Sendable (ScanPlan.Input) -> Void)?
        /// Called when an endless scan is stopped.
        var whenStopped: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The scans that were asked for.
    var requests: [ScanRequest] { state.withLock(\.requests) }
    /// True while nothing may wake up.
    var isHeld: Bool { state.withLock(\.isHeld) }
    /// The folders that are watched no more.
    var left: [FilePath] { state.withLock(\.left) }

    /// Adds a file of one track, or of several parts.
    func add(_ file: ScannedFile) { state.withLock { $0.files.append(file) } }

    /// Makes scans from now on end only when they are stopped, or not.
    func makeEndless(_ isEndless: Bool) { state.withLock { $0.isEndless = isEndless } }

    /// Notices a change.
    func change(_ input: ScanPlan.Input) { state.withLock(\.handler)?(input) }

    func notice(_ handler: @escaping @Sendable (ScanPlan.Input) -> Void) {
        state.withLock { $0.handler = handler }
    }

    func begin(_ request: ScanRequest, _ records: any ScanRecords) {
        state.withLock { state in
            state.request = (request, records)
            state.requests.append(request)
            state.isStopped = false
        }
    }

    func scan(
        now: Double, onProgress: @escaping @Sendable (LibraryScan) -> Void
    ) async -> ScanOutcome {
        let (request, files) = state.withLock { ($0.request, $0.files) }
        guard let (request, records) = request else { return ScanOutcome(.stopped) }
        let isStopped = await withCheckedContinuation { continuation in
            let isStopped = state.withLock { state -> Bool? in
                if state.isStopped { return true }
                guard state.isEndless else { return false }
                state.whenStopped = { continuation.resume(returning: true) }
                return nil
            }
            if let isStopped { continuation.resume(returning: isStopped) }
        }
        if isStopped { return ScanOutcome(.stopped) }
        let found = files.filter { $0.path.isWithin(request.folder) }
        let progress = LibraryScan(fileCount: found.count, readCount: found.count)
        onProgress(progress)
        do {
            try await records.apply(found)
        } catch {
            return ScanOutcome(.failed("\(error)"), progress)
        }
        return ScanOutcome(.complete, progress)
    }

    func stop() {
        let whenStopped = state.withLock { state in
            defer { state.whenStopped = nil }
            state.isStopped = true
            return state.whenStopped
        }
        whenStopped?()
    }

    func leave(_ folder: FilePath) { state.withLock { $0.left.append(folder) } }

    func hold() { state.withLock { $0.isHeld = true } }

    func release() { state.withLock { $0.isHeld = false } }

    func end() { stop() }
}

extension ScannedFile {
    /// A file with one track.
    init(
        _ path: FilePath, _ title: String, artist: String = "Artist", album: String? = nil,
        number: Int? = nil, part: TrackPart? = nil
    ) {
        var tags = TrackTags()
        (tags.title, tags.artists, tags.album, tags.number) = (title, [artist], album, number)
        let sound = TrackSound(
            seconds: 200, SoundFormat(sampleRate: 44100, channels: 2, encoding: "FLAC"))
        self.init(
            path: path, stamp: ScanStamp(size: Int64(path.bytes.count), modified: 1),
            tracks: [ScannedTrack(part: part, tags: tags, sound: sound)])
    }
}

import Foundation
import Synchronization
import Testing
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongPodcasts
import UndersongStore

@testable import UndersongService

/// A player service without an output device or a front end.
final class Desk: Sendable {
    let service: PlayerService
    let network = ScriptedFeedNetwork()
    let store: StateStore
    /// The library; nil without a scanner.
    let library: LibraryStore?
    let folder: URL
    /// True if the folder is removed with this desk.
    private let ownsFolder: Bool

    /// With `clock`, feeds have another time than the machine. The queue is kept in `queueStore`, or,
    /// if that is nil, in a file. `processing` analyzes files, `pushProvider` brings pushes,
    /// `notifier`, or that of `makeNotifier`, shows notifications, with `notifiesItems` of each item, and
    /// `whenAtRest` is called whenever it has come to rest. `scanner` scans the library's folders.
    /// `earlier` is a desk whose service was killed,
    /// which is continued.
    init(
        clock: any HostClock = SystemClock(), queueStore: (any QueueStore)? = nil,
        processing: (any FileProcessing)? = nil,
        pushProvider: (any PushProvider)? = nil, notifier: (any UserNotifier)? = nil,
        makeNotifier: (@Sendable () -> any UserNotifier)? = nil,
        notifiesItems: Bool = false, whenAtRest: (@Sendable () -> Void)? = nil,
        scanner: (any LibraryScanning)? = nil,
        continuing earlier: Desk? = nil
    ) throws {
        ownsFolder = earlier == nil
        folder =
            earlier?.folder ?? URL(filePath: "/tmp/player-service-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: !ownsFolder)
        store = StateStore(opening: folder.path, clock: SystemClock()) { _ in }
        store.waitUntilOpen()
        let path = folder.path
        library = scanner.map { _ in LibraryStore(folder: path, clock: clock) { _ in } }
        var session = SessionConfiguration(output: .null, endsWithQueue: false)
        session.store = queueStore ?? store
        var configuration = PlayerService.Configuration(
            manifest: ManifestFile(
                ownPath: folder.path + "/Info.plist", paths: [folder.path + "/Info.plist"]),
            backgroundBudget: 30, idleSeconds: nil, clock: clock, cookies: NoCookies(),
            savedQueueFolder: folder.path + "/queues", processing: processing, log: { _ in },
            podcasts: PodcastLibrary.Configuration(
                network: network, playability: Playability(extensions: ["mp3"]),
                folder: folder.path + "/Podcasts", characters: { _ in nil }))
        configuration.pushProvider = pushProvider
        configuration.makeNotifier =
            makeNotifier ?? notifier.map { notifier in { @Sendable in notifier } }
        configuration.notifiesItems = notifiesItems
        configuration.whenAtRest = whenAtRest
        configuration.stateFolder = folder.path
        if let library, let scanner {
            configuration.library = LibraryEnvironment(store: library, scanner: scanner)
        }
        configuration.appLogFolder = folder.path + "/apps"
        service = PlayerService(configuration, session: AudioSession(session), store: store)
        service.start()
    }

    deinit {
        library?.close()
        store.close()
        if ownsFolder { try? FileManager.default.removeItem(at: folder) }
    }

    /// Lets nothing more reach the disk, as if the service were killed.
    func kill() {
        library?.close()
        store.close()
    }

    /// The feeds.
    var podcasts: PodcastLibrary {
        get async throws {
            let podcasts = await service.podcasts
            return try #require(podcasts)
        }
    }

    /// A song of half a minute.
    static let song = FilePath(
        URL(filePath: #filePath)
            .appending(path: "../../../Resources/Demo/01 Slack Water.mp3").standardizedFileURL.path)
}

private struct NoCookies: SoundServerCookies {
    func isUsed(_ path: String?) -> Bool { true }
    func use(_ path: String?) {}
}

/// A client that records the ends of runs reported to it.
final class Listener: PlayerClient {
    let id = ClientID()
    let name: String? = "listener"
    let process: Int32? = nil
    let ends: AsyncStream<(run: Int, end: SessionEnd)>
    let refreshes: AsyncStream<RefreshRun>
    private let end: AsyncStream<(run: Int, end: SessionEnd)>.Continuation
    private let refresh: AsyncStream<RefreshRun>.Continuation

    init() {
        (ends, end) = AsyncStream.makeStream()
        (refreshes, refresh) = AsyncStream.makeStream()
    }

    func runEnded(_ run: Int, _ end: SessionEnd) { self.end.yield((run, end)) }
    func taskIsExpiring(_ task: Int, timeRemaining: Double) {}
    func taskWasTerminated(_ task: Int) {}
    func refreshHasEnded(_ run: RefreshRun) { refresh.yield(run) }
}

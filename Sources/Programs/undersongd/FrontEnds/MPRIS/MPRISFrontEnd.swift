import Dispatch
import Glibc
import Synchronization
import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongLinuxPlatform
import UndersongPlayback

/// MPRIS as a front end of the player, for desktops, media keys and lock screens. It shows the
/// player whenever the session's events change it, and translates commands to use cases. It runs on
/// the session's executor.
actor MPRISFrontEnd {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe player.executor.asUnownedSerialExecutor()
    }

    /// The most tracks of the queue to show around the current one.
    static let trackLimit = 50

    /// The configuration of the front end.
    struct Configuration: Sendable {
        /// The bus of the user's desktop.
        var address: BusAddress
        /// The folder in which pictures from music files are stored for others to read; nil for none.
        var artworkFolder: String?
    }

    nonisolated let player: PlayerService
    /// The client that its commands come from. It is not connected, so the service may still exit.
    nonisolated let client = ClientID()
    /// The queues that the user keeps by name.
    var playlists: [SavedQueue] = []
    /// The saved queue that was last played by MPRIS, and the run that it started.
    var played: (queue: SavedQueue, run: Int)?
    private nonisolated let identity: String
    private nonisolated let server: MPRISServer
    private nonisolated let artwork: ArtworkCache?
    private nonisolated let shutDown: @Sendable () -> Void
    private nonisolated let isRefreshDue = Atomic(false)
    private nonisolated let jumpCount = Atomic(0)
    private var refreshes = Refreshes()
    /// The facts about the items that are shown, besides the queue's own.
    private var known = KnownItems()
    private var playlistWatch: PlaylistWatch?

    /// The refreshes in progress: one that a later one has overtaken is not shown.
    private struct Refreshes {
        var begun = 0
        var shown = 0
    }

    /// Shows `player` as the session of that name. `shutDown` ends the process.
    init(
        _ configuration: Configuration, player: PlayerService, sessionName: String,
        clock: any HostClock, shutDown: @escaping @Sendable () -> Void
    ) {
        let isStandard = sessionName == ServeRun.standardSession
        self.player = player
        self.shutDown = shutDown
        identity = isStandard ? "Undersong" : "Undersong (\(sessionName))"
        artwork = configuration.artworkFolder.map { ArtworkCache(folder: $0) }
        server = MPRISServer(
            names: BusName.names(
                ["undersong"] + (isStandard ? [] : [sessionName]), process: getpid()),
            bus: BusService(configuration.address, clock: clock), clock: clock)
    }

    /// Follows events from now on. Call it before the player starts.
    nonisolated func observe() {
        player.observe { [weak self] in self?.receive($0) }
    }

    /// Starts serving.
    nonisolated func start() { server.start(self) }

    /// Stops serving, after sending pending output.
    nonisolated func stop() { server.stop() }

    // MARK: Showing

    /// Handles an event on the thread where it happened, without blocking.
    private nonisolated func receive(_ event: PlayerEvent) {
        switch event.kind {
        case .time(isExact: false), .boundary, .clock, .otherAudio, .error: return
        case .library(let event) where event.change == .scanning: return
        case .jump: jumpCount.wrappingAdd(1, ordering: .relaxed)
        default: break
        }
        guard server.isConnected else {
            // If somebody is using the player, there may be a desktop by now.
            if case .state = event.kind { server.lookAgain() }
            return
        }
        guard !isRefreshDue.exchange(true, ordering: .relaxed) else { return }
        post { await $0.refresh() }
    }

    private nonisolated func post(
        _ work: @escaping @Sendable (isolated MPRISFrontEnd) async -> Void
    ) {
        Task(executorPreference: player.executor) { await work(self) }
    }

    /// Shows the current state of the player.
    private func refresh() async {
        isRefreshDue.store(false, ordering: .relaxed)
        refreshes.begun += 1
        let number = refreshes.begun
        let jumpCount = jumpCount.load(ordering: .relaxed)
        let page = await player.itemsAroundCurrent(limit: Self.trackLimit)
        let report = await player.report
        let track = await player.currentTrack
        guard number > refreshes.shown else { return }
        refreshes.shown = number
        known.update(report, page)
        var state = MediaPlayerState(report, page, known, track)
        state.identity = identity
        state.jumpCount = jumpCount
        state.playlists = playlists.map { PlaylistDescription($0) }
        state.activePlaylist = played.flatMap { played in
            played.run == report.run ? PlaylistDescription(played.queue) : nil
        }
        server.update(state)
        lookUp(report.current)
    }

    /// Reads the tags and picture of the current item's file, unless they are known.
    private func lookUp(_ item: QueueItem?) {
        guard let item, known.begin(item) else { return }
        post { frontEnd in
            let details = await frontEnd.player.details(of: item.source)
            let url = await details.artwork?.url(in: frontEnd.artwork)
            if frontEnd.known.complete(item, details.tags, artURL: url) { await frontEnd.refresh() }
        }
    }

    private func listPlaylists() async {
        playlists = await player.savedQueues
        await refresh()
    }

    private func begin() async {
        if playlistWatch == nil, let folder = player.savedQueueFolder {
            playlistWatch = PlaylistWatch(folder, queue: player.executor.queue) { [weak self] in
                self?.post { await $0.listPlaylists() }
            }
        }
        await listPlaylists()
    }
}

extension MPRISFrontEnd: MPRISPlayer {
    nonisolated func begin() { post { await $0.begin() } }

    nonisolated func refresh(_ done: @escaping @Sendable () -> Void) {
        post { frontEnd in
            await frontEnd.refresh()
            done()
        }
    }

    nonisolated func perform(
        _ command: MediaPlayerCommand, _ done: @escaping @Sendable (BusError?) -> Void
    ) {
        post { frontEnd in
            var refusal: BusError?
            do throws(ServiceError) {
                try await frontEnd.perform(command)
            } catch {
                refusal = BusError(error)
            }
            await frontEnd.refresh()
            done(refusal)
            if command == .quit { frontEnd.shutDown() }
        }
    }
}

/// Notices when the folder of the saved queues changes.
private final class PlaylistWatch {
    private let source: any DispatchSourceRead

    /// Calls `body` on `queue` after each change; nil if the system has no resources left for it.
    init?(_ folder: String, queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        guard let watch = FolderWatch(folder, for: .any) else { return nil }
        source = DispatchSource.makeReadSource(fileDescriptor: watch.descriptor, queue: queue)
        source.setEventHandler {
            watch.clear()
            body()
        }
        source.activate()
    }

    deinit { source.cancel() }
}

import UndersongAudioSession
import UndersongBase
import UndersongPlayback

/// Titles, artists, albums and lengths of the queue's items, which are read from their files before
/// they play, while the service is not suspended.
final class TagsFeature: BackgroundFeature {
    /// The number of files to read at a time, which is some tenths of a second's work.
    private static let batch = 256

    private let reader = TagReader()
    /// Open once it is known whether the host is suspended. What was wanted before is read then.
    fileprivate let hasBegun = Gate()
    private var isReading = false
    /// True if there may be items that were not looked at.
    private var isDue = false
    /// True if there are items that were not read yet.
    fileprivate private(set) var isUnfinished = false
    /// The last item that was read, or need not be. Ids only grow, so what comes later is after it.
    private var last: ItemID?
    /// The task that keeps the host running in the background meanwhile.
    private var task: Int?
    /// Edits that need what is being read.
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ service: PlayerService) {}

    static func wants(_ event: PlayerEvent) -> Bool {
        if case .queue = event.kind { true } else { false }
    }

    func begin(_ service: isolated PlayerService) async {
        hasBegun.open()
        await readWanted(service)
    }

    func hostChanged(_ service: isolated PlayerService) async { read(service) }

    func handle(_ event: PlayerEvent, _ service: isolated PlayerService) async {
        await readWanted(service)
    }

    var keepsAwake: Bool { false }
    var isBusy: Bool { isReading }
    var isNeeded: Bool { false }

    func end() { reader.hold() }

    /// True while the tags of some items are unknown.
    fileprivate var isIncomplete: Bool { isReading || isUnfinished }

    /// Reads what an edit has brought, or a search needs. A suspended host is woken for that, and has
    /// the time of a task (E3).
    fileprivate func readWanted(_ service: isolated PlayerService) async {
        guard hasBegun.isOpen else { return }
        guard service.isSuspended, !isReading else { return read(service) }
        isReading = true
        // Items that were added are in the file then.
        await service.store.flush()
        if await service.store.unreadFiles(after: last, limit: 1)?.isEmpty != true {
            let tasks = service.feature(TasksFeature.self)
            tasks.wake()
            let reader = reader
            reader.release()
            task = tasks.begin("titles of the queue", .service { reader.hold() })
            isDue = true
        }
        await readDue(service)
    }

    /// Reads what is not known yet of the queue's items, unless that is being done.
    private func read(_ service: isolated PlayerService) {
        guard !service.isSuspended else { return reader.hold() }
        reader.release()
        isDue = true
        guard !isReading else { return }
        isReading = true
        service.post { await $0.feature(TagsFeature.self).readDue($0) }
    }

    /// Returns when what is being read has been read.
    fileprivate func settle(_ service: isolated PlayerService) async {
        await withCheckedContinuation { waiter in
            // Checked here, since it may end on the way: a call switches executors.
            if isReading { waiters.append(waiter) } else { waiter.resume() }
        }
    }

    private func readDue(_ service: isolated PlayerService) async {
        while isDue, !service.isSuspended {
            isDue = false
            // Items that were added are in the file then.
            await service.store.flush()
            await service.store.prepareSearch()
            await readAll(service)
        }
        isReading = false
        if let task { service.feature(TasksFeature.self).end(task) }
        task = nil
        let settled = waiters
        waiters = []
        for waiter in settled { waiter.resume() }
        service.considerLeaving()
    }

    private func readAll(_ service: isolated PlayerService) async {
        while !service.isSuspended {
            let files = await service.store.unreadFiles(after: last, limit: Self.batch)
            isUnfinished = files?.isEmpty != true
            guard let files, let end = files.last else { return }
            // Items that are staged, or that an edit can bring back, are read as those of the queue
            // are, since they are not looked at again.
            let wanted = files.filter { Self.isLocal($0.path) }
            let found = await reader.read(wanted)
            service.store.learn(found)
            await service.store.prepareSearch()
            if !found.isEmpty { await service.session.report(.tags(found.count)) }
            guard found.count == wanted.count else {
                // Reading is held; what is left is read once it is not.
                last = found.last?.id ?? last
                return
            }
            last = end.id
        }
    }

    private static func isLocal(_ path: FilePath) -> Bool {
        if case .file = MediaSource(path: path) { true } else { false }
    }
}

extension PlayerService {
    /// True while the tags of some items of the queue are unknown. They are read if they can be.
    func readMissingTags() -> Bool {
        let feature = feature(TagsFeature.self)
        if feature.isUnfinished { post { await $0.feature(TagsFeature.self).readWanted($0) } }
        return feature.isIncomplete
    }

    /// Reads the titles, artists, albums and lengths of the queue's items that are not known yet,
    /// also of those that an edit has just added. Returns once that is done, or has to end because
    /// the service is suspended.
    func readTags() async {
        let feature = feature(TagsFeature.self)
        await feature.hasBegun.wait()
        await feature.readWanted(self)
        await feature.settle(self)
    }
}

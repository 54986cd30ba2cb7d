import UndersongAudioSession
import UndersongBase
import UndersongPlayback

/// Titles, artists, albums and lengths of the queue's items, which are read from their files before
/// they play, while the service is not suspended.
extension PlayerService {
    /// How many files are read at a time, which are some tenths of a second's work.
    private static let tagBatch = 256

    /// Begins to read once it is known whether the host is suspended.
    func beginReadingTags() async {
        tags.hasBegun = true
        await readWantedTags()
    }

    /// Reads what an edit has brought, or a search needs. A suspended host is woken for that, and has
    /// the time of a task (E3).
    func readWantedTags() async {
        guard tags.hasBegun else { return }
        guard isSuspended, !tags.isReading else { return readTags() }
        tags.isReading = true
        // Items that were added are in the file then.
        await store.flush()
        if await !store.unreadFiles(after: tags.last, limit: 1).isEmpty {
            tasks.wake()
            let reader = tags.reader
            reader.release()
            tags.task = tasks.begin("titles of the queue", .service { reader.hold() })
            scheduleTasks()
            tags.isDue = true
        }
        await readDueTags()
    }

    /// Reads what is not known yet of the queue's items, unless that is being done.
    func readTags() {
        guard !isSuspended else { return tags.reader.hold() }
        tags.reader.release()
        tags.isDue = true
        guard !tags.isReading else { return }
        tags.isReading = true
        post { await $0.readDueTags() }
    }

    /// Returns when the titles, artists, albums and lengths of the queue's items have been read, or
    /// are not being read, because the service is suspended.
    func tagsAreRead() async {
        await withCheckedContinuation { waiter in
            if tags.isReading { tags.waiters.append(waiter) } else { waiter.resume() }
        }
    }

    private func readDueTags() async {
        while tags.isDue, !isSuspended {
            tags.isDue = false
            // Items that were added are in the file then.
            await store.flush()
            await store.prepareSearch()
            await readAllTags()
        }
        tags.isReading = false
        if let task = tags.task {
            tags.task = nil
            await endTask(task)
        }
        for waiter in tags.waiters { waiter.resume() }
        tags.waiters = []
        considerLeaving()
    }

    private func readAllTags() async {
        while !isSuspended {
            let files = await store.unreadFiles(after: tags.last, limit: Self.tagBatch)
            guard let last = files.last else {
                tags.isUnfinished = false
                return
            }
            tags.isUnfinished = true
            // Items that are staged, or that an edit can bring back, are read as those of the queue
            // are, since they are not looked at again.
            let wanted = files.filter { Self.isLocal($0.path) }
            let found = await tags.reader.read(wanted)
            store.learn(found)
            await store.prepareSearch()
            if !found.isEmpty { await session.report(.tags(found.count)) }
            guard found.count == wanted.count else {
                // Reading is held; what is left is read once it is not.
                tags.last = found.last?.id ?? tags.last
                return
            }
            tags.last = last.id
        }
    }

    private static func isLocal(_ path: FilePath) -> Bool {
        if case .file = MediaSource(path: path) { true } else { false }
    }
}

/// What has been read of the queue's items. Ids only grow, so what comes later is after `last`.
struct TagProgress {
    let reader = TagReader()
    /// Whether the service has begun. What was wanted before that is read then.
    var hasBegun = false
    var isReading = false
    /// Whether there may be items that were not looked at.
    var isDue = false
    /// Whether there are items that were not read yet.
    var isUnfinished = false
    /// The last item that was read, or need not be.
    var last: ItemID?
    /// The task that keeps the host running in the background meanwhile.
    var task: Int?
    /// Edits that need what is being read.
    var waiters: [CheckedContinuation<Void, Never>] = []
}

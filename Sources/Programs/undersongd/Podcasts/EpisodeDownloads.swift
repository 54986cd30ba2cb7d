import Glibc
import UndersongAudioSession
import UndersongBase
import UndersongPlayback
import UndersongPodcasts
import UndersongStore

/// Episodes and their files.
extension PodcastLibrary {
    /// Downloads an episode that somebody wants, also one that was removed or has failed.
    /// Returns it as it is then.
    ///
    /// - Throws: There is no such episode, or it has no file that can be played.
    func download(_ id: Int) async throws(ServiceError) -> Episode {
        let purpose = "download episode \(id)"
        _ = try await feeds()
        let episode = try await episode(id, to: purpose)
        switch episode.state {
        case .notPlayable:
            throw ServiceError(
                .notPossible, purpose, "it is not playable: \(episode.type ?? "no sound")")
        case .downloaded, .wanted:
            throw ServiceError(.notPossible, purpose, "it is \(episode.state.rawValue) already")
        case .available, .failed, .removed: break
        }
        let others = try await episodes(of: episode.feed)
        try await download([episode], among: others, isBackground: false)
        let now = try await trying { () async throws(QueueError) in try await store.episode(id) }
        return now ?? episode
    }

    /// Downloads episodes of one feed: each is recorded as wanted before its transfer begins, so
    /// that a crash in between loses nothing.
    func download(
        _ wanted: [Episode], among episodes: [Episode], isBackground: Bool
    ) async throws(ServiceError) {
        guard let first = wanted.first, let feed = current(first.feed) else { return }
        let folder = folder(of: feed)
        var names = Set(episodes.compactMap(\.path).map { $0.lowercased() })
        var orders: [Episode] = []
        for episode in wanted where episode.url != nil {
            var order = episode
            order.path = await path(of: episode, in: folder, names)
            names.insert((order.path ?? "").lowercased())
            (order.state, order.task, order.problem) = (.wanted, nil, nil)
            orders.append(order)
        }
        try await begin(orders, feed.policy.queue, isBackground: isBackground)
        if !orders.isEmpty { await follow() }
    }

    /// Records episodes as wanted, and begins their transfers in this order.
    private func begin(
        _ orders: [Episode], _ place: Feed.Policy.Place, isBackground: Bool
    ) async throws(ServiceError) {
        // `reconcile` begins none of them out of turn.
        let own = orders.filter { beginning.insert($0.id).inserted }
        defer { beginning.subtract(own.map(\.id)) }
        try await save(FeedChange(episodes: orders))
        for order in own { await begin(order, place, isBackground: isBackground) }
    }

    private func folder(of feed: Feed) -> String {
        if let folder = feed.policy.folder { return folder }
        let title = EpisodeName.safe(feed.title ?? feed.url, fallback: "Feed \(feed.id)")
        return "\(configuration.folder ?? "")/\(title)"
    }

    private func path(
        of episode: Episode, in folder: String, _ names: Set<String>
    ) async -> String {
        let end = configuration.playability.fileExtension(
            url: episode.url ?? "", type: episode.type)
        return await withCheckedContinuation { continuation in
            PlayerService.filesQueue.async {
                let name = EpisodeName.file(title: episode.title, extension: end) { name in
                    let path = "\(folder)/\(name)"
                    let exists = unsafe access(path, F_OK) == 0
                    return exists || names.contains(path.lowercased())
                }
                continuation.resume(returning: "\(folder)/\(name)")
            }
        }
    }

    /// Begins the transfer of an episode that is wanted, unless that has happened meanwhile. The
    /// caller has entered it in `beginning`.
    private func begin(
        _ episode: Episode, _ place: Feed.Policy.Place, isBackground: Bool
    ) async {
        guard let url = episode.url, let path = episode.path, await isUnchanged(episode) else {
            return
        }
        var changed = episode
        do throws(FeedNetworkError) {
            changed.task = try await configuration.network.transfer(
                episode, place, isBackground: isBackground)
        } catch .refused(let reason) {
            guard let settled = await settle(episode, url, path, reason) else { return }
            changed = settled
        } catch {
            // It stays wanted; `follow` begins it when the network can be asked.
            changed.problem = error.reason
        }
        guard await isUnchanged(episode) else { return }
        try? await save(FeedChange(episodes: [changed]))
        await report(changed)
    }

    /// The episode after its transfer is refused. It may have been begun without an answer, before
    /// one of the two programs has ended; nil if it is over.
    private func settle(
        _ episode: Episode, _ url: String, _ path: String, _ reason: String
    ) async -> Episode? {
        var settled = episode
        do throws(FeedNetworkError) {
            let known = try await configuration.network.transfers().last { transfer in
                transfer.url == url && transfer.path == path
                    && (transfer.state == .open || transfer.state == .finished)
            }
            switch known?.state {
            case .open: settled.task = known?.task
            case .finished:
                if await isUnchanged(episode) { await end(episode, .finished, at: path) }
                return nil
            default: (settled.state, settled.path, settled.problem) = (.failed, nil, reason)
            }
        } catch {
            settled.problem = error.reason
        }
        return settled
    }

    /// True if nobody has recorded anything of an episode that is wanted since it was read: its end
    /// may be reported while its transfer is asked for.
    private func isUnchanged(_ episode: Episode) async -> Bool {
        guard let now = try? await store.episode(episode.id) else { return false }
        return now.state == .wanted && now.task == episode.task
    }

    // MARK: Following

    /// Follows the transfers of earlier processes, if there are any. Call it once, at the start.
    func resume() async {
        guard let wanted = try? await store.episodes(in: .wanted), !wanted.isEmpty else { return }
        guard (try? await feeds()) != nil else { return }
        await follow()
    }

    /// Follows transfers until no episode is wanted. Asked again, it takes in what has ended before
    /// its number was recorded.
    private func follow() async {
        followTimer?.cancel()
        followCount += 1
        do throws(FeedNetworkError) {
            let transfers = try await configuration.network.follow { [weak self] changed in
                self?.post { library in
                    if let changed { await library.receive(changed) } else { library.followAgain() }
                }
            }
            followDelays.reset()
            await reconcile(transfers)
        } catch {
            followAgain()
        }
    }

    /// The network is away: tries again later, ever less often.
    private func followAgain() {
        followTimer?.cancel()
        followTimer = clock.wake(after: followDelays.next(), leeway: 500_000_000) { [weak self] in
            self?.post { await $0.resume() }
        }
    }

    /// Compares what is wanted with all transfers: what has no transfer gets one.
    private func reconcile(_ transfers: [EpisodeTransfer]) async {
        await receive(transfers)
        await forgetRecorded(transfers)
        guard let wanted = try? await store.episodes(in: .wanted) else { return }
        for episode in wanted {
            if let found = transfers.first(where: { $0.path == episode.path && $0.state == .open })
            {
                guard episode.task != found.task else { continue }
                var adopted = episode
                adopted.task = found.task
                try? await save(FeedChange(episodes: [adopted]))
            } else if await isThere(episode.path) {
                await end(episode, .finished, at: episode.path)
            } else if let feed = current(episode.feed), beginning.insert(episode.id).inserted {
                await begin(episode, feed.policy.queue, isBackground: true)
                beginning.remove(episode.id)
            }
        }
        await leaveIfDone()
    }

    /// Forgets those whose end was recorded just before this process or the other ended.
    private func forgetRecorded(_ transfers: [EpisodeTransfer]) async {
        let finished = transfers.filter { $0.state == .finished }
        guard !finished.isEmpty, let downloaded = try? await store.episodes(in: .downloaded) else {
            return
        }
        let paths = Set(downloaded.compactMap(\.path))
        await configuration.network.forget(
            finished.filter { paths.contains($0.path) }.map(\.task))
    }

    private func isThere(_ path: String?) async -> Bool {
        guard let path else { return false }
        return await withCheckedContinuation { continuation in
            PlayerService.filesQueue.async {
                continuation.resume(returning: unsafe access(path, F_OK) == 0)
            }
        }
    }

    /// Receives transfers that have changed.
    private func receive(_ transfers: [EpisodeTransfer]) async {
        let ended = transfers.filter { $0.state != .open }
        guard !ended.isEmpty, let wanted = try? await store.episodes(in: .wanted) else { return }
        var over: [Int] = []
        for episode in wanted {
            let transfer = ended.last { transfer in
                guard transfer.url == episode.url else { return false }
                if let task = episode.task { return transfer.task == task }
                return transfer.path == episode.path && transfer.state == .finished
            }
            guard let transfer else { continue }
            if await end(episode, transfer.state, at: transfer.path) { over.append(transfer.task) }
        }
        await configuration.network.forget(over)
        await leaveIfDone()
    }

    /// Leaves the network once no episode is wanted: until then it reports what changes.
    func leaveIfDone() async {
        let count = followCount
        guard let rest = try? await store.episodes(in: .wanted), rest.isEmpty else { return }
        // What was begun meanwhile is followed.
        if followCount == count { configuration.network.leave() }
    }

    /// Records the end of a transfer. Returns whether that is durable.
    @discardableResult
    private func end(
        _ episode: Episode, _ state: EpisodeTransfer.State, at path: String?
    ) async -> Bool {
        var ended = episode
        switch state {
        case .open: return false
        case .finished:
            (ended.state, ended.path, ended.problem) = (.downloaded, path, nil)
            forgetHearing(of: path)
        case .failed(let reason): (ended.state, ended.path, ended.problem) = (.failed, nil, reason)
        }
        ended.task = nil
        guard (try? await save(FeedChange(episodes: [ended]))) != nil else { return false }
        await report(ended)
        if state == .finished { await removeSurplus(of: [ended.feed]) }
        return true
    }
}

/// Episodes that were heard, and files that are deleted.
extension PodcastLibrary {
    /// An item was heard to its end. Files of any length count, unlike those whose positions are
    /// kept.
    func noteHeard(_ item: QueueItem, seconds: Double) async {
        let path = item.source.path
        guard item.isWhole, let name = path.string,
            store.resumePosition(of: path)?.isFinished != true,
            let downloaded = try? await store.episodes(in: .downloaded),
            downloaded.contains(where: { $0.path == name })
        else { return }
        store.keepPosition(
            ResumePoint(seconds: 0, duration: seconds, isFinished: true, lastPlayed: now),
            of: path)
    }

    /// Forgets what was heard of an earlier file of that name, which says nothing about a new one.
    func forgetHearing(of path: String?) {
        guard let path = path.map({ FilePath($0) }), let known = store.resumePosition(of: path)
        else { return }
        store.keepPosition(
            ResumePoint(
                seconds: 0, duration: known.duration, isFinished: false, lastPlayed: now),
            of: path)
    }

    /// Deletes the files of feeds that were heard and that their policies do not keep, but none that
    /// is in the queue.
    func removeSurplus(of feeds: [Int]) async {
        guard let downloaded = try? await store.episodes(in: .downloaded) else { return }
        let byFeed = Dictionary(grouping: downloaded, by: \.feed)
        var surplus: [Episode] = []
        for (id, episodes) in byFeed where feeds.contains(id) {
            guard let feed = current(id) else { continue }
            let candidates = plan.surplus(of: episodes, feed.policy, at: now) { [store] episode in
                let position = episode.path.flatMap { store.resumePosition(of: FilePath($0)) }
                return position?.isFinished == true ? position?.lastPlayed : nil
            }
            for episode in candidates {
                guard let path = episode.path, await items(of: path).isEmpty else { continue }
                surplus.append(episode)
            }
        }
        await delete(surplus)
    }

    /// Deletes the files of all downloaded episodes of a feed, also from the queue, except that
    /// of the current item. Returns the paths that are left.
    func deleteFiles(of id: Int) async throws(ServiceError) -> [String] {
        let playing = await session.report.current?.source.path.string
        let downloaded = try await episodes(of: id).filter { $0.state == .downloaded }
        let removed = await delete(downloaded.filter { $0.path != playing })
        return downloaded.compactMap(\.path).filter { !removed.contains($0) }
    }

    @discardableResult
    private func delete(_ episodes: [Episode]) async -> Set<String> {
        let gone = Set(await configuration.network.delete(episodes.compactMap(\.path)))
        for episode in episodes {
            guard let path = episode.path, gone.contains(path) else { continue }
            let items = await items(of: path)
            if !items.isEmpty {
                try? await session.commit(.remove(items), as: "remove from the queue")
            }
            var removed = episode
            (removed.state, removed.path) = (.removed, nil)
            try? await save(FeedChange(episodes: [removed]))
            await report(removed)
        }
        return gone
    }

    /// The items of the queue that are a file.
    private func items(of path: String) async -> [ItemID] {
        await session.search(.text(.path, .equals, path.folded)).items
            .filter { $0.item.source.path.string == path }.map(\.item.id)
    }
}

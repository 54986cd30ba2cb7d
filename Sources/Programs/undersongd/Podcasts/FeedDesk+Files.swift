import UndersongAudioSession
import UndersongBase
package import UndersongPlayback
import UndersongPodcasts
import UndersongStore

/// Which episodes were heard, and the files that are deleted.
extension FeedDesk {
    /// An item was heard to its end. Files of any length count, unlike those whose positions are
    /// kept.
    package func noteHeard(_ item: QueueItem, seconds: Double) async {
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

    /// What was heard of an earlier file of that name says nothing about a new one.
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
        await session.search([path]).items
            .filter { $0.item.source.path.string == path }.map(\.item.id)
    }
}

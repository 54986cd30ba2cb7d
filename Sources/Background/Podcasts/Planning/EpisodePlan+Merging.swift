extension EpisodePlan {
    /// The changes by a document to the episodes of its feed.
    package struct Merge: Sendable {
        /// All episodes.
        package var episodes: [Episode]
        /// The new episodes, latest first, and then the changed ones.
        package var changed: [Episode]
        package var newCount: Int
        /// The ids of those that the feed does not have any more.
        package var removed: [Int]
        /// The highest id that was assigned.
        package var lastID: Int
    }

    /// Merges the entries of a document into the known episodes of a feed. New ones get ids after
    /// `lastID`. Known ones stay as they are, but for the file of one that was not downloaded;
    /// those that are in no document any more are removed unless there is a file or a transfer of
    /// them.
    package func merge(
        _ entries: [FeedEntry], into known: [Episode], of feed: Int, after lastID: Int
    ) -> Merge {
        let places = Dictionary(
            known.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        var episodes = known
        var seen: Set<String> = []
        var (new, changed): ([Episode], [Episode]) = ([], [])
        for entry in entries {
            guard let found = episode(of: entry, id: 0, feed: feed), seen.insert(found.key).inserted
            else { continue }
            guard let place = places[found.key] else {
                new.append(found)
                continue
            }
            let updated = episodes[place].updated(by: found)
            if updated != episodes[place] {
                episodes[place] = updated
                changed.append(updated)
            }
        }
        // The first one of the document is the latest.
        for place in new.indices { new[place].id = lastID + new.count - place }
        let isWhole = entries.count < FeedReader.entryLimit
        let removed = episodes.filter { isWhole && $0.isDispensable && !seen.contains($0.key) }
        episodes =
            new + episodes.filter { isWhole ? !$0.isDispensable || seen.contains($0.key) : true }
        return Merge(
            episodes: episodes, changed: new + changed, newCount: new.count,
            removed: removed.map(\.id), lastID: lastID + new.count)
    }
}

extension Episode {
    /// True if nothing is lost with it.
    fileprivate var isDispensable: Bool { state != .wanted && state != .downloaded }

    /// As the feed describes it now.
    fileprivate func updated(by other: Episode) -> Episode {
        guard state == .available || state == .notPlayable || state == .failed else { return self }
        var updated = other
        updated.id = id
        updated.problem = problem
        if state == .failed, url == other.url { updated.state = .failed }
        return updated
    }
}

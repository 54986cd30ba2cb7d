package import UndersongPodcasts
import UndersongStore

/// Subscriptions.
extension FeedDesk {
    /// Subscribes to a feed, after reading it, and begins the downloads that its policy asks for. Of
    /// a web page that names one feed it is that feed. Errors: it is not a feed or cannot be had, or is
    /// there already.
    package func add(
        _ url: String, _ policy: Feed.Policy
    ) async throws(ServiceError) -> (feed: Feed, report: FeedReport) {
        let purpose = "add the feed \(url)"
        try await check(url, policy, purpose)
        var draft = Feed(id: 0, url: url)
        draft.policy = policy
        var plan = FeedPlan(draft)
        var response = await fetch(plan.request, within: Self.timeout)
        let named = response.namedFeeds
        if named.count > 1 {
            throw ServiceError(
                .notPossible, purpose,
                "it is a web page with several feeds: \(named.joined(separator: " "))")
        }
        if let feed = named.first {
            try await check(feed, policy, purpose)
            draft.url = feed
            plan = FeedPlan(draft)
            response = await fetch(plan.request, within: Self.timeout)
        }
        guard plan.judge(response, newCount: response.entries.count, at: now) != .failed
        else {
            throw ServiceError(.notPossible, purpose, plan.feed.problem ?? "it cannot be read")
        }
        // It may have been added meanwhile, or lead to one that is there.
        try await check(plan.feed.url, policy, purpose)
        let feed = Feed(plan.feed, id: nextFeedID)
        try await save(FeedChange(feeds: [feed]))
        known?.append(feed)
        var report = FeedReport()
        await take(response, of: feed.id, isBackground: false, into: &report)
        return (current(feed.id) ?? feed, report)
    }

    /// Subscribes to the feeds of a list that are not there yet, without reading them. Returns them.
    /// Errors: it is not a list of feeds.
    package func importList(
        _ bytes: [UInt8], _ policy: Feed.Policy
    ) async throws(ServiceError) -> [Feed] {
        let list: OPML
        do throws(FeedError) {
            list = try OPML(bytes, characters: configuration.characters)
        } catch {
            throw ServiceError(.invalidValue, "read the list of feeds", error.reason)
        }
        let urls = Set(try await feeds().map(\.url))
        var added: [Feed] = []
        for outline in list.outlines where !urls.contains(outline.url) {
            var feed = Feed(id: nextFeedID + added.count, url: outline.url)
            feed.title = outline.title
            feed.policy = policy
            added.append(feed)
        }
        try await save(FeedChange(feeds: added))
        known? += added
        return added
    }

    /// The feeds as a list for other programs.
    package func exportList() async throws(ServiceError) -> String {
        OPML(try await feeds().map { OPML.Outline(url: $0.url, title: $0.title) }).text
    }

    /// Changes what happens with the episodes of a feed from now on.
    package func set(_ feed: Feed, _ policy: Feed.Policy) async throws(ServiceError) -> Feed {
        var changed = current(feed.id) ?? feed
        changed.policy = policy
        try await save(FeedChange(feeds: [changed]))
        replace(changed)
        await removeSurplus(of: [feed.id])
        return changed
    }

    /// Ends a subscription, and what is being downloaded of it. Files that were downloaded stay, or
    /// with `deletesFiles` are deleted, except that of the current item. Returns the paths of the files
    /// that stay.
    @discardableResult
    package func remove(
        _ feed: Feed, deletesFiles: Bool = false
    ) async throws(ServiceError) -> [String] {
        let episodes = try await episodes(of: feed.id)
        var left = episodes.filter { $0.state == .downloaded }.compactMap(\.path)
        if deletesFiles { left = try await deleteFiles(of: feed.id) }
        var change = FeedChange()
        change.removedFeeds = [feed.id]
        try await save(change)
        known?.removeAll { $0.id == feed.id }
        lastReads[feed.id] = nil
        await configuration.network.cancel(
            episodes.filter { $0.state == .wanted }.compactMap(\.task))
        await leaveIfDone()
        return left
    }

    private var nextFeedID: Int { (known?.map(\.id).max() ?? 0) + 1 }

    private func check(
        _ url: String, _ policy: Feed.Policy, _ purpose: String
    ) async throws(ServiceError) {
        if let other = try await feeds().first(where: { $0.url == url }) {
            throw ServiceError(.notPossible, purpose, "it is there already, as feed \(other.id)")
        }
        guard policy.folder ?? configuration.folder != nil else {
            throw ServiceError(.notPossible, purpose, "there is no folder for its files")
        }
    }
}

extension Feed {
    fileprivate init(_ feed: Feed, id: Int) {
        self = feed
        self.id = id
    }
}

import UndersongPlayback
import UndersongPodcasts
import UndersongStore

/// Reading feeds.
extension PodcastLibrary {
    /// The seconds that a feed may take.
    static let timeout = 30.0
    /// The number of feeds that are read at the same time.
    private static let concurrency = 12
    /// The number of times that a feed may say that it is elsewhere.
    private static let moveLimit = 5

    /// Reads feeds, all of them for nil, and queues the downloads that their policies ask for. Ends
    /// at `deadline`, in seconds since boot: feeds that have not answered by then have failed, and
    /// those that nobody has asked for are skipped.
    func refresh(
        _ ids: [Int]? = nil, _ cause: FeedPlan.Cause, until deadline: Double
    ) async throws(ServiceError) -> FeedReport {
        let all = try await feeds().map(\.id)
        let wanted = ids.map { ids in all.filter(ids.contains) } ?? all
        var report = FeedReport()
        var due: [Int] = []
        for id in wanted {
            guard let feed = current(id) else { continue }
            if let obstacle = FeedPlan(feed).obstacle(cause, at: now) {
                report.skip(id, obstacle)
            } else {
                due.append(id)
            }
        }
        await read(due, cause, until: deadline, into: &report)
        await removeSurplus(of: wanted)
        return report
    }

    /// As above, for at most so many seconds.
    func refresh(
        _ ids: [Int]? = nil, _ cause: FeedPlan.Cause, within seconds: Double
    ) async throws(ServiceError) -> FeedReport {
        try await refresh(ids, cause, until: clock.secondsSinceBoot + seconds)
    }

    private func read(
        _ ids: [Int], _ cause: FeedPlan.Cause, until deadline: Double,
        into report: inout FeedReport
    ) async {
        let start = report
        report = await withTaskGroup(
            of: (Int, FeedResponse?).self, returning: FeedReport.self
        ) { group in
            var (report, rest) = (start, ids[...])
            for id in ids.prefix(Self.concurrency) {
                rest.removeFirst()
                group.addTask { (id, await self.response(of: id, until: deadline)) }
            }
            while let (id, response) = await group.next() {
                if let next = rest.popFirst() {
                    group.addTask { (next, await self.response(of: next, until: deadline)) }
                }
                if let response {
                    await apply(
                        response, of: id, isBackground: cause == .schedule, into: &report)
                } else {
                    report.skip(id, "there was no time for it")
                }
            }
            return report
        }
    }

    /// Requests a feed; nil if it is gone or being read, or there is no time.
    private func response(of id: Int, until deadline: Double) async -> FeedResponse? {
        let seconds = min(Self.timeout, deadline - clock.secondsSinceBoot)
        guard seconds > 0, let feed = current(id), refreshing.insert(id).inserted else {
            return nil
        }
        defer { refreshing.remove(id) }
        return await fetch(FeedPlan(feed).request, within: seconds)
    }

    /// Requests a feed, and reads it where it says that it is from now on, if there is a feed there.
    func fetch(_ request: FetchDocument, within seconds: Double) async -> FeedResponse {
        let deadline = clock.secondsSinceBoot + seconds
        let first = await configuration.network.fetch(request, within: seconds)
        var (response, passed) = (first, [request.url])
        while let url = response.successor, url != passed.last, passed.count <= Self.moveLimit {
            // Two that name each other say nothing.
            guard !passed.contains(url) else { return first }
            passed.append(url)
            // What was read is not lost to a host that does not answer.
            let rest = (deadline - clock.secondsSinceBoot) / 2
            guard rest > 0 else { break }
            var next = await configuration.network.fetch(FetchDocument(url: url), within: rest)
            let length = response.answer.length + next.answer.length
            response.answer.length = length
            guard case .feed? = next.document else { break }
            (next.answer.length, next.answer.movedTo) = (length, next.answer.movedTo ?? url)
            response = next
        }
        return response
    }

    /// Applies what was read of a feed.
    func apply(
        _ response: FeedResponse, of id: Int, isBackground: Bool, into report: inout FeedReport
    ) async {
        report.bytes += Int(response.answer.length)
        guard let feed = current(id) else { return }
        do throws(ServiceError) {
            var (plan, change) = (FeedPlan(feed), FeedChange())
            var episodes: [Episode]?
            var (newCount, isFirst) = (0, true)
            if case .feed? = response.document {
                let known = try await self.episodes(of: id)
                let merged = self.plan.merge(
                    response.entries, into: known, of: id, after: lastEpisode)
                isFirst = known.isEmpty
                lastEpisode = max(lastEpisode, merged.lastID)
                (change.episodes, change.removedEpisodes) = (merged.changed, merged.removed)
                (episodes, newCount) = (merged.episodes, merged.newCount)
            }
            let result = plan.judge(response, newCount: newCount, at: now)
            if !plan.feed.isLike(feed) { change.feeds = [plan.feed] }
            try await save(change)
            replace(plan.feed)
            if result == .failed {
                report.fail(id, plan.feed.problem ?? "it failed")
            } else {
                report.read += 1
            }
            let new = change.episodes.prefix(newCount)
            report.count(new, lastRead: lastReads[id])
            if result != .failed { lastReads[id] = now }
            for episode in new { await self.report(episode, isNew: !isFirst) }
            if let episodes {
                try await download(
                    self.plan.wanted(of: episodes, plan.feed.policy), among: episodes,
                    isBackground: isBackground)
            }
        } catch {
            report.fail(id, error.reason)
        }
    }
}

extension Feed {
    /// True if nothing is different that is worth keeping.
    fileprivate func isLike(_ other: Feed) -> Bool {
        var same = self
        same.nextDue = other.nextDue
        return same == other
    }
}

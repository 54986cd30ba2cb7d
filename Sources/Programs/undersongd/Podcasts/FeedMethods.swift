import UndersongControl
import UndersongPodcasts

/// Podcasts.
extension WireMethod {
    /// The seconds that reading all feeds may take when somebody waits for it.
    private static let patience = 60.0

    static let feeds: [WireMethod] = [
        WireMethod(ListFeeds.self) { frontEnd, _, _ async throws(ServiceError) in
            FeedList(try await frontEnd.podcasts.feeds())
        },
        WireMethod(AddFeed.self) { frontEnd, call, _ async throws(ServiceError) in
            let (feed, report) = try await frontEnd.podcasts.add(
                call.url, Feed.Policy().changed(call.policy))
            return AddFeed.Reply(feed: feed, report: report)
        },
        WireMethod(SetFeed.self) { frontEnd, call, _ async throws(ServiceError) in
            let feed = try await frontEnd.podcasts.feed(call.feed)
            return try await frontEnd.podcasts.set(feed, feed.policy.changed(call.policy))
        },
        WireMethod(RemoveFeed.self) { frontEnd, call, _ async throws(ServiceError) in
            let feed = try await frontEnd.podcasts.feed(call.feed)
            let files = try await frontEnd.podcasts.remove(feed, deletesFiles: call.deletesFiles)
            return RemoveFeed.Reply(feed: feed, files: files)
        },
        WireMethod(RefreshFeeds.self) { frontEnd, call, _ async throws(ServiceError) in
            var ids: [Int]?
            if let feed = call.feed { ids = [try await frontEnd.podcasts.feed(feed).id] }
            return try await frontEnd.podcasts.refresh(ids, .command, within: patience)
        },
        WireMethod(ListEpisodes.self) { frontEnd, call, _ async throws(ServiceError) in
            ListEpisodes.Reply(try await frontEnd.podcasts.episodes(ofFeed: call.feed))
        },
        WireMethod(ShowEpisode.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.podcasts.episode(call.episode, to: "show episode \(call.episode)")
        },
        WireMethod(DownloadEpisode.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.podcasts.download(call.episode)
        },
        WireMethod(ImportFeeds.self) { frontEnd, call, origin async throws(ServiceError) in
            let purpose = "read the list of feeds"
            guard let list = try origin.nextFile(limit: ImportFeeds.limit, to: purpose) else {
                throw ServiceError(
                    .invalidValue, purpose, "no descriptor came with the request")
            }
            return FeedList(
                try await frontEnd.podcasts.importList(list, Feed.Policy().changed(call.policy)))
        },
        WireMethod(ExportFeeds.self) { frontEnd, _, _ async throws(ServiceError) in
            ExportFeeds.Reply(opml: try await frontEnd.podcasts.exportList())
        },
    ]
}

extension ControlFrontEnd {
    /// Errors: this service has no network.
    fileprivate var podcasts: FeedDesk {
        get throws(ServiceError) {
            guard let desk = player.podcasts else {
                throw ServiceError(.notPossible, "use podcasts", "this service has no network")
            }
            return desk
        }
    }
}

extension Feed.Policy {
    fileprivate func changed(_ change: Change) throws(ServiceError) -> Feed.Policy {
        if let folder = change.folder, !folder.hasPrefix("/") || folder.utf8.contains(0) {
            throw ServiceError(
                .invalidValue, "use the folder \(folder)", "it is not an absolute path")
        }
        var policy = self
        policy.apply(change)
        return policy
    }
}

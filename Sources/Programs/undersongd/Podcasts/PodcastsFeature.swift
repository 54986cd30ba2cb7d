import UndersongAudioSession
import UndersongBackground
import UndersongControl
import UndersongPlayback
import UndersongPodcasts

/// Podcasts: the methods of the wire, and what the service does about its feeds by itself.
final class PodcastsFeature: BackgroundFeature {
    /// The seconds that reading all feeds may take when somebody waits for it.
    private static let patience = 60.0

    static let methods: [WireMethod] = [
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

    static func wants(_ event: PlayerEvent) -> Bool {
        if case .item(.ended) = event.kind { true } else { false }
    }

    /// The feeds; nil if there is no network.
    let library: PodcastLibrary?

    init(_ service: PlayerService) {
        library = service.configuration.podcasts.map {
            PodcastLibrary(
                $0, session: service.session, store: service.store,
                clock: service.configuration.clock)
        }
    }

    func begin(_ service: isolated PlayerService) async {
        library?.post { await $0.resume() }
    }

    func handle(_ event: PlayerEvent, _ service: isolated PlayerService) async {
        guard case .item(.ended(let item, let time)) = event.kind else { return }
        await library?.noteHeard(item, seconds: time.seconds)
    }

    /// Reads the feeds that are due, all of them if somebody asks for it, and queues the downloads
    /// of new episodes (F16).
    var ownTasks: [String: RefreshHandler] {
        guard let library else { return [:] }
        let reading = RefreshHandler { task, complete in
            library.post { library in
                let cause: FeedPlan.Cause =
                    switch task.cause {
                    case .schedule, .foreground: .schedule
                    case .push, .simulate, .command: .command
                    }
                let report = try? await library.refresh(nil, cause, until: task.warning)
                complete(RefreshCompletion(report))
            }
        }
        return [RefreshFeature.fetchIdentifier: reading]
    }
}

extension PlayerService {
    /// The feeds; nil if there is no network.
    var podcasts: PodcastLibrary? { feature(PodcastsFeature.self).library }
}

extension RefreshCompletion {
    /// The result of reading feeds; nil stands for feeds that could not be read at all.
    fileprivate init(_ report: FeedReport?) {
        guard let report else {
            self.init(.failed)
            return
        }
        let result: RefreshResult =
            switch report.result {
            case .newData: .newData
            case .noData: .noData
            case .failed: .failed
            }
        self.init(
            result, new: report.new, bytes: report.bytes, published: report.published,
            unseenSince: report.unseenSince)
    }
}

extension ControlFrontEnd {
    /// - Throws: The service has no network.
    fileprivate var podcasts: PodcastLibrary {
        get async throws(ServiceError) {
            guard let library = await player.podcasts else {
                throw ServiceError(.notPossible, "use podcasts", "this service has no network")
            }
            return library
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

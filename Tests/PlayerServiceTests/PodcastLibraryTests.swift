import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongAudioSession
import UndersongBase
import UndersongPlayback
import UndersongPodcasts

@testable import UndersongService

/// Podcasts as use cases, without a network.
@Suite struct `Podcasts` {
    private let desk: Desk
    private let podcasts: PodcastLibrary
    private let url = "http://a/feed"

    init() async throws {
        desk = try Desk()
        podcasts = try await desk.podcasts
    }

    @Test func `Podcasts are read when added, and their latest episodes are downloaded`()
        async throws
    {
        desk.network.answer(url) { _ in FeedResponse("e", "d", "c", "b", "a") }
        var policy = Feed.Policy()
        policy.queue = .end

        let (feed, report) = try await podcasts.add(url, policy)

        #expect(feed.title == "The Podcast")
        #expect(report.result == .newData && report.new == 5)
        #expect(desk.network.orders.map(\.title) == ["e", "d", "c"])
        #expect(desk.network.orders.allSatisfy { $0.place == .end && !$0.isBackground })
        #expect(desk.network.orders[0].path == "\(desk.folder.path)/Podcasts/The Podcast/e.mp3")
        #expect(
            try await states(feed) == [.wanted, .wanted, .wanted, .available, .available])
    }

    @Test func `Podcasts are downloaded in order while earlier ones are followed again`()
        async throws
    {
        desk.network.answer(url) { _ in FeedResponse("c", "b", "a") }
        desk.network.beforeNext { [podcasts] in await podcasts.resume() }

        _ = try await podcasts.add(url, Feed.Policy())

        #expect(desk.network.orders.map(\.title) == ["c", "b", "a"])
    }

    @Test func `Podcasts are not added if they cannot be read or are there already`() async throws {
        desk.network.answer("http://a/portal") { _ in
            FeedResponse(DocumentAnswer(status: 200), .refused(.webPage))
        }
        desk.network.answer(url) { _ in FeedResponse() }
        _ = try await podcasts.add(url, Feed.Policy())

        let page = await #expect(throws: ServiceError.self) {
            try await podcasts.add("http://a/portal", Feed.Policy())
        }
        let twice = await #expect(throws: ServiceError.self) {
            try await podcasts.add(url, Feed.Policy())
        }

        #expect(
            page?.description
                == "cannot add the feed http://a/portal: It is a web page, not a feed")
        #expect(
            twice?.description
                == "cannot add the feed http://a/feed: It exists already, as feed 1")
        #expect(try await podcasts.feeds().count == 1)
    }

    @Test func `Podcasts have new episodes after a refresh, and nothing is written without any`()
        async throws
    {
        desk.network.answer(url) { request in
            request.etag == "\"2\""
                ? FeedResponse(DocumentAnswer(status: 304))
                : request.etag == "\"1\""
                    ? FeedResponse("b", "a", etag: "\"2\"")
                    : FeedResponse("a", etag: "\"1\"")
        }
        var policy = Feed.Policy()
        policy.auto = .none
        let feed = try await podcasts.add(url, policy).feed

        let second = try await podcasts.refresh(nil, .command, within: 60)
        let log = try logBytes()
        let third = try await podcasts.refresh(nil, .command, within: 60)

        #expect(second.result == .newData && second.new == 1)
        #expect(third.result == .noData && third.read == 1)
        #expect(try logBytes() == log)
        #expect(try await titles(feed) == ["b", "a"])
        #expect(desk.network.orders.isEmpty)
    }

    // MARK: Moving

    @Test(arguments: ["404", "page", "dead"])
    func `A podcast stays where it is if what it names is not a feed`(place: String) async throws {
        let next = "http://b/\(place)"
        desk.network.answer("http://b/page") { _ in
            FeedResponse(DocumentAnswer(status: 200), .refused(.webPage))
        }
        desk.network.answer("http://b/dead") { _ in FeedResponse(DocumentAnswer()) }
        desk.network.answer(url) { _ in FeedResponse("a", etag: "\"1\"").moved(to: next) }

        let added = try await podcasts.add(url, Feed.Policy())
        let report = try await podcasts.refresh(nil, .command, within: 60)

        #expect(added.feed.url == url && added.report.new == 1)
        #expect(report.result == .noData && report.read == 1)
        let feed = try await podcasts.feed("1")
        #expect(feed.url == url && feed.etag == "\"1\"" && feed.problem == nil)
        #expect(desk.network.requests.map(\.url) == [url, next, url, next])
    }

    @Test func `A podcast moves to the feed that it names, with its episodes`() async throws {
        let isMoved = Mutex(false)
        desk.network.answer(url) { _ in
            let response = FeedResponse("a", etag: "\"1\"")
            return isMoved.withLock(\.self) ? response.moved(to: "http://b/1") : response
        }
        desk.network.answer("http://b/1") { _ in FeedResponse("a").moved(to: "http://b/2") }
        desk.network.answer("http://b/2") { _ in
            FeedResponse("b", "a", etag: "\"2\"").moved(to: "http://b/2")
        }
        let feed = try await podcasts.add(url, Feed.Policy()).feed
        isMoved.withLock { $0 = true }

        let report = try await podcasts.refresh(nil, .command, within: 60)
        let moved = try await podcasts.feed("1")
        _ = try await podcasts.refresh(nil, .command, within: 60)

        #expect(report.new == 1)
        #expect(moved.url == "http://b/2" && moved.etag == "\"2\"")
        #expect(try await titles(feed) == ["b", "a"])
        #expect(
            desk.network.requests.last == FetchDocument(url: "http://b/2", etag: "\"2\""))
    }

    @Test func `Two podcasts that name each other stay where they are`() async throws {
        desk.network.answer(url) { _ in FeedResponse("a").moved(to: "http://b/1") }
        desk.network.answer("http://b/1") { [url] _ in FeedResponse("a").moved(to: url) }

        #expect(try await podcasts.add(url, Feed.Policy()).feed.url == url)
    }

    @Test func `Podcasts of a list that is too long are not added in part`() async throws {
        let outlines = (0..<20_000).map { OPML.Outline(url: "http://a/\($0)") }

        await #expect(throws: ServiceError.self) {
            try await podcasts.importList(Array(OPML(outlines).text.utf8), Feed.Policy())
        }

        #expect(try await podcasts.feeds().isEmpty)
    }

    @Test func `Podcasts date a new episode by its own date, or by the last look`()
        async throws
    {
        let start = Date().timeIntervalSince1970
        let answers = Mutex([
            FeedResponse("a"), FeedResponse("b", "a"), FeedResponse("c", "b", "a"),
            FeedResponse("d", "c", "b", "a"),
        ])
        answers.withLock { answers in
            answers[2].entries[0].published = start - 60
            answers[3].entries[0].published = start + 3600
        }
        desk.network.answer(url) { _ in answers.withLock { $0.removeFirst() } }
        var policy = Feed.Policy()
        policy.auto = .none
        _ = try await podcasts.add(url, policy)

        let undated = try await podcasts.refresh(nil, .command, within: 60)
        let tooOld = try await podcasts.refresh(nil, .command, within: 60)
        let dated = try await podcasts.refresh(nil, .command, within: 60)

        #expect(undated.published == nil)
        let (first, second) = (
            try #require(undated.unseenSince), try #require(tooOld.unseenSince)
        )
        #expect(first >= start && second > first)
        #expect(tooOld.published == nil)
        #expect(dated.published == start + 3600 && dated.unseenSince == nil)
    }

    @Test func `Podcasts report that a download finished or failed, and keep what was not heard`()
        async throws
    {
        let phases = Mutex<[String]>([])
        desk.service.observe { event in
            guard case .episode(let report) = event.kind else { return }
            phases.withLock { $0.append("\(report.title) \(report.phase.rawValue)") }
        }
        let feed = try await threeEpisodes(keep: .latest(0))

        #expect(try await states(feed) == [.downloaded, .failed, .downloaded])
        #expect(Set(desk.network.forgotten) == [1, 2, 3])
        let again = try await podcasts.episodes(of: feed.id)[1]
        _ = try await podcasts.download(again.id)
        desk.network.end(4, .finished)
        try await eventually { !desk.network.isFollowed }

        #expect(try await states(feed) == [.downloaded, .downloaded, .downloaded])
        #expect(desk.network.deleted.isEmpty)
        let log = phases.withLock(\.self)
        #expect(log.contains("b failed") && log.contains("b downloaded"))
    }

    @Test func `Podcasts lose the files that were heard, unless they are in the queue`()
        async throws
    {
        let feed = try await threeEpisodes(keep: .latest(1))
        try await hear(["a", "c"])
        let path = try #require(desk.network.orders.last?.path)
        let items = try await queue([path])
        _ = try await podcasts.refresh(nil, .command, within: 60)
        #expect(desk.network.deleted.isEmpty)

        try await desk.service.remove(items)
        _ = try await podcasts.refresh(nil, .command, within: 60)

        // "c" is the latest one.
        #expect(desk.network.deleted == [path])
        #expect(try await states(feed) == [.downloaded, .failed, .removed])
    }

    @Test func `Episodes count as heard at the end of their items, however short they are`()
        async throws
    {
        let feed = try await threeEpisodes(keep: .days(1))
        let path = FilePath(try #require(desk.network.orders.first?.path))
        let other = FilePath("/other.mp3")
        for path in [path, other] {
            let item = QueueItem(id: ItemID(1), source: MediaSource(path: path))
            await podcasts.noteHeard(item, seconds: 30)
        }

        #expect(desk.store.resumePosition(of: path)?.isFinished == true)
        #expect(desk.store.resumePosition(of: other) == nil)
        let episode = try await podcasts.episodes(of: feed.id)[0]
        #expect(episode.path == path.string)
    }

    @Test func `Episodes count as unheard when they are downloaded again`() async throws {
        let feed = try await threeEpisodes(keep: .latest(0))
        try await hear(["c"])
        _ = try await podcasts.refresh(nil, .command, within: 60)
        #expect(try await states(feed).first == .removed)

        _ = try await podcasts.download(podcasts.episodes(of: feed.id)[0].id)
        desk.network.end(4, .finished)
        try await eventually { !desk.network.isFollowed }
        _ = try await podcasts.refresh(nil, .command, within: 60)

        #expect(try await states(feed).first == .downloaded)
    }

    @Test func `A podcast is removed with its downloads, and on request with their files`()
        async throws
    {
        let feed = try await threeEpisodes(keep: .all)
        let files = desk.network.orders.map(\.path)
        let again = try await podcasts.episodes(of: feed.id)[1]
        _ = try await podcasts.download(again.id)
        let items = try await queue([desk.folder.path + "/other.mp3", files[0]])

        let left = try await podcasts.remove(feed, deletesFiles: true)

        #expect(left.isEmpty)
        #expect(Set(desk.network.deleted) == [files[0], files[2]])
        #expect(desk.network.cancelled == [4])
        let page = await desk.service.page(offset: 0, limit: 10)
        #expect(page.items.map(\.id) == [items[0]])
    }

    @Test func `A podcast is found by way of a web page that names one`() async throws {
        var page = FeedResponse(DocumentAnswer(status: 200), .refused(.webPage))
        page.namedFeeds = [url]
        var pages = page
        pages.namedFeeds += ["http://b/feed"]
        desk.network.answer("http://a/") { [page] _ in page }
        desk.network.answer("http://b/") { [pages] _ in pages }
        desk.network.answer(url) { _ in FeedResponse("a") }

        let feed = try await podcasts.add("http://a/", Feed.Policy()).feed
        let error = await #expect(throws: ServiceError.self) {
            try await podcasts.add("http://b/", Feed.Policy())
        }

        #expect(feed.url == url && feed.title == "The Podcast")
        #expect(
            error?.description == "cannot add the feed http://b/: It is a web page with several "
                + "feeds: http://a/feed http://b/feed")
    }

    /// A feed whose episodes "c" and "a" were downloaded, while "b" failed.
    private func threeEpisodes(keep: Feed.Policy.Keep) async throws -> Feed {
        desk.network.answer(url) { _ in FeedResponse("c", "b", "a") }
        var policy = Feed.Policy()
        (policy.auto, policy.keep) = (.all, keep)
        let feed = try await podcasts.add(url, policy).feed
        #expect(desk.network.orders.map(\.title) == ["c", "b", "a"])
        desk.network.end(1, .finished)
        desk.network.end(2, .failed("The server answered 404"))
        desk.network.end(3, .finished)
        // The ends are taken in independently; a transfer is forgotten once its end is.
        try await eventually {
            Set(desk.network.forgotten) == [1, 2, 3] && !desk.network.isFollowed
        }
        return feed
    }

    /// Makes files of these names, and items of them.
    private func queue(_ paths: [String]) async throws -> [ItemID] {
        for path in paths {
            let file = URL(filePath: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: URL(filePath: "\(Desk.song)"), to: file)
        }
        return try await desk.service.add(Files(paths.map { FilePath($0) })).items
    }

    /// Keeps that episodes were heard to their ends.
    private func hear(_ titles: [String]) async throws {
        for order in desk.network.orders where titles.contains(order.title) {
            desk.store.keepPosition(
                ResumePoint(
                    seconds: 0, duration: 1800, isFinished: true,
                    lastPlayed: Date().timeIntervalSince1970),
                of: FilePath(order.path))
        }
    }

    @Test func `Podcasts find an episode by its number, and say which is not there`() async throws {
        desk.network.answer(url) { _ in FeedResponse("a", "b") }
        _ = try await podcasts.add(url, Feed.Policy())

        #expect(try await podcasts.episode(2, to: "show episode 2").id == 2)
        let error = await #expect(throws: ServiceError.self) {
            try await podcasts.episode(9, to: "show episode 9")
        }
        #expect(error?.description == "cannot show episode 9: There is no such episode")
    }

    @Test func `Podcasts list what cannot be played, and do not download it`() async throws {
        desk.network.answer(url) { _ in FeedResponse("a", type: "audio/mp4") }
        let feed = try await podcasts.add(url, Feed.Policy()).feed
        let episode = try await podcasts.episodes(of: feed.id)[0]

        #expect(episode.state == .notPlayable)
        #expect(desk.network.orders.isEmpty)
        let error = await #expect(throws: ServiceError.self) {
            try await podcasts.download(episode.id)
        }
        #expect(
            error?.description == "cannot download episode 1: It is not playable: audio/mp4")
    }

    @Test func `Podcasts restart transfers that were lost, and adopt those that are there`()
        async throws
    {
        desk.network.answer(url) { _ in FeedResponse("a") }
        desk.network.setAway(true)
        let feed = try await podcasts.add(url, Feed.Policy()).feed
        #expect(try await states(feed) == [.wanted])

        desk.network.setAway(false)
        await podcasts.resume()

        try await eventually { desk.network.orders.count == 1 }
        await podcasts.resume()
        desk.network.end(1, .finished)
        try await eventually { !desk.network.isFollowed }
        #expect(desk.network.orders.count == 1)
        #expect(try await states(feed) == [.downloaded])
    }

    @Test(arguments: [EpisodeTransfer.State.open, .finished])
    func `Podcasts adopt a transfer that has begun without an answer`(
        transfer: EpisodeTransfer.State
    ) async throws {
        desk.network.answer(url) { _ in FeedResponse("a") }
        desk.network.loseAnswer(transfer)

        let feed = try await podcasts.add(url, Feed.Policy()).feed
        desk.network.end(1, .finished)

        try await eventually { !desk.network.isFollowed }
        #expect(try await states(feed) == [.downloaded])
        #expect(desk.network.orders.count == 1)
    }

    @Test func `An episode stays wanted if the network ends before it can refuse its transfer`()
        async throws
    {
        desk.network.answer(url) { _ in FeedResponse("a") }
        desk.network.loseAnswer(.open)
        desk.network.loseList()

        let feed = try await podcasts.add(url, Feed.Policy()).feed
        #expect(try await states(feed) == [.wanted])
        desk.network.end(1, .finished)

        try await eventually { !desk.network.isFollowed }
        #expect(try await states(feed) == [.downloaded])
    }

    @Test func `An episode stays downloaded if a transfer ends while it is asked for again`()
        async throws
    {
        desk.network.answer(url) { _ in FeedResponse("a") }
        desk.network.loseAnswer(.open)
        desk.network.endBeforeRefusing()

        let feed = try await podcasts.add(url, Feed.Policy()).feed

        #expect(try await states(feed) == [.downloaded])
        #expect(desk.network.forgotten == [1])
    }

    @Test func `Podcasts remove from their list what was recorded just before a crash`()
        async throws
    {
        desk.network.answer(url) { _ in FeedResponse("a") }
        let feed = try await podcasts.add(url, Feed.Policy()).feed
        desk.network.loseForgetting()
        desk.network.end(1, .finished)
        try await eventually { !desk.network.isFollowed }
        #expect(desk.network.forgotten.isEmpty)

        desk.network.answer(url) { _ in FeedResponse("b", "a") }
        _ = try await podcasts.refresh(nil, .command, within: 60)

        #expect(desk.network.forgotten == [1])
        #expect(try await states(feed) == [.wanted, .downloaded])
    }

    @Test func `Podcasts leave the network when all downloads are refused`() async throws {
        desk.network.answer(url) { _ in FeedResponse("b", "a") }
        desk.network.refuse("the disk is full")

        let feed = try await podcasts.add(url, Feed.Policy()).feed

        #expect(try await states(feed) == [.failed, .failed])
        #expect(!desk.network.isFollowed)
    }

    @Test func `Podcasts leave the network when the last feed with a download is removed`()
        async throws
    {
        desk.network.answer(url) { _ in FeedResponse("a") }
        let feed = try await podcasts.add(url, Feed.Policy()).feed
        #expect(desk.network.isFollowed)

        _ = try await podcasts.remove(feed)

        #expect(!desk.network.isFollowed)
    }

    @Test func `Podcasts are all read in one refresh, whatever one of them does`() async throws {
        let urls = (0..<40).map { "http://a/\($0)" }
        for url in urls { desk.network.answer(url) { _ in FeedResponse("a") } }
        let never = AsyncStream<FeedResponse>.makeStream()
        desk.network.answer(urls[3]) { _ in
            await never.stream.first { _ in true } ?? FeedResponse()
        }
        let list = OPML(urls.map { OPML.Outline(url: $0) }).text
        var policy = Feed.Policy()
        policy.auto = .none
        _ = try await podcasts.importList(Array(list.utf8), policy)

        async let report = podcasts.refresh(nil, .schedule, within: 60)
        try await eventually { desk.network.requests.count == 40 }
        never.continuation.yield(FeedResponse(DocumentAnswer()))

        let end = try await report
        #expect(end.new == 39 && end.read == 39)
        #expect(end.failed.map(\.feed) == [4])
        #expect(end.result == .newData)
        let later = try await podcasts.refresh(nil, .schedule, within: 60)
        #expect(later.skipped.count == 40)
        #expect(desk.network.requests.count == 40)
    }

    @Test func `Podcasts for which no time is left are skipped, and have not failed`() async throws
    {
        desk.network.answer(url) { _ in FeedResponse("a") }
        let feed = try await podcasts.add(url, Feed.Policy()).feed

        let report = try await podcasts.refresh(nil, .command, within: 0)

        #expect(report.skipped.map(\.feed) == [feed.id])
        #expect(report.failed.isEmpty && report.result == .noData)
        #expect(desk.network.requests.count == 1)
    }

    @Test func `Podcasts are found by number, URL and title, and removed with their episodes`()
        async throws
    {
        desk.network.answer(url) { _ in FeedResponse("a") }
        let feed = try await podcasts.add(url, Feed.Policy()).feed

        for name in ["1", url, "the podcast"] {
            #expect(try await podcasts.feed(name).id == feed.id)
        }
        try await podcasts.remove(feed)
        #expect(try await podcasts.feeds().isEmpty)
        #expect(try await podcasts.episodes(of: feed.id).isEmpty)
        await #expect(throws: ServiceError.self) { try await podcasts.feed("1") }
    }

    private func states(_ feed: Feed) async throws -> [EpisodeState] {
        try await podcasts.episodes(of: feed.id).map(\.state)
    }

    private func titles(_ feed: Feed) async throws -> [String] {
        try await podcasts.episodes(of: feed.id).map(\.title)
    }

    /// The length of what the store has written since it was opened.
    private func logBytes() throws -> Int {
        let file = desk.folder.appending(path: "state.sqlite-wal")
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        return try #require(size)
    }
}

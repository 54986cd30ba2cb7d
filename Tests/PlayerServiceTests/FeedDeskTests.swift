import AudioSession
import Foundation
import Playback
import PlayerService
import Podcasts
import Synchronization
import TestSupport
import Testing
import Threads

/// Podcasts as use cases, without a network.
@Suite struct `Podcasts` {
    private let desk: Desk
    private let podcasts: FeedDesk
    private let url = "http://a/feed"

    init() throws {
        desk = try Desk()
        podcasts = try #require(desk.service.podcasts)
    }

    @Test func `are read when they are added, and their latest episodes are downloaded`()
        async throws
    {
        desk.network.answer(url) { _ in FeedResponse("e", "d", "c", "b", "a") }
        var policy = Feed.Policy()
        policy.place = .end

        let (feed, report) = try await podcasts.add(url, policy)

        #expect(feed.title == "The Podcast")
        #expect(report.result == .newData && report.newCount == 5)
        #expect(desk.network.orders.map(\.title) == ["e", "d", "c"])
        #expect(desk.network.orders.allSatisfy { $0.place == .end && !$0.isBackground })
        #expect(desk.network.orders[0].path == "\(desk.folder.path)/Podcasts/The Podcast/e.mp3")
        #expect(
            try await states(feed) == [.wanted, .wanted, .wanted, .available, .available])
    }

    @Test func `are not added if they cannot be read, or are there already`() async throws {
        var portal = FeedAnswer(status: 200)
        portal.document = .refused(.webPage)
        desk.network.answer("http://a/portal") { [portal] _ in FeedResponse(portal) }
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
                == "cannot add the feed http://a/feed: It is there already, as feed 1")
        #expect(try await podcasts.feeds().count == 1)
    }

    @Test func `have new episodes after a refresh, and nothing is written if there are none`()
        async throws
    {
        desk.network.answer(url) { request in
            request.etag == "\"2\""
                ? FeedResponse(FeedAnswer(status: 304))
                : request.etag == "\"1\""
                    ? FeedResponse("b", "a", etag: "\"2\"")
                    : FeedResponse("a", etag: "\"1\"")
        }
        var policy = Feed.Policy()
        policy.automatic = .none
        let feed = try await podcasts.add(url, policy).feed

        let second = try await podcasts.refresh(nil, .command, within: 60)
        let log = try logBytes()
        let third = try await podcasts.refresh(nil, .command, within: 60)

        #expect(second.result == .newData && second.newCount == 1)
        #expect(third.result == .noData && third.readCount == 1)
        #expect(try logBytes() == log)
        #expect(try await titles(feed) == ["b", "a"])
        #expect(desk.network.orders.isEmpty)
    }

    @Test func `report a finished download, and keep as many files as wanted`() async throws {
        desk.network.answer(url) { _ in FeedResponse("c", "b", "a") }
        var policy = Feed.Policy()
        (policy.automatic, policy.keep) = (.all, 2)
        let phases = Mutex<[String]>([])
        desk.service.observe { event in
            guard case .episode(let report) = event.kind else { return }
            phases.withLock { $0.append("\(report.title) \(report.state)") }
        }
        let feed = try await podcasts.add(url, policy).feed
        #expect(desk.network.orders.map(\.title) == ["c", "b", "a"])

        desk.network.end(1, .finished)
        desk.network.end(2, .failed("The server answered 404"))
        desk.network.end(3, .finished)
        try await eventually { !desk.network.isFollowed }
        #expect(try await states(feed) == [.downloaded, .failed, .downloaded])
        #expect(Set(desk.network.forgotten) == [1, 2, 3])

        let again = try await podcasts.episodes(of: feed.id)[1]
        _ = try await podcasts.download(again.id)
        desk.network.end(4, .finished)
        try await eventually { !desk.network.isFollowed }

        #expect(try await states(feed) == [.downloaded, .downloaded, .removed])
        #expect(desk.network.deleted == [desk.network.orders[2].path])
        let log = phases.withLock(\.self)
        #expect(log.contains("b failed") && log.contains("b downloaded"))
        #expect(log.contains("a removed"))
    }

    @Test func `list what cannot be played, and do not download it`() async throws {
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

    @Test func `begin again the transfers that are lost, and adopt those that are there`()
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

    @Test func `are all read in one refresh, whatever one of them does`() async throws {
        let urls = (0..<40).map { "http://a/\($0)" }
        for url in urls { desk.network.answer(url) { _ in FeedResponse("a") } }
        let never = AsyncStream<FeedResponse>.makeStream()
        desk.network.answer(urls[3]) { _ in
            await never.stream.first { _ in true } ?? FeedResponse()
        }
        let list = OPML(urls.map { OPML.Outline(url: $0) }).text
        var policy = Feed.Policy()
        policy.automatic = .none
        _ = try await podcasts.importList(Array(list.utf8), policy)

        async let report = podcasts.refresh(nil, .schedule, within: 60)
        try await eventually { desk.network.requests.count == 40 }
        never.continuation.yield(FeedResponse(FeedAnswer(status: nil)))

        let end = try await report
        #expect(end.newCount == 39 && end.readCount == 39)
        #expect(end.failed.map(\.feed) == [4])
        #expect(end.result == .newData)
        let later = try await podcasts.refresh(nil, .schedule, within: 60)
        #expect(later.skipped.count == 40)
        #expect(desk.network.requests.count == 40)
    }

    @Test func `that no time is left for are skipped, and have not failed`() async throws {
        desk.network.answer(url) { _ in FeedResponse("a") }
        let feed = try await podcasts.add(url, Feed.Policy()).feed

        let report = try await podcasts.refresh(nil, .command, within: 0)

        #expect(report.skipped.map(\.feed) == [feed.id])
        #expect(report.failed.isEmpty && report.result == .noData)
        #expect(desk.network.requests.count == 1)
    }

    @Test func `are found by number, URL and title, and end with their episodes`() async throws {
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

    private func states(_ feed: Feed) async throws -> [Episode.State] {
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

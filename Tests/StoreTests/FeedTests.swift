import Testing
import UndersongPlayback
import UndersongPodcasts

@testable import UndersongStore

@Suite struct `Podcasts in the store` {
    let folder = TemporaryFolder()
    let notices = Notices()

    @Test func `Stored podcasts are there again after a restart`() async throws {
        let store = folder.open(notices)
        try await store.save(FeedChange(feeds: [feed, other], episodes: [episode, plain]))
        store.close()

        let later = folder.open(notices)
        let (feeds, highest) = try await later.feeds()

        #expect(feeds == [feed, other])
        #expect(highest == 9)
        #expect(try await later.episodes(of: 1) == [plain, episode])
        #expect(try await later.episodes(in: .wanted) == [episode])
        #expect(try await later.episode(9) == plain)
        #expect(try await later.episode(10) == nil)
        #expect(notices.all.isEmpty)
    }

    @Test func `Stored podcasts are removed with their feed, and alone`() async throws {
        let store = folder.open(notices)
        var kept = episode
        (kept.id, kept.feed) = (3, 2)
        try await store.save(FeedChange(feeds: [feed, other], episodes: [episode, plain, kept]))
        var change = FeedChange()
        change.removedEpisodes = [9]
        try await store.save(change)
        #expect(try await store.episodes(of: 1) == [episode])

        change = FeedChange()
        change.removedFeeds = [1]
        try await store.save(change)

        #expect(try await store.feeds().feeds == [other])
        #expect(try await store.episodes(of: 1) == [])
        #expect(try await store.episodes(of: 2) == [kept])
    }

    @Test func `Stored podcasts count as missing when their rows are damaged`() async throws {
        let store = folder.open(notices)
        try await store.save(FeedChange(feeds: [feed, other], episodes: [episode, plain]))
        store.close()
        try folder.edit { db in
            try db.execute("UPDATE records SET value = replace(value, '//a/', '//evil/')")
            try db.execute("UPDATE episodes SET path = '/etc/passwd' WHERE id = 8")
        }

        let later = folder.open(notices)

        #expect(try await later.feeds().feeds == [other])
        #expect(try await later.episodes(of: 1) == [plain])
    }

    private var feed: Feed {
        var feed = Feed(id: 1, url: "https://a/feed")
        feed.title = "A"
        feed.policy.auto = .newest(7)
        (feed.policy.keep, feed.policy.queue, feed.policy.folder) = (.days(14), .next, "/a")
        (feed.etag, feed.modified) = ("W/\"é\"", "yesterday")
        (feed.notBefore, feed.nextDue, feed.timeToLive) = (1.5, 2.5, 3.5)
        (feed.skippedHours, feed.skippedDays) = (0x80_0001, 0x41)
        (feed.failures, feed.isGone, feed.result, feed.problem) = (3, true, .failed, "gone")
        return feed
    }

    private var other: Feed {
        var feed = Feed(id: 2, url: "https://b/feed")
        feed.policy.keep = .all
        return feed
    }

    private var episode: Episode {
        var episode = Episode(id: 8, feed: 1, key: "id x", title: "X", state: .wanted)
        (episode.published, episode.url, episode.type) = (1.5, "https://a/x", "audio/mpeg")
        (episode.duration, episode.path, episode.task) = (60, "/a/x.mp3", 4)
        episode.problem = "slow"
        return episode
    }

    private var plain: Episode {
        Episode(id: 9, feed: 1, key: "id y", title: "Y", state: .notPlayable)
    }
}

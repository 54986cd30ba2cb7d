import Foundation
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback
import UndersongPodcasts

@testable import UndersongCLI

/// `undersong feed` and `undersong fetch now FEED`, as programs, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The verb feed` {
    /// Answers as `answer` does, and what is asked about fetching.
    private func service(
        interval: FetchInterval = .minimum, missing: [String] = [],
        _ answer: @escaping @Sendable (String) -> ControlReply? = { _ in nil }
    ) throws -> FakeService {
        try FakeService { request, _ in
            switch request.method {
            case GetRefreshStatus.method, SetFetchInterval.method:
                var status = RefreshStatus.untouched
                (status.interval, status.missing) = (interval, missing)
                return ControlReply(status)
            case DeclareMode.method, PermitIdentifier.method:
                return ControlReply(CapabilityStatus(Capabilities(), source: "none"))
            default: return answer(request.method)
            }
        }
    }

    private static func feed(_ id: Int, _ title: String?) -> Feed {
        var feed = Feed(id: id, url: "http://a/\(id)")
        feed.title = title
        return feed
    }

    private static func episode(
        _ id: Int, _ title: String, _ state: EpisodeState
    ) -> Episode {
        Episode(id: id, feed: 1, key: title, title: title, state: state)
    }

    /// The answer to `feed add`, with so many new episodes.
    private static func added(_ title: String, new: Int = 0) -> ControlReply {
        var report = FeedReport()
        report.count((0..<new).map { episode($0, "", .available) }, lastRead: nil)
        return ControlReply(AddFeed.Reply(feed: feed(1, title), report: report))
    }

    // MARK: Adding

    @Test func `The verb feed adds a feed with all of its options`() throws {
        let service = try service { _ in Self.added("The \u{1b}[1mPodcast", new: 12) }
        defer { service.end() }

        let program = try Program(
            [
                "feed", "add", "https://a/feed", "--auto", "all", "--keep", "14d", "--queue", "end",
                "--to", "/music/",
            ], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "added The [1mPodcast: 12 episodes\n")
        #expect(program.errorText.isEmpty)
        let call = try #require(service.calls(AddFeed.self).first)
        #expect(call.url == "https://a/feed")
        #expect(call.policy.auto == .all && call.policy.queue == .end)
        #expect(call.policy.keep == .days(14) && call.policy.folder == "/music")
    }

    @Test func `The verb feed changes only what an option names`() throws {
        let service = try service { _ in ControlReply(Self.feed(1, "A")) }
        defer { service.end() }

        let program = try Program(
            ["feed", "set", "1", "--keep", "5"], environment: service.environment)

        #expect(try program.wait() == 0)
        var change = Feed.Policy.Change()
        change.keep = .latest(5)
        #expect(try service.calls(SetFeed.self) == [SetFeed(feed: "1", policy: change)])
    }

    @Test(arguments: [["--keep", "5w"], ["--auto", "some"], ["--queue", "start"]])
    func `The verb feed refuses what is not a policy`(words: [String]) throws {
        let service = try service()
        defer { service.end() }

        let program = try Program(
            ["feed", "add", "http://a/", "\(words[0])=\(words[1])"],
            environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(program.errorText.contains("'\(words[1])' is no"))
        #expect(service.methods.isEmpty)
    }

    // MARK: Playing

    @Test(
        arguments: [
            ("/etc/passwd", "http://a/1.mp3", "/etc/passwd"),
            ("/nowhere/1.mp3", "http://a/1.mp3", "http://a/1.mp3"),
            (nil, "http://a/1.mp3", "http://a/1.mp3"),
        ] as [(String?, String, String)])
    func `The verb feed plays an episode from its file, or from its server without one`(
        path: String?, url: String, played: String
    ) throws {
        let service = try FakeService { request, _ in
            switch request.method {
            case ShowEpisode.method:
                var episode = Self.episode(12, "One", .downloaded)
                (episode.path, episode.url) = (path, url)
                return ControlReply(episode)
            case Play.method: return ControlReply(Play.Reply(run: 1))
            case GetStatus.method: return ControlReply(PlayerStatus.paused)
            default: return ControlReply(Subscribe.Reply(subscription: 1))
            }
        }
        defer { service.end() }

        let program = try Program(
            ["feed", "play", "12", "--detach"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(try service.calls(ShowEpisode.self) == [ShowEpisode(12)])
        #expect(try service.calls(Play.self).first?.files == Files([played]))
    }

    @Test func `The verb feed plays no episode that is not sound, and says why`() throws {
        let service = try service { _ in
            var episode = Self.episode(12, "One", .notPlayable)
            (episode.type, episode.url) = ("application/pdf", "http://a/1.pdf")
            return ControlReply(episode)
        }
        defer { service.end() }

        let program = try Program(["feed", "play", "12"], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(
            program.errorText
                == "undersong: cannot play episode 12: application/pdf is not sound\n")
        #expect(service.methods == ["episode.show"])
    }

    @Test func `The verb feed says how a feed is read, unless the service itself does it`() throws {
        let service = try service(
            interval: .never, missing: ["undersong capability fetch on"]
        ) { _ in Self.added("A") }
        defer { service.end() }

        let program = try Program(["feed", "add", "http://a/"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(
            program.errorText == """
                it is updated only by 'undersong feed refresh'; to have it updated automatically:
                  undersong capability fetch on
                  undersong fetch interval minimum

                """)
    }

    @Test(
        arguments: [(.never, [.minimum]), (.seconds(3600), [])]
            as [(FetchInterval, [FetchInterval])])
    func `The verb feed declares what automatic updates need`(
        interval: FetchInterval, set: [FetchInterval]
    ) throws {
        let service = try service(
            interval: interval, missing: ["undersong capability fetch on"]
        ) { _ in Self.added("A") }
        defer { service.end() }

        let program = try Program(
            ["feed", "add", "http://a/", "--automatic"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.errorText.isEmpty)
        let (modes, identifiers) = (
            try service.calls(DeclareMode.self), try service.calls(PermitIdentifier.self)
        )
        #expect(modes.map(\.mode) == [.fetch] && modes[0].on == true)
        #expect(identifiers.map(\.identifier) == ["net.undersong.refresh"] && identifiers[0].on)
        #expect(try service.calls(SetFetchInterval.self).map(\.interval) == set)
    }

    // MARK: Lists

    @Test func `The verb feed lists feeds and episodes in columns`() throws {
        let service = try service { method in
            var (first, second) = (Self.feed(1, "Ü 日本"), Self.feed(12, nil))
            (first.policy.keep, first.policy.queue) = (.days(14), .next)
            (second.policy.keep, second.problem) = (.all, "The server answered 404")
            var (old, new) = (
                Self.episode(9, "Old", .failed), Self.episode(10, "New", .notPlayable)
            )
            (new.published, old.problem) = (1_795_561_200, "The server answered 404")
            var episodes = ListEpisodes.Reply([new, old])
            episodes.count = 3
            return method == ListFeeds.method
                ? ControlReply(FeedList([first, second])) : ControlReply(episodes)
        }
        defer { service.end() }

        let feeds = try Program(["feed"], environment: service.environment)
        let episodes = try Program(["feed", "episodes", "1"], environment: service.environment)

        #expect(try feeds.wait() == 0)
        #expect(
            feeds.text == """
                 1  Ü 日本       newest:3, keep 14d, queue next
                12  http://a/12  newest:3, keep all, cannot be read: The server answered 404

                """)
        #expect(try episodes.wait() == 0)
        #expect(
            episodes.text == """
                10  2026-11-24  not playable  New
                 9              failed        Old: The server answered 404
                and 1 more

                """)
    }

    @Test func `The verb feed lists nothing in words, and prints answers as JSON`() throws {
        let service = try service { method in
            method == ListFeeds.method
                ? ControlReply(FeedList([])) : ControlReply(ListEpisodes.Reply([]))
        }
        defer { service.end() }

        for (words, text) in [
            (["feed", "list"], "no feeds\n"), (["feed", "episodes"], "no episodes\n"),
            (["feed", "list", "--json"], "{\"feeds\":[]}\n"),
        ] {
            let program = try Program(words, environment: service.environment)
            #expect(try program.wait() == 0)
            #expect(program.text == text)
        }
    }

    // MARK: Reading

    @Test(arguments: [
        (2, false, 0 as Int32, 0 as Int32), (0, false, 0, 1), (0, true, 1, 2),
    ]) func `The verb feed refreshes, and fetches one feed`(
        new: Int, fails: Bool, refresh: Int32, fetch: Int32
    ) throws {
        let service = try service { _ in
            var report = FeedReport()
            report.count((0..<new).map { Self.episode($0, "", .available) }, lastRead: nil)
            report.skip(1, "wait 9 s")
            if fails { report.fail(2, "no XML") }
            return ControlReply(report)
        }
        defer { service.end() }

        let first = try Program(["feed", "refresh"], environment: service.environment)
        #expect(try first.wait() == refresh)
        let second = try Program(["fetch", "now", "A"], environment: service.environment)

        let summary = new > 0 ? "2 new episodes" : "no new episodes"
        let failure = fails ? "feed 2 cannot be read: no XML\n" : ""
        #expect(first.text == "\(summary)\n\(failure)feed 1 was not read: wait 9 s\n")
        #expect(try second.wait() == fetch)
        #expect(second.text == first.text)
        #expect(try service.calls(RefreshFeeds.self).map(\.feed) == [nil, "A"])
    }

    @Test func `The verb feed says that there is no such feed, with the status of a failed fetch`()
        throws
    {
        let service = try FakeService { _, _ in
            throw ControlError(.notFound, "cannot find the feed A: There is no such feed")
        }
        defer { service.end() }

        for (words, status) in [
            (["feed", "refresh", "A"], 1 as Int32), (["fetch", "now", "A"], 2),
        ] {
            let program = try Program(words, environment: service.environment)
            #expect(try program.wait() == status)
            #expect(
                program.errorText == "undersong: cannot find the feed A: There is no such feed\n")
        }
    }

    @Test func `The verb feed downloads an episode`() throws {
        let service = try service { _ in ControlReply(Self.episode(7, "A", .wanted)) }
        defer { service.end() }

        let program = try Program(["feed", "download", "7"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "7  on its way  A\n")
        #expect(try service.calls(DownloadEpisode.self) == [DownloadEpisode(7)])
    }

    // MARK: Removing and exchanging

    @Test func `The verb feed removes a feed, and says which files stay`() throws {
        let service = try service { _ in
            ControlReply(RemoveFeed.Reply(feed: Self.feed(1, "A"), files: ["/p/a.mp3"]))
        }
        defer { service.end() }

        let plain = try Program(["feed", "remove", "1"], environment: service.environment)
        #expect(try plain.wait() == 0)
        #expect(plain.text == "removed A\nthese files stay:\n  /p/a.mp3\n")
        let whole = try Program(
            ["feed", "remove", "1", "--delete-files"], environment: service.environment)
        #expect(try whole.wait() == 0)

        #expect(try service.calls(RemoveFeed.self).map(\.deletesFiles) == [false, true])
    }

    @Test func `The verb feed imports a file by its descriptor, and exports the list`() throws {
        let service = try service { method in
            method == ImportFeeds.method
                ? ControlReply(FeedList([Self.feed(1, "A"), Self.feed(2, "B")]))
                : ControlReply(ExportFeeds.Reply(opml: "<opml/>\n"))
        }
        defer { service.end() }
        let path = service.runtimeFolder + "/list.opml"
        try Data("<opml/>".utf8).write(to: URL(filePath: path))

        let imported = try Program(
            ["feed", "import", path, "--auto", "none"], environment: service.environment)
        #expect(try imported.wait() == 0)
        #expect(imported.text == "added 2 feeds; 'undersong feed refresh' reads them\n")
        #expect(service.descriptors(with: ImportFeeds.self) == [1])
        let exported = try Program(["feed", "export"], environment: service.environment)
        #expect(try exported.wait() == 0)
        #expect(exported.text == "<opml/>\n")

        let missing = try Program(
            ["feed", "import", "/nowhere.opml"], environment: service.environment)
        #expect(try missing.wait() == 1)
        #expect(
            missing.errorText
                == "undersong: cannot import /nowhere.opml: No such file or directory\n")
    }
}

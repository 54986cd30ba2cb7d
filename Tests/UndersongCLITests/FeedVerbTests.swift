import Foundation
import TestSupport
import Testing
import UndersongControl

@testable import UndersongCLI

/// `undersong feed` and `undersong fetch now FEED`, as programs, against a scripted service.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `The verb feed` {
    private func service(
        interval: String = "minimum", missing: [String] = [],
        _ fill: @escaping @Sendable (inout ManageFeeds.Reply) -> Void = { _ in }
    ) throws -> FakeService {
        try FakeService { request, _ in
            switch request.method {
            case ManageFeeds.method:
                var reply = ManageFeeds.Reply()
                fill(&reply)
                return ControlReply(reply)
            case Refresh.method:
                return ControlReply(
                    Refresh.Reply(
                        interval: interval, pending: [], runs: [], missing: missing,
                        promised: true, shutDown: false, badge: 0, availability: "available",
                        fallbacks: [], now: 0, utcOffset: 0))
            case Capability.method: return ControlReply(Capability.Reply(modes: [], source: "none"))
            default: return nil
            }
        }
    }

    private static func feed(_ id: Int, _ title: String?) -> FeedStatus {
        var feed = FeedStatus(id: id, url: "http://a/\(id)", auto: "newest:3", queue: "none")
        (feed.title, feed.keep) = (title, 5)
        return feed
    }

    // MARK: Adding

    @Test func `adds a feed with all of its options`() throws {
        let service = try service {
            $0.feeds = [Self.feed(1, "The \u{1b}[1mPodcast")]
            $0.new = 12
        }
        defer { service.end() }

        let program = try Program(
            [
                "feed", "add", "https://a/feed", "--auto", "all", "--keep", "14d", "--queue", "end",
                "--to", "/music/",
            ], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "added The [1mPodcast: 12 episodes\n")
        #expect(program.errorText.isEmpty)
        let call = try #require(service.calls(ManageFeeds.self).first)
        #expect(call.action == .add && call.url == "https://a/feed")
        #expect(call.auto == "all" && call.queue == "end" && call.to == "/music")
        #expect(call.keep == nil && call.keepDays == 14)
    }

    @Test(arguments: [("5", 5), ("0", 0), ("all", 0)]) func `keeps so many episodes`(
        word: String, count: Int
    ) throws {
        let service = try service()
        defer { service.end() }

        let program = try Program(
            ["feed", "set", "1", "--keep", word], environment: service.environment)

        #expect(try program.wait() == 0)
        let call = try #require(service.calls(ManageFeeds.self).first)
        #expect(call.action == .set && call.feed == "1")
        #expect(call.keep == count && call.keepDays == nil && call.auto == nil)
    }

    @Test(arguments: [
        ["--keep", "-1"], ["--keep", "0d"], ["--keep", "d"], ["--keep", "5w"],
        ["--auto", "newest:0"],
        ["--auto", "some"], ["--queue", "start"],
    ]) func `refuses what is not a policy`(words: [String]) throws {
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
    func `plays an episode from its file, or from its server without one`(
        path: String?, url: String, played: String
    ) throws {
        let service = try FakeService { request, _ in
            switch request.method {
            case ManageFeeds.method:
                var episode = EpisodeStatus(id: 12, feed: 1, title: "One", state: "downloaded")
                (episode.path, episode.url) = (path, url)
                var reply = ManageFeeds.Reply()
                reply.episodes = [episode]
                return ControlReply(reply)
            case Play.method: return ControlReply(Play.Reply(run: 1))
            case GetStatus.method: return ControlReply(Status.paused)
            default: return ControlReply(Subscribe.Reply(subscription: 1))
            }
        }
        defer { service.end() }

        let program = try Program(
            ["feed", "play", "12", "--detach"], environment: service.environment)

        #expect(try program.wait() == 0)
        let asked = try #require(service.calls(ManageFeeds.self).first)
        #expect(asked.action == .episodes && asked.episode == 12)
        #expect(try service.calls(Play.self).first?.files == Files([played]))
    }

    @Test func `does not play an episode that is not sound, and says why`() throws {
        let service = try service {
            var episode = EpisodeStatus(id: 12, feed: 1, title: "One", state: "notPlayable")
            (episode.type, episode.url) = ("application/pdf", "http://a/1.pdf")
            $0.episodes = [episode]
        }
        defer { service.end() }

        let program = try Program(["feed", "play", "12"], environment: service.environment)

        #expect(try program.wait() == 1)
        #expect(
            program.errorText
                == "undersong: cannot play episode 12: application/pdf is not sound\n")
        #expect(service.methods == ["feed"])
    }

    @Test func `says how a feed is read by the service itself, unless that is so`() throws {
        let service = try service(
            interval: "never", missing: ["undersong capability fetch on"]
        ) { $0.feeds = [Self.feed(1, "A")] }
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

    @Test(arguments: [("never", ["minimum"]), ("3600", [])]) func `declares what that needs`(
        interval: String, set: [String]
    ) throws {
        let service = try service(
            interval: interval, missing: ["undersong capability fetch on"]
        ) { $0.feeds = [Self.feed(1, "A")] }
        defer { service.end() }

        let program = try Program(
            ["feed", "add", "http://a/", "--automatic"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.errorText.isEmpty)
        let calls = try service.calls(Capability.self)
        #expect(calls.map(\.mode) == ["fetch", nil])
        #expect(calls.map(\.identifier) == [nil, "net.undersong.refresh"])
        #expect(calls.allSatisfy { $0.on == true })
        #expect(try service.calls(Refresh.self).compactMap(\.interval) == set)
    }

    // MARK: Lists

    @Test func `lists feeds and episodes in columns`() throws {
        let service = try service { reply in
            var (first, second) = (Self.feed(1, "Ü 日本"), Self.feed(12, nil))
            (first.keep, first.keepDays, first.queue) = (nil, 14, "next")
            (second.keep, second.problem) = (nil, "The server answered 404")
            reply.feeds = [first, second]
            var (old, new) = (
                EpisodeStatus(id: 9, feed: 1, title: "Old", state: "failed"),
                EpisodeStatus(id: 10, feed: 1, title: "New", state: "notPlayable")
            )
            (new.published, old.problem) = (1_795_561_200, "The server answered 404")
            (reply.episodes, reply.count) = ([new, old], 3)
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

    @Test func `lists nothing in words, and prints answers as JSON`() throws {
        let service = try service()
        defer { service.end() }

        for (words, text) in [
            (["feed", "list"], "no feeds\n"), (["feed", "episodes"], "no episodes\n"),
            (["feed", "list", "--json"], "{}\n"),
        ] {
            let program = try Program(words, environment: service.environment)
            #expect(try program.wait() == 0)
            #expect(program.text == text)
        }
    }

    // MARK: Reading

    @Test(arguments: [
        ("newData", false, 0 as Int32, 0 as Int32), ("noData", false, 0, 1), ("failed", true, 1, 2),
    ]) func `refreshes, and fetches one feed`(
        result: String, fails: Bool, refresh: Int32, fetch: Int32
    ) throws {
        let service = try service { reply in
            (reply.result, reply.new) = (result, result == "newData" ? 2 : 0)
            reply.problems = [ManageFeeds.Problem(feed: 1, reason: "wait 9 s", skipped: true)]
            if fails { reply.problems?.append(ManageFeeds.Problem(feed: 2, reason: "no XML")) }
        }
        defer { service.end() }

        let first = try Program(["feed", "refresh"], environment: service.environment)
        #expect(try first.wait() == refresh)
        let second = try Program(["fetch", "now", "A"], environment: service.environment)

        let summary = result == "newData" ? "2 new episodes" : "no new episodes"
        let failure = fails ? "feed 2 cannot be read: no XML\n" : ""
        #expect(first.text == "\(summary)\nfeed 1 was not read: wait 9 s\n\(failure)")
        #expect(try second.wait() == fetch)
        #expect(second.text == first.text)
        #expect(try service.calls(ManageFeeds.self).map(\.feed) == [nil, "A"])
    }

    @Test func `says that there is no such feed, with the status of a failed fetch`() throws {
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

    @Test func `downloads an episode`() throws {
        let service = try service {
            $0.episodes = [EpisodeStatus(id: 7, feed: 1, title: "A", state: "wanted")]
        }
        defer { service.end() }

        let program = try Program(["feed", "download", "7"], environment: service.environment)

        #expect(try program.wait() == 0)
        #expect(program.text == "7  on its way  A\n")
        let call = try #require(service.calls(ManageFeeds.self).first)
        #expect(call.action == .download && call.episode == 7)
    }

    // MARK: Removing and exchanging

    @Test func `removes a feed, and says which files stay`() throws {
        let service = try service {
            ($0.feeds, $0.files) = ([Self.feed(1, "A")], ["/p/a.mp3"])
        }
        defer { service.end() }

        let plain = try Program(["feed", "remove", "1"], environment: service.environment)
        #expect(try plain.wait() == 0)
        #expect(plain.text == "removed A\nthese files stay:\n  /p/a.mp3\n")
        let whole = try Program(
            ["feed", "remove", "1", "--delete-files"], environment: service.environment)
        #expect(try whole.wait() == 0)

        #expect(try service.calls(ManageFeeds.self).map(\.files) == [nil, true])
    }

    @Test func `imports a file by its descriptor, and exports the list`() throws {
        let service = try service {
            ($0.feeds, $0.opml) = ([Self.feed(1, "A"), Self.feed(2, "B")], "<opml/>\n")
        }
        defer { service.end() }
        let path = service.runtimeFolder + "/list.opml"
        try Data("<opml/>".utf8).write(to: URL(filePath: path))

        let imported = try Program(
            ["feed", "import", path, "--auto", "none"], environment: service.environment)
        #expect(try imported.wait() == 0)
        #expect(imported.text == "added 2 feeds; 'undersong feed refresh' reads them\n")
        #expect(service.descriptors(with: ManageFeeds.self) == [1])
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

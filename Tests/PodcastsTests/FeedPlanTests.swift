import Testing
import UndersongPodcasts

@Suite struct `A plan for a feed` {
    private let now = 1_795_561_200.0

    @Test func `A feed plan asks with the server's own tag, else with its own date`() {
        var feed = feed
        #expect(FeedPlan(feed).request == FetchDocument(url: "http://a/feed"))
        feed.modified = "tue, 24-Nov-26 22:56:34"
        #expect(
            FeedPlan(feed).request
                == FetchDocument(url: "http://a/feed", modified: "tue, 24-Nov-26 22:56:34"))
        feed.etag = "W/\"a b\""
        #expect(FeedPlan(feed).request == FetchDocument(url: "http://a/feed", etag: "W/\"a b\""))
    }

    @Test func `A feed plan changes nothing worth keeping when the server has nothing new`() {
        var feed = feed
        feed.etag = "\"1\""
        var plan = FeedPlan(feed)
        var answer = FeedResponse(DocumentAnswer(status: 304))
        answer.answer.cacheControl = "max-age=7200"

        #expect(plan.judge(answer, newCount: 0, at: now) == .noData)

        var same = plan.feed
        #expect(same.nextDue == now + 7200)
        same.nextDue = feed.nextDue
        #expect(same == feed)
    }

    @Test func `A feed plan keeps an answer, and reports new data only if there is an episode`() {
        var plan = FeedPlan(feed)

        #expect(plan.judge(answer(etag: "\"1\""), newCount: 2, at: now) == .newData)
        #expect(plan.feed.etag == "\"1\"")
        #expect(plan.feed.title == "T")
        #expect(plan.judge(answer(), newCount: 0, at: now) == .noData)
        #expect(plan.feed.etag == nil)
        #expect(plan.feed.url == "http://a/feed")
    }

    @Test func `A feed plan follows a feed that has moved for good`() {
        var plan = FeedPlan(feed)
        var moved = answer()
        moved.answer.movedTo = "https://b/feed"
        _ = plan.judge(moved, newCount: 0, at: now)

        #expect(plan.feed.url == "https://b/feed")
    }

    @Test func `A feed plan does not move to what the feed names, which may be anything`() {
        var plan = FeedPlan(feed)
        var head = FeedHead()
        head.newURL = "https://c/feed"
        var said = answer(etag: "\"1\"")
        said.document = .feed(head)
        _ = plan.judge(said, newCount: 0, at: now)

        #expect(plan.request == FetchDocument(url: "http://a/feed", etag: "\"1\""))
    }

    @Test func `A feed plan has failed if nothing is new in what was never read`() {
        var plan = FeedPlan(feed)

        #expect(
            plan.judge(FeedResponse(DocumentAnswer(status: 304)), newCount: 0, at: now) == .failed)
        #expect(plan.feed.problem == "The server answered 304 without being asked what is new")
    }

    @Test func `A feed plan follows a moved feed that has nothing new, and keeps its tag`() {
        var known = feed
        known.etag = "\"1\""
        var plan = FeedPlan(known)
        var moved = FeedResponse(DocumentAnswer(status: 304))
        moved.answer.movedTo = "https://b/feed"

        _ = plan.judge(moved, newCount: 0, at: now)

        #expect(plan.request == FetchDocument(url: "https://b/feed", etag: "\"1\""))
    }

    @Test func `A feed plan has failed if the answer is empty`() {
        var plan = FeedPlan(feed)

        #expect(
            plan.judge(FeedResponse(DocumentAnswer(status: 200)), newCount: 0, at: now) == .failed)
        #expect(plan.feed.problem == "It is empty")
    }

    @Test func `A feed plan believes no feed that asks never to be read, and no server for a year`()
    {
        var plan = FeedPlan(feed)
        var head = FeedHead()
        (head.skippedHours, head.skippedDays) = (0xff_ffff, 0x7f)
        var never = answer()
        never.document = .feed(head)
        _ = plan.judge(never, newCount: 0, at: now)
        let (hours, days) = (plan.feed.skippedHours, plan.feed.skippedDays)
        var busy = FeedResponse(DocumentAnswer(status: 503))
        busy.answer.retryAfter = 365 * 86400
        _ = plan.judge(busy, newCount: 0, at: now)

        #expect(hours == 0 && days == 0)
        #expect(plan.feed.notBefore == now + 7 * 86400)
    }

    @Test func `A feed plan stays where it is when what it was led to is not a feed`() {
        var plan = FeedPlan(feed)
        var portal = FeedResponse(DocumentAnswer(status: 200))
        portal.answer.movedTo = "http://login.example"
        portal.document = .refused(FeedError(.webPage, "It is a web page"))

        #expect(plan.judge(portal, newCount: 0, at: now) == .failed)
        #expect(plan.feed.url == "http://a/feed")
        #expect(plan.feed.problem == "It is a web page")
    }

    @Test func `A feed plan waits as long as the server asks, for any request`() {
        var plan = FeedPlan(feed)
        var busy = FeedResponse(DocumentAnswer(status: 429))
        busy.answer.retryAfter = 120

        #expect(plan.judge(busy, newCount: 0, at: now) == .failed)
        #expect(plan.obstacle(.command, at: now + 119) != nil)
        #expect(plan.obstacle(.command, at: now + 120) == nil)
        #expect(plan.obstacle(.schedule, at: now + 120) != nil)
    }

    @Test func `A feed plan no longer asks for a feed that is gone, unless somebody wants it`() {
        var plan = FeedPlan(feed)

        #expect(
            plan.judge(FeedResponse(DocumentAnswer(status: 410)), newCount: 0, at: now) == .failed)
        #expect(plan.feed.isGone)
        #expect(plan.obstacle(.schedule, at: now + 1e9) != nil)
        #expect(plan.obstacle(.command, at: now + 1e9) == nil)
        _ = plan.judge(answer(), newCount: 0, at: now + 1e9)
        #expect(!plan.feed.isGone)
    }

    @Test func `A feed plan asks ever less often while requests fail, and at once after a success`()
    {
        var plan = FeedPlan(feed)
        var delays: [Double] = []
        for _ in 0..<9 {
            _ = plan.judge(FeedResponse(DocumentAnswer()), newCount: 0, at: now)
            delays.append((plan.feed.nextDue - now) / 900)
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 96, 96])
        #expect(plan.feed.failures == 9)

        _ = plan.judge(answer(), newCount: 0, at: now)
        #expect(plan.feed.failures == 0)
        #expect(plan.feed.problem == nil)
        #expect(plan.feed.nextDue == now + 900)
    }

    @Test func `A feed plan reads a feed no more often than it says, but once a day`() {
        var plan = FeedPlan(feed)
        var head = FeedHead()
        head.minutesToLive = 90
        var hourly = FeedResponse(DocumentAnswer(status: 200))
        hourly.document = .feed(head)
        hourly.answer.cacheControl = "public, Max-Age = 60"

        _ = plan.judge(hourly, newCount: 0, at: now)
        #expect(plan.feed.nextDue == now + 5400)
        head.minutesToLive = 1e9
        hourly.document = .feed(head)
        _ = plan.judge(hourly, newCount: 0, at: now)
        #expect(plan.feed.nextDue == now + 86400)
        hourly.document = .feed(FeedHead())
        hourly.answer.cacheControl = "max-age=31536000"
        _ = plan.judge(hourly, newCount: 0, at: now)
        #expect(plan.feed.nextDue == now + 86400)
    }

    @Test func `A feed plan leaves out the hours and days at which the feed is not to be read`() {
        // 24 November 2026, 23:00 UTC, a Tuesday.
        var feed = feed
        feed.skippedHours = 1 << 23
        #expect(FeedPlan(feed).obstacle(.schedule, at: now) != nil)
        #expect(FeedPlan(feed).obstacle(.schedule, at: now + 3600) == nil)
        #expect(FeedPlan(feed).obstacle(.command, at: now) == nil)
        feed.skippedHours = 0
        feed.skippedDays = 1 << 2
        #expect(FeedPlan(feed).obstacle(.schedule, at: now) != nil)
        #expect(FeedPlan(feed).obstacle(.schedule, at: now + 3600) == nil)
    }

    private var feed: Feed {
        var feed = Feed(id: 1, url: "http://a/feed")
        feed.title = "T"
        return feed
    }

    private func answer(etag: String? = nil) -> FeedResponse {
        var answer = DocumentAnswer(status: 200)
        answer.etag = etag
        return FeedResponse(answer, .feed(FeedHead()))
    }
}

@Suite struct `A policy for episodes` {
    @Test(arguments: ["none", "all", "newest:3"])
    func `An episode policy has words for the automatic downloads`(
        word: String
    ) {
        #expect(Feed.Policy.Automatic(rawValue: word)?.rawValue == word)
    }

    @Test(arguments: ["all", "5", "14d"])
    func `An episode policy has words for the files that stay`(word: String) {
        #expect(Feed.Policy.Keep(rawValue: word)?.rawValue == word)
    }

    @Test func `An episode policy keeps all files for the number 0`() {
        #expect(Feed.Policy.Keep(rawValue: "0") == .all)
    }

    @Test func `An episode policy has no other words`() {
        for word in ["", "some", "newest:0", "newest:", "newest:x"] {
            #expect(Feed.Policy.Automatic(rawValue: word) == nil)
        }
        for word in ["", "-1", "0d", "d", "5w", "-3d"] {
            #expect(Feed.Policy.Keep(rawValue: word) == nil)
        }
    }

    @Test func `An episode policy changes only in what a change has`() {
        var policy = Feed.Policy()
        (policy.keep, policy.folder) = (.days(2), "/a")
        var change = Feed.Policy.Change()
        (change.auto, change.queue) = (.all, .next)

        var changed = policy
        changed.apply(change)

        #expect(changed.auto == .all && changed.queue == .next)
        #expect(changed.keep == .days(2) && changed.folder == "/a")
    }
}

@Suite struct `A plan for episodes` {
    private let plan = EpisodePlan(Playability(extensions: ["mp3", "ogg", "opus"]))

    @Test func `An episode plan prefers the file that can be played, and notes if there is none`()
        throws
    {
        var entry = FeedEntry()
        entry.guid = "1"
        entry.enclosures = [
            Enclosure(url: "http://a/1.m4a", type: "audio/x-m4a"),
            Enclosure(url: "http://a/1.mp3", type: "audio/mpeg"),
        ]
        let episode = try #require(plan.episode(of: entry, id: 1, feed: 1))
        #expect(episode.url == "http://a/1.mp3")
        #expect(episode.state == .available)
        #expect(episode.title == "1.mp3")

        entry.enclosures = [Enclosure(url: "http://a/1.m4a", type: "audio/mp4")]
        #expect(plan.episode(of: entry, id: 1, feed: 1)?.state == .notPlayable)
        entry.enclosures = []
        #expect(plan.episode(of: entry, id: 1, feed: 1)?.state == .notPlayable)
    }

    @Test(arguments: [
        ("http://a/x.mp3?y=z.m4a", nil, true), ("http://a/x.m4a", nil, false),
        ("http://a/x", "audio/mpeg", true), ("http://a/x.mp3", "video/mp4", false),
        ("http://a/x.mp3", "audio/mp4", false), ("http://a/x.MP3", "audio/mpg", true),
        ("http://a/x", "application/octet-stream", false), ("http://a/x.m4a", "audio/mpeg", true),
    ]) func `An episode plan knows what can be played`(url: String, type: String?, canPlay: Bool) {
        let playability = Playability(extensions: ["mp3"])

        #expect(playability.canPlay(Enclosure(url: url, type: type)) == canPlay)
    }

    @Test func `An episode plan wants the latest episodes that were not there before`() {
        let episodes = [
            episode(1, at: 10), episode(2, at: 40, .removed), episode(3, at: 30),
            episode(4, at: 20), episode(5, at: 50, .notPlayable),
        ]
        func wanted(_ automatic: Feed.Policy.Automatic) -> [Int] {
            var policy = Feed.Policy()
            policy.auto = automatic
            return plan.wanted(of: episodes, policy).map(\.id)
        }

        #expect(wanted(.none) == [])
        #expect(wanted(.newest(3)) == [3])
        #expect(wanted(.newest(4)) == [3, 4])
        #expect(wanted(.all) == [3, 4, 1])
    }

    @Test func `An episode plan deletes files heard, beyond the latest ones or after some days`() {
        let day = 86400.0
        let episodes = (1...5).map { episode($0, at: Double($0), .downloaded) }
        let heard = [1: 1 * day, 2: 8 * day, 4: 2 * day]
        func surplus(_ keep: Feed.Policy.Keep) -> [Int] {
            var policy = Feed.Policy()
            policy.keep = keep
            return plan.surplus(of: episodes, policy, at: 10 * day) { heard[$0.id] }.map(\.id)
        }

        #expect(surplus(.latest(2)) == [2, 1])
        #expect(surplus(.latest(0)) == [4, 2, 1])
        #expect(surplus(.days(3)) == [4, 1])
        #expect(surplus(.days(8)) == [4, 1])
        #expect(surplus(.days(9)) == [1])
        #expect(surplus(.all) == [])
    }

    @Test func `An episode plan deletes only files that are there`() {
        let states: [EpisodeState] = [.available, .wanted, .failed, .removed, .notPlayable]
        let episodes = states.enumerated().map { episode($0, at: 0, $1) }
        var policy = Feed.Policy()
        policy.keep = .latest(0)

        #expect(plan.surplus(of: episodes, policy, at: 10) { _ in 0 } == [])
    }

    private func episode(
        _ id: Int, at time: Double, _ state: EpisodeState = .available
    ) -> Episode {
        var episode = Episode(id: id, feed: 1, key: "id \(id)", title: "\(id)", state: state)
        episode.published = time
        return episode
    }
}

@Suite struct `A name for a file` {
    @Test(arguments: [
        ("AC/DC: a \"test\"?", "AC-DC- a -test--"), ("../../etc/passwd", "-..-etc-passwd"),
        ("...", "x"), ("", "x"), ("  a \n\t b. ", "a b"), ("a\u{202e}3pm", "a3pm"),
        ("Ü 日本", "Ü 日本"),
    ]) func `An episode's file name is safe`(title: String, name: String) {
        #expect(EpisodeName.safe(title, fallback: "x") == name)
    }

    @Test func `An episode's file name is short, and ends with a whole character`() {
        let name = EpisodeName.safe(String(repeating: "日", count: 200), fallback: "x")

        #expect(name == String(repeating: "日", count: 40))
    }

    @Test func `An episode's file name is unique`() {
        let taken: Set = ["A.mp3", "A (2).mp3"]

        #expect(
            EpisodeName.file(title: "A", extension: "mp3") { taken.contains($0) } == "A (3).mp3")
    }
}

@Suite struct `A list of feeds` {
    @Test func `A list of feeds is read as it was written`() throws {
        let list = OPML([
            OPML.Outline(url: "https://a/?b=1&c=2", title: "A < \"B\" & C"),
            OPML.Outline(url: "http://b/"),
        ])
        let read = try OPML(Array(list.text.utf8))

        #expect(read.outlines.map(\.url) == list.outlines.map(\.url))
        #expect(read.outlines.map(\.title) == ["A < \"B\" & C", "http://b/"])
    }

    @Test func `Folders, other outlines and repetitions in a list of feeds do not count`() throws {
        let text = """
            <opml><body><outline text="Folder"><outline text="A" xmlUrl=" http://a/ "/>
            <outline xmlUrl="http://a/"/><outline xmlUrl="file:///etc/passwd"/></outline></body></opml>
            """

        #expect(
            try OPML(Array(text.utf8)).outlines == [OPML.Outline(url: "http://a/", title: "A")])
    }

    @Test func `A list of 10,000 feeds is read, and one of more is refused as a whole`() throws {
        func list(_ count: Int) -> [UInt8] {
            let outlines = (0..<count).map { "<outline xmlUrl='http://a/\($0)'/>" }.joined()
            return Array("<opml>\(outlines)<outline xmlUrl='http://a/0'/></opml>".utf8)
        }

        #expect(try OPML(list(10_000)).outlines.count == 10_000)
        let refusal = #expect(throws: FeedError.self) { try OPML(list(10_001)) }
        #expect(refusal?.reason == "It lists more than 10000 feeds; split it")
    }

    @Test func `A list of feeds is neither a feed nor a web page`() {
        #expect(throws: FeedError.self) { try OPML(Array("<rss/>".utf8)) }
        #expect(throws: FeedError.webPage) { try OPML(Array("<html/>".utf8)) }
    }
}

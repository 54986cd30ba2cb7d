import Testing
import UndersongPodcasts

@Suite struct `A document merged into its feed's episodes` {
    private let plan = EpisodePlan(Playability(extensions: ["mp3"]))

    private func entry(_ guid: String, title: String? = nil, url: String? = nil) -> FeedEntry {
        var entry = FeedEntry()
        entry.guid = guid
        entry.title = title ?? guid
        entry.enclosures = [Enclosure(url: url ?? "http://a/\(guid).mp3", type: "audio/mpeg")]
        return entry
    }

    /// The episode that an entry becomes, in a state.
    private func episode(
        _ id: Int, _ guid: String, _ state: EpisodeState = .available
    ) throws -> Episode {
        var episode = try #require(plan.episode(of: entry(guid), id: id, feed: 1))
        episode.state = state
        return episode
    }

    @Test func `A merged document brings new episodes, the first one as the latest, and each once`()
        throws
    {
        let known = try [episode(5, "a")]
        let entries = ["c", "b", "c", "a"].map { entry($0) }

        let merge = plan.merge(entries, into: known, of: 1, after: 5)

        #expect(merge.episodes.map(\.title) == ["c", "b", "a"])
        #expect(merge.episodes.map(\.id) == [7, 6, 5])
        #expect(merge.newCount == 2 && merge.lastID == 7)
        #expect(merge.changed.map(\.title) == ["c", "b"])
        #expect(merge.episodes[0].isNewer(than: merge.episodes[1]))
    }

    @Test func `A merged document removes what it lacks, but for episodes with a file or transfer`()
        throws
    {
        let states: [EpisodeState] = [
            .available, .wanted, .downloaded, .failed, .removed, .notPlayable,
        ]
        let known = try states.enumerated().map { try episode($0 + 1, "\($0)", $1) }

        let merge = plan.merge([entry("new")], into: known, of: 1, after: 6)

        #expect(merge.episodes.map(\.state) == [.available, .wanted, .downloaded])
        #expect(merge.removed == [1, 4, 5, 6])
    }

    @Test(arguments: [FeedReader.entryLimit - 1, FeedReader.entryLimit])
    func `A merged document removes nothing if it may have more than was read`(count: Int) throws {
        let known = try [episode(1, "old")]

        let merge = plan.merge(
            (1...count).map { entry("\($0)") }, into: known, of: 1, after: 1)

        #expect(merge.removed == (count < FeedReader.entryLimit ? [1] : []))
    }

    @Test func `A merged document changes what can still be downloaded, and nothing else`() throws {
        let states: [EpisodeState] = [.available, .wanted, .downloaded, .removed]
        let known = try states.enumerated().map { try episode($0 + 1, "\($0)", $1) }
        let entries = (0...3).map { entry("\($0)", title: "new", url: "http://b/\($0).mp3") }

        let merge = plan.merge(entries, into: known, of: 1, after: 4)

        #expect(merge.episodes.map(\.title) == ["new", "1", "2", "3"])
        #expect(merge.episodes.map(\.id) == [1, 2, 3, 4])
        #expect(merge.episodes.map(\.state) == states)
        #expect(merge.changed.map(\.id) == [1])
    }

    @Test func `A merged document lets a failed episode be tried again only with another file`()
        throws
    {
        let known = try [episode(1, "a", .failed), episode(2, "b", .failed)]

        let merge = plan.merge(
            [entry("a", title: "A"), entry("b", url: "http://b/b.mp3")], into: known, of: 1,
            after: 2)

        #expect(merge.episodes.map(\.state) == [.failed, .available])
        #expect(merge.episodes.map(\.title) == ["A", "b"])
    }
}

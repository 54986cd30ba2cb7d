import UndersongBase
import UndersongCommandOptions
import UndersongPodcasts

/// Formats feeds and episodes.
enum FeedText {
    /// `1  The Podcast  newest:3, keep 5, queue end`
    static func feeds(_ feeds: [Feed]) -> String {
        guard !feeds.isEmpty else { return "no feeds" }
        let numbers = Columns.rightAligned(feeds.map { String($0.id) })
        let names = Columns.aligned(feeds.map(name))
        return feeds.indices.map { "\(numbers[$0])  \(names[$0])  \(policy(feeds[$0]))" }
            .joined(separator: "\n")
    }

    /// `removed The Podcast`, and a line for each file that stays.
    static func removed(_ reply: RemoveFeed.Reply) -> String {
        let files = reply.files.map { Columns.printable($0) }
        let rest = files.isEmpty ? [] : ["these files stay:"] + files.map { "  \($0)" }
        return (["removed \(name(reply.feed))"] + rest).joined(separator: "\n")
    }

    /// `added The Podcast: 12 episodes`
    static func added(_ reply: AddFeed.Reply) -> String {
        "added \(name(reply.feed)): \(count(reply.report.new, "episode"))"
    }

    /// `added 3 feeds; 'undersong feed refresh' reads them`
    static func imported(_ list: FeedList) -> String {
        let number = list.feeds.count
        guard number > 0 else { return "no new feeds" }
        return "added \(count(number, "feed")); 'undersong feed refresh' reads them"
    }

    /// `2 new episodes`, and a line for each feed that was not read.
    static func refreshed(_ report: FeedReport) -> String {
        func lines(_ problems: [FeedReport.Problem], _ text: String) -> [String] {
            problems.map { "feed \($0.feed) \(text): \(Columns.printable($0.reason))" }
        }
        let summary = report.new == 0 ? "no new episodes" : count(report.new, "new episode")
        return
            ([summary] + lines(report.failed, "cannot be read")
            + lines(report.skipped, "was not read")).joined(separator: "\n")
    }

    /// `12  2026-11-24  downloaded  The Title`
    static func episodes(_ episodes: [Episode], of count: Int) -> String {
        guard !episodes.isEmpty else { return "no episodes" }
        let numbers = Columns.rightAligned(episodes.map { String($0.id) })
        let dates = Columns.aligned(
            episodes.map {
                $0.published.map { CalendarDate(secondsSince1970: $0).text.prefix(10) + "  " } ?? ""
            })
        let states = Columns.aligned(episodes.map { text($0.state) })
        let lines = episodes.indices.map { place in
            let problem = episodes[place].problem.map { ": \(Columns.printable($0))" } ?? ""
            return "\(numbers[place])  \(dates[place])\(states[place])  "
                + Columns.printable(episodes[place].title) + problem
        }
        let more = count - episodes.count
        return (lines + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
    }

    private static func name(_ feed: Feed) -> String { Columns.printable(feed.title ?? feed.url) }

    /// `newest:3, keep 5, queue end`
    private static func policy(_ feed: Feed) -> String {
        let policy = feed.policy
        let queue = policy.queue == .none ? "" : ", queue \(policy.queue.rawValue)"
        let problem = feed.problem.map { ", cannot be read: \(Columns.printable($0))" } ?? ""
        return "\(policy.auto.rawValue), keep \(policy.keep.rawValue)\(queue)\(problem)"
    }

    private static func text(_ state: EpisodeState) -> String {
        switch state {
        case .available, .downloaded, .failed, .removed: state.rawValue
        case .wanted: "on its way"
        case .notPlayable: "not playable"
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}

import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// Formats feeds and episodes.
enum FeedText {
    /// `1  The Podcast  newest:3, keep 5, queue end`
    static func feeds(_ reply: ManageFeeds.Reply) -> String {
        let feeds = reply.feeds ?? []
        guard !feeds.isEmpty else { return "no feeds" }
        let numbers = aligned(feeds.map { String($0.id) }, isLeading: true)
        let names = aligned(feeds.map { Columns.printable($0.title ?? $0.url) })
        return feeds.indices.map { "\(numbers[$0])  \(names[$0])  \(policy(feeds[$0]))" }
            .joined(separator: "\n")
    }

    /// `removed The Podcast`, and a line for each file that stays.
    static func removed(_ reply: ManageFeeds.Reply) -> String {
        let files = (reply.files ?? []).map { Columns.printable($0) }
        let rest = files.isEmpty ? [] : ["these files stay:"] + files.map { "  \($0)" }
        return (["removed \(names(reply))"] + rest).joined(separator: "\n")
    }

    /// `added The Podcast: 12 episodes`
    static func added(_ reply: ManageFeeds.Reply) -> String {
        "added \(names(reply)): \(count(reply.new ?? 0, "episode"))"
    }

    /// `added 3 feeds; 'undersong feed refresh' reads them`
    static func imported(_ reply: ManageFeeds.Reply) -> String {
        let number = reply.feeds?.count ?? 0
        guard number > 0 else { return "no new feeds" }
        return "added \(count(number, "feed")); 'undersong feed refresh' reads them"
    }

    /// `2 new episodes`, and a line for each feed that was not read.
    static func refreshed(_ reply: ManageFeeds.Reply) -> String {
        let new = reply.new ?? 0
        let problems = (reply.problems ?? []).map { problem in
            "feed \(problem.feed) \(problem.skipped == nil ? "cannot be read" : "was not read"): "
                + Columns.printable(problem.reason)
        }
        let summary = new == 0 ? "no new episodes" : count(new, "new episode")
        return ([summary] + problems).joined(separator: "\n")
    }

    /// `12  2026-11-24  downloaded  The Title`
    static func episodes(_ reply: ManageFeeds.Reply) -> String {
        let episodes = reply.episodes ?? []
        guard !episodes.isEmpty else { return "no episodes" }
        let numbers = aligned(episodes.map { String($0.id) }, isLeading: true)
        let dates = aligned(
            episodes.map {
                $0.published.map { CalendarDate(secondsSince1970: $0).text.prefix(10) + "  " } ?? ""
            })
        let states = aligned(episodes.map { state($0.state) })
        let lines = episodes.indices.map { place in
            let problem = episodes[place].problem.map { ": \(Columns.printable($0))" } ?? ""
            return "\(numbers[place])  \(dates[place])\(states[place])  "
                + Columns.printable(episodes[place].title) + problem
        }
        let more = (reply.count ?? episodes.count) - episodes.count
        return (lines + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
    }

    /// The titles of the feeds.
    static func names(_ reply: ManageFeeds.Reply) -> String {
        (reply.feeds ?? []).map { Columns.printable($0.title ?? $0.url) }.joined(separator: ", ")
    }

    /// `newest:3, keep 5, queue end`
    private static func policy(_ feed: FeedStatus) -> String {
        let keep = feed.keep.map { "keep \($0)" } ?? feed.keepDays.map { "keep \($0)d" }
        let queue = feed.queue == "none" ? "" : ", queue \(feed.queue)"
        let problem = feed.problem.map { ", cannot be read: \(Columns.printable($0))" } ?? ""
        return "\(feed.auto), \(keep ?? "keep all")\(queue)\(problem)"
    }

    /// Texts of the same width.
    private static func aligned(_ texts: [String], isLeading: Bool = false) -> [String] {
        let width = texts.map { Columns.width(of: $0) }.max() ?? 0
        return texts.map { text in
            let gap = String(repeating: " ", count: width - Columns.width(of: text))
            return isLeading ? gap + text : text + gap
        }
    }

    private static func state(_ name: String) -> String {
        switch name {
        case "wanted": "on its way"
        case "notPlayable": "not playable"
        default: name
        }
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}

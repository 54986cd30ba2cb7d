import CommandOptions
import Control

/// Formats feeds and episodes.
enum FeedText {
    /// `1  The Podcast  newest:3, keep 5, queue end`
    static func feeds(_ reply: ManageFeeds.Reply) -> String {
        let feeds = reply.feeds ?? []
        return feeds.isEmpty ? "no feeds" : feeds.map(line).joined(separator: "\n")
    }

    /// `added The Podcast: 12 episodes`
    static func added(_ reply: ManageFeeds.Reply) -> String {
        "added \(names(reply)): \(count(reply.new ?? 0, "episode"))"
    }

    /// `added 3 feeds; undersong feed refresh reads them`
    static func imported(_ reply: ManageFeeds.Reply) -> String {
        let number = reply.feeds?.count ?? 0
        guard number > 0 else { return "no new feeds" }
        return "added \(count(number, "feed")); undersong feed refresh reads them"
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

    /// `12  downloaded  The Title`
    static func episodes(_ reply: ManageFeeds.Reply) -> String {
        let episodes = reply.episodes ?? []
        guard !episodes.isEmpty else { return "no episodes" }
        let lines = episodes.map { episode in
            let problem = episode.problem.map { ": \(Columns.printable($0))" } ?? ""
            return "\(episode.id)  \(state(episode.state))\(problem)  "
                + Columns.printable(episode.title)
        }
        let more = (reply.count ?? episodes.count) - episodes.count
        return (lines + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
    }

    /// The titles of the feeds.
    static func names(_ reply: ManageFeeds.Reply) -> String {
        (reply.feeds ?? []).map { Columns.printable($0.title ?? $0.url) }.joined(separator: ", ")
    }

    private static func line(_ feed: FeedStatus) -> String {
        let keep = feed.keep.map { "keep \($0)" } ?? "keep all"
        let queue = feed.queue == "none" ? "" : ", queue \(feed.queue)"
        let problem = feed.problem.map { ", cannot be read: \(Columns.printable($0))" } ?? ""
        return "\(feed.id)  \(Columns.printable(feed.title ?? feed.url))  "
            + "\(feed.auto), \(keep)\(queue)\(problem)"
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

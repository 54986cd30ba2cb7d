import UndersongBase

/// Decides when and how a feed is requested, and judges the answers. All times are seconds since
/// 1970.
package struct FeedPlan: Hashable, Sendable {
    /// The reason feeds are read.
    package enum Cause: Hashable, Sendable {
        /// The user or a program asks.
        case command
        /// The schedule asks.
        case schedule
    }

    /// The least time between two automatic requests.
    package static let shortestInterval = 15.0 * 60
    /// A feed is read at least this often, whatever it says, if reading happens at all.
    package static let longestInterval = 24.0 * 3600
    /// The delays after failures.
    private static let retryDelays = Backoff(seconds: shortestInterval...longestInterval)
    private static let longestServerDelay = 7.0 * 86400

    package private(set) var feed: Feed

    package init(_ feed: Feed) { self.feed = feed }

    // MARK: Requests

    /// Returns the reason not to request the feed at `now`; nil if it is to be requested.
    package func obstacle(_ cause: Cause, at now: Double) -> String? {
        if feed.isGone, cause == .schedule { return "the server has said that it is gone" }
        if now < feed.notBefore {
            return "the server has asked to wait \(Int((feed.notBefore - now).rounded(.up))) s"
        }
        guard cause == .schedule else { return nil }
        if now < feed.nextDue { return "it was read a short time ago" }
        return isSkipped(now) ? "it asks not to be read at this hour" : nil
    }

    /// The request. The validators are the server's own, byte for byte: its tag, else its date.
    package var request: FetchDocument {
        FetchDocument(
            url: feed.url, etag: feed.etag, modified: feed.etag == nil ? feed.modified : nil)
    }

    /// Returns true if the feed asks not to be read at `time`.
    private func isSkipped(_ time: Double) -> Bool {
        let hour = Int((time / 3600).rounded(.down))
        let day = Int((time / 86400).rounded(.down))
        return feed.skippedHours >> UInt32(((hour % 24) + 24) % 24) & 1 == 1
            // 1 January 1970 was a Thursday.
            || feed.skippedDays >> UInt8((((day + 4) % 7) + 7) % 7) & 1 == 1
    }

    // MARK: Answers

    /// Returns the outcome of an answer at `now`, with `newCount` new episodes in it. The feed
    /// changes only in `nextDue` if the server has nothing new: that is not worth keeping.
    package mutating func judge(
        _ response: FeedResponse, newCount: Int, at now: Double
    ) -> Feed.Result {
        let answer = response.answer
        switch answer.status {
        case 200?, 203?: return judgeDocument(response, newCount, now)
        case 304?:
            guard feed.etag != nil || feed.modified != nil else {
                return fail("The server answered 304 without being asked what is new", answer, now)
            }
            follow(answer.movedTo)
            if feed.failures > 0 { feed.result = .noData }
            succeed(answer, now)
            return .noData
        case 410?:
            feed.isGone = true
            return fail("The server has said that it is gone", answer, now)
        case let status?: return fail("The server answered \(status)", answer, now)
        case nil: return fail(answer.reason ?? "No server answered", answer, now)
        }
    }

    private mutating func judgeDocument(
        _ response: FeedResponse, _ newCount: Int, _ now: Double
    ) -> Feed.Result {
        let answer = response.answer
        switch response.document {
        case .refused(let error)?: return fail(error.reason, answer, now)
        case nil: return fail("It is empty", answer, now)
        case .feed(let head)?:
            follow(answer.movedTo)
            feed.etag = answer.etag
            feed.modified = answer.modified
            apply(head)
            feed.result = newCount > 0 ? .newData : .noData
            succeed(answer, now)
            return newCount > 0 ? .newData : .noData
        }
    }

    private mutating func apply(_ head: FeedHead) {
        feed.title = head.title ?? feed.title
        (feed.skippedHours, feed.skippedDays) = (head.skippedHours, head.skippedDays)
        feed.timeToLive = min((head.minutesToLive ?? 0) * 60, Self.longestInterval)
        // A feed that asks to be read nowhere and never is not believed.
        if feed.skippedHours & 0xff_ffff == 0xff_ffff { feed.skippedHours = 0 }
        if feed.skippedDays & 0x7f == 0x7f { feed.skippedDays = 0 }
    }

    private mutating func follow(_ url: String?) { feed.url = url ?? feed.url }

    private mutating func succeed(_ answer: DocumentAnswer, _ now: Double) {
        (feed.failures, feed.problem, feed.isGone, feed.notBefore) = (0, nil, false, 0)
        let age = Self.maximumAge(answer.cacheControl) ?? 0
        let interval = max(Self.shortestInterval, feed.timeToLive, age)
        feed.nextDue = now + min(interval, Self.longestInterval)
    }

    private mutating func fail(
        _ problem: String, _ answer: DocumentAnswer, _ now: Double
    ) -> Feed.Result {
        feed.failures += 1
        feed.problem = problem
        feed.result = .failed
        feed.nextDue = now + Self.retryDelays.delay(after: feed.failures - 1)
        if let asked = answer.retryAfter {
            feed.notBefore = now + min(asked, Self.longestServerDelay)
            feed.nextDue = max(feed.nextDue, feed.notBefore)
        }
        return .failed
    }

    /// The seconds of `max-age`.
    static func maximumAge(_ text: String?) -> Double? {
        for part in (text ?? "").split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, FeedText.trimmed(pair[0]).lowercased() == "max-age" else {
                continue
            }
            let number = FeedText.trimmed(pair[1]).filter { $0 != "\"" }
            return Double(number).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        }
        return nil
    }
}

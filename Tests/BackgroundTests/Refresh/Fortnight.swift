import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongPodcasts

/// Twenty feeds that publish, and what a program that reads them has got and spent.
final class FeedShelf {
    /// An episode, in seconds since 1970.
    struct Episode {
        let feed: Int
        let published: Double
        /// When its file was there; nil if it is not.
        var available: Double?
    }

    private static let documentBytes = 200_000.0
    private static let unchangedBytes = 500.0
    private static let episodeBytes = 40e6
    /// Seconds from reading a feed to the whole episode.
    private static let transferSeconds = 60.0

    private(set) var episodes: [Episode]
    private var feeds: [Feed]
    private var known: [Int]
    /// Episodes that wait for a network that costs nothing.
    private var waiting: [Int] = []
    private(set) var reads: [Double] = []
    private(set) var requests = 0
    private(set) var feedBytes = 0.0
    private(set) var meteredBytes = 0.0

    /// Six feeds with an episode each working day, ten with one each week, four with two in a
    /// month, for so many days after `start`.
    init(from start: Double, days: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let day = RefreshStage.day
        var episodes: [Episode] = []
        for feed in 0..<20 {
            let hour = [5.5, 6, 12, 17.5][feed % 4]
            var times: [Double] = []
            switch feed {
            case 0..<6:
                times = (0..<days).filter { $0 % 7 < 5 }.map { Double($0) * day + 5.5 * 3600 }
            case 6..<16:
                times = (0..<days).filter { $0 % 7 == feed % 7 }
                    .map { Double($0) * day + hour * 3600 }
            default:
                times = (0..<(days / 14)).map {
                    (Double($0) * 14 + Double.random(in: 0..<14, using: &generator)) * day
                }
            }
            episodes += times.map {
                let published = start + $0 + Double.random(in: 0..<600, using: &generator)
                return Episode(feed: feed, published: published)
            }
        }
        self.episodes = episodes.sorted { $0.published < $1.published }
        feeds = (0..<20).map { Feed(id: $0, url: "https://\($0).example/feed") }
        known = Array(repeating: 0, count: 20)
    }

    /// The time of the last read; nil before the first.
    var lastRead: Double? { reads.last }

    /// The network costs nothing any more, or again.
    func setMetered(_ isMetered: Bool, at time: Double) {
        guard !isMetered else { return }
        for index in waiting { episodes[index].available = time + Self.transferSeconds }
        waiting = []
    }

    /// Reads all feeds, or by `FeedPlan` those for which it is time. Returns how many episodes were
    /// new, and when the latest of them appeared.
    func read(
        at time: Double, isMetered: Bool, byPlan: Bool, isConditional: Bool = true
    ) -> (new: Int, published: Double?) {
        reads.append(time)
        var (new, published) = (0, nil as Double?)
        for feed in feeds.indices {
            var plan = FeedPlan(feeds[feed])
            if byPlan, plan.obstacle(.schedule, at: time) != nil { continue }
            let found = episodes.indices.filter {
                episodes[$0].feed == feed && episodes[$0].published <= time
            }
            let count = found.count - known[feed]
            let isChanged = count > 0 || plan.feed.etag == nil
            var answer = DocumentAnswer(status: isChanged ? 200 : 304)
            answer.etag = "\"\(found.count)\""
            let response = FeedResponse(answer, isChanged ? .feed(FeedHead()) : nil)
            _ = plan.judge(response, newCount: count, at: time)
            feeds[feed] = plan.feed
            requests += 1
            let bytes = count > 0 || !isConditional ? Self.documentBytes : Self.unchangedBytes
            feedBytes += bytes
            if isMetered { meteredBytes += bytes }
            for index in found.suffix(count) {
                published = max(published ?? 0, episodes[index].published)
                if isMetered {
                    waiting.append(index)
                } else {
                    episodes[index].available = time + Self.transferSeconds
                }
            }
            new += count
            known[feed] = found.count
        }
        return (new, published)
    }
}

/// The benefit for a listener: the episodes that were there when they were wanted.
struct FortnightResult {
    /// At each opening, how old the last look at the feeds was, in seconds.
    private(set) var ages: [Double] = []
    /// At each opening, the episodes that had appeared and were not there.
    private(set) var missing: [Int] = []
    /// The delay of each episode from its publication, in seconds.
    private(set) var delays: [Double] = []
    var reads = 0
    var requests = 0
    var feedBytes = 0.0
    var meteredBytes = 0.0

    mutating func countOpening(_ shelf: FeedShelf, at time: Double) {
        ages.append(shelf.lastRead.map { time - $0 } ?? .infinity)
        missing.append(
            shelf.episodes.count { episode in
                episode.published <= time && (episode.available.map { $0 > time } ?? true)
            })
    }

    mutating func countEnd(_ shelf: FeedShelf, from start: Double, to end: Double) {
        let measured = shelf.episodes.filter { $0.published >= start && $0.published < end - 86400 }
        delays = measured.map { ($0.available ?? end) - $0.published }
        reads = shelf.reads.count { $0 >= start }
    }

    var missed: Int { missing.reduce(0, +) }

    /// The share of openings before which the feeds were read within the hour.
    var freshShare: Double { Double(ages.count { $0 <= 3600 }) / Double(ages.count) }

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// A row of a table: reads, requests, bytes of feeds and of them metered, age at an opening,
    /// missing episodes, delay.
    func row(_ name: String) -> String {
        let numbers = [
            "\(reads)", "\(requests)", Self.text(feedBytes / 1e6), Self.text(meteredBytes / 1e6),
            Self.text(Self.median(ages) / 60), Self.text(freshShare * 100), "\(missed)",
            Self.text(Self.median(delays) / 3600), Self.text((delays.max() ?? 0) / 3600),
        ]
        return "| \(name) | " + numbers.joined(separator: " | ") + " |"
    }

    private static func text(_ number: Double) -> String { String((number * 10).rounded() / 10) }
}

/// A listener's days: a laptop that sleeps most of the time, a player that is opened twice a day,
/// and one evening on a network that costs money.
struct ListenerDays {
    enum Event { case wakes, sleeps, opens, metered, unmetered }

    static let trained = 14
    static let measured = 14
    /// Wednesday of the second measured week.
    private static let meteredDay = trained + 9

    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// The events of a day, in seconds since its midnight.
    mutating func events(of day: Int) -> [(time: Double, event: Event)] {
        let isWeekend = day % 7 >= 5
        var events: [(time: Double, event: Event)] =
            isWeekend
            ? [
                (9, .wakes), (10 + around(0.4), .opens), (19 + around(0.4), .opens), (22, .sleeps),
            ]
            : [
                (6.75, .wakes), (7.5 + around(0.17), .opens), (8.25, .sleeps), (18, .wakes),
                (20 + around(0.3), .opens), (23, .sleeps),
            ]
        if day == Self.meteredDay { events += [(18, .metered), (23, .unmetered)] }
        return events.map { ($0.time * 3600, $0.event) }.sorted { $0.time < $1.time }
    }

    private mutating func around(_ hours: Double) -> Double {
        Double.random(in: -hours...hours, using: &generator)
    }
}

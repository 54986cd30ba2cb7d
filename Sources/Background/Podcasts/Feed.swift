/// A podcast that is subscribed to, with what the next request needs. All times are seconds since
/// 1970.
package struct Feed: Hashable, Sendable {
    /// What happens with new episodes.
    package struct Policy: Hashable, Sendable {
        /// A choice of episodes.
        package enum Automatic: Hashable, Sendable {
            case none
            case all
            /// The latest ones, at most so many.
            case newest(Int)

            /// `none`, `all` or `newest:3`.
            package var text: String {
                switch self {
                case .none: "none"
                case .all: "all"
                case .newest(let count): "newest:\(count)"
                }
            }

            /// Nil for anything else, and for a number below 1.
            package init?(text: String) {
                switch text {
                case "none": self = .none
                case "all": self = .all
                default:
                    guard text.hasPrefix("newest:"), let count = Int(text.dropFirst(7)), count > 0
                    else { return nil }
                    self = .newest(count)
                }
            }
        }

        /// How long the file of an episode stays that was heard to its end. The others stay.
        package enum Keep: Hashable, Sendable {
            /// For good.
            case all
            /// As long as it is one of the latest so many downloaded episodes.
            case latest(Int)
            /// So many days after it was heard.
            case days(Int)
        }

        /// Where a downloaded episode joins the queue.
        package enum Place: String, Hashable, Sendable, CaseIterable {
            case end, next, none
        }

        /// Which episodes are downloaded by themselves.
        package var automatic = Automatic.newest(3)
        package var keep = Keep.latest(5)
        package var place = Place.none
        /// The absolute path of the folder for the files; nil for one with the feed's title.
        package var folder: String?

        package init() {}
    }

    /// How the last refresh ended that changed anything.
    package enum Result: String, Hashable, Sendable {
        case newData, noData, failed
    }

    /// Identifies it.
    package var id: Int
    /// Where it is: the URL that was given, or the one to which it has moved for good.
    package var url: String
    package var title: String?
    package var policy = Policy()
    /// The entity tag of the last answer, in the server's own bytes.
    package var etag: String?
    /// The date of the last change, in the server's own words.
    package var modified: String?
    /// Before this time nothing is requested, on anyone's behalf: the server said so.
    package var notBefore = 0.0
    /// Before this time nothing is requested by itself.
    package var nextDue = 0.0
    /// How long an answer is good for, in seconds, as the feed and its server say.
    package var timeToLive = 0.0
    /// The hours of the day, in UTC, and days of the week, from Sunday on, at which the feed asks
    /// not to be read: a bit each.
    package var skippedHours: UInt32 = 0
    package var skippedDays: UInt8 = 0
    /// How many requests have failed in a row.
    package var failures = 0
    /// Whether the server has said that the feed is gone.
    package var isGone = false
    package var result: Result?
    /// Why the last request failed.
    package var problem: String?

    package init(id: Int, url: String) {
        self.id = id
        self.url = url
    }
}

/// An episode of a feed, and what has become of it.
package struct Episode: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        /// It can be downloaded.
        case available
        /// It is to be downloaded, or is on its way.
        case wanted
        /// Its file is there.
        case downloaded
        case failed
        /// Its file was deleted, after it was heard.
        case removed
        /// None of its files is in a format that can be played.
        case notPlayable
    }

    /// Identifies it. Those found later have higher ones, and of those found together the earlier
    /// ones in the feed's order, which has the latest episode first.
    package var id: Int
    /// The feed.
    package var feed: Int
    /// What makes it the same episode in another answer.
    package var key: String
    package var title: String
    /// When it was published, in seconds since 1970; nil if unknown.
    package var published: Double?
    /// The URL of its file.
    package var url: String?
    package var type: String?
    /// In seconds, as the feed says; nil if it does not.
    package var duration: Double?
    package var state: State
    /// The absolute path of the file: where it is to be, or where it is.
    package var path: String?
    /// The number of the transfer.
    package var task: Int?
    /// Why it could not be downloaded.
    package var problem: String?

    package init(id: Int, feed: Int, key: String, title: String, state: State) {
        self.id = id
        self.feed = feed
        self.key = key
        self.title = title
        self.state = state
    }

    /// Whether `self` is later than `other`: by date, or by the order of the feed.
    package func isNewer(than other: Episode) -> Bool {
        let (own, others) = (published ?? -.infinity, other.published ?? -.infinity)
        return own != others ? own > others : id > other.id
    }
}

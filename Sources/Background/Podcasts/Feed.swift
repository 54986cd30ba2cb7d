/// A podcast that is subscribed to, with the data for the next request. All times are seconds since
/// 1970.
package struct Feed: Codable, Hashable, Sendable {
    /// The treatment of new episodes.
    package struct Policy: Codable, Hashable, Sendable {
        /// A choice of episodes: `none`, `all` or `newest:3`.
        package enum Automatic: RawRepresentable, Codable, Hashable, Sendable {
            case none
            case all
            /// The latest ones, at most this number.
            case newest(Int)

            package var rawValue: String {
                switch self {
                case .none: "none"
                case .all: "all"
                case .newest(let count): "newest:\(count)"
                }
            }

            package init?(rawValue text: String) {
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

        /// The time for which the file of an episode stays that was heard to its end: `all`, `5` or
        /// `14d`. The others stay.
        package enum Keep: RawRepresentable, Codable, Hashable, Sendable {
            /// For good.
            case all
            /// The file stays while it is one of this number of latest downloaded episodes.
            case latest(Int)
            /// The file stays for this number of days after it was heard.
            case days(Int)

            package var rawValue: String {
                switch self {
                case .all: "all"
                case .latest(let count): "\(count)"
                case .days(let count): "\(count)d"
                }
            }

            /// A number of 0 means all.
            package init?(rawValue text: String) {
                if text == "all" || text == "0" {
                    self = .all
                } else if text.hasSuffix("d"), let days = Int(text.dropLast()), days > 0 {
                    self = .days(days)
                } else if let count = Int(text), count > 0 {
                    self = .latest(count)
                } else {
                    return nil
                }
            }
        }

        /// The position at which a downloaded episode joins the queue.
        package enum Place: String, Codable, Hashable, Sendable, CaseIterable {
            case end, next, none
        }

        /// A change of a policy: what is nil stays.
        package struct Change: Codable, Hashable, Sendable {
            package var auto: Automatic?
            package var keep: Keep?
            package var queue: Place?
            /// The absolute path of the folder.
            package var folder: String?

            package init() {}
        }

        /// The episodes that are downloaded automatically.
        package var auto = Automatic.newest(3)
        package var keep = Keep.latest(5)
        package var queue = Place.none
        /// The absolute path of the folder for the files; nil for one with the feed's title.
        package var folder: String?

        package init() {}

        package mutating func apply(_ change: Change) {
            auto = change.auto ?? auto
            keep = change.keep ?? keep
            queue = change.queue ?? queue
            folder = change.folder ?? folder
        }
    }

    /// The results of a refresh.
    package enum Result: String, Codable, Hashable, Sendable {
        case newData, noData, failed
    }

    /// Identifies it.
    package var id: Int
    /// The URL of the feed: the one that was given, or the one to which it has moved for good.
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
    /// The seconds for which an answer is good, according to the feed and its server.
    package var timeToLive = 0.0
    /// The hours of the day, in UTC, and days of the week, from Sunday on, at which the feed asks
    /// not to be read: a bit each.
    package var skippedHours: UInt32 = 0
    package var skippedDays: UInt8 = 0
    /// The number of requests in a row that have failed.
    package var failures = 0
    /// True if the server has said that the feed is gone.
    package var isGone = false
    /// The result of the last refresh that changed anything.
    package var result: Result?
    /// The reason the last request failed.
    package var problem: String?

    package init(id: Int, url: String) {
        self.id = id
        self.url = url
    }
}

/// The state of an episode.
public enum EpisodeState: String, Codable, Hashable, Sendable, CaseIterable {
    /// It can be downloaded.
    case available
    /// It is to be downloaded, or is on its way.
    case wanted
    /// Its file is there.
    case downloaded
    /// It could not be downloaded.
    case failed
    /// Its file was deleted, after it was heard.
    case removed
    /// No file of it is in a format that can be played.
    case notPlayable
}

/// An episode of a feed, and what has become of it.
package struct Episode: Codable, Hashable, Sendable {
    /// Identifies it. Those found later have higher ones, and of those found together the earlier
    /// ones in the feed's order, which has the latest episode first.
    package var id: Int
    /// The feed.
    package var feed: Int
    /// The key that makes it the same episode in another answer.
    package var key: String
    package var title: String
    /// The time at which it was published, in seconds since 1970; nil if unknown.
    package var published: Double?
    /// The URL of its file.
    package var url: String?
    package var type: String?
    /// The duration in seconds, according to the feed; nil if it names none.
    package var duration: Double?
    package var state: EpisodeState
    /// The absolute path of the file: where it is to be, or where it is.
    package var path: String?
    /// The number of the transfer.
    package var task: Int?
    /// The reason it could not be downloaded.
    package var problem: String?

    package init(id: Int, feed: Int, key: String, title: String, state: EpisodeState) {
        self.id = id
        self.feed = feed
        self.key = key
        self.title = title
        self.state = state
    }

    /// Returns true if `self` is later than `other`: by date, or by the order of the feed.
    package func isNewer(than other: Episode) -> Bool {
        let (own, others) = (published ?? -.infinity, other.published ?? -.infinity)
        return own != others ? own > others : id > other.id
    }
}

/// A change of an episode, as an event reports it.
public struct EpisodeReport: Codable, Hashable, Sendable {
    /// The episode.
    public var episode: Int
    /// The feed.
    public var feed: Int
    /// The podcast's title, or the feed's URL.
    public var podcast: String
    /// The episode's title.
    public var title: String
    /// The state.
    public var phase: EpisodeState
    /// The absolute path of the file: where it is to be, or where it is.
    public var path: String?
    /// The reason it could not be downloaded.
    public var problem: String?
    /// True if it was found just now, in a feed that had been read before; otherwise nil.
    public var isNew: Bool?

    /// Creates a report.
    package init(_ episode: Episode, of feed: Feed?, isNew: Bool = false) {
        self.episode = episode.id
        self.feed = episode.feed
        podcast = feed?.title ?? feed?.url ?? ""
        title = episode.title
        phase = episode.state
        path = episode.path
        problem = episode.problem
        self.isNew = isNew ? true : nil
    }
}

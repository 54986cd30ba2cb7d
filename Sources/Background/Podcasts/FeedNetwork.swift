/// The result of a request for a feed, with its entries in their order.
package struct FeedResponse: Sendable {
    /// The document of an answer with status 200.
    package enum Document: Hashable, Sendable {
        case feed(FeedHead)
        case refused(FeedError)
    }

    package var answer: DocumentAnswer
    /// The feed that was read; nil if there was no body to read.
    package var document: Document?
    /// The feeds that a web page names, if it was one.
    package var namedFeeds: [String] = []
    package var entries: [FeedEntry]

    package init(
        _ answer: DocumentAnswer, _ document: Document? = nil, entries: [FeedEntry] = []
    ) {
        self.answer = answer
        self.document = document
        self.entries = entries
    }

    /// The URL to which the feed says that it has moved; nil if it has not, or does not say so.
    package var successor: String? {
        guard case .feed(let head)? = document, head.newURL != answer.movedTo else { return nil }
        return head.newURL
    }
}

/// A transfer of an episode's file.
package struct EpisodeTransfer: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case open
        case finished
        /// It has ended without the file, and why.
        case failed(String)
    }

    package var task: Int
    package var url: String
    /// The path at which the file is, or is to be.
    package var path: String
    package var state: State

    package init(task: Int, url: String, path: String, state: State) {
        self.task = task
        self.url = url
        self.path = path
        self.state = state
    }
}

/// The reason something could not be asked of the network.
package enum FeedNetworkError: Error, Hashable, Sendable {
    /// It can be tried again.
    case unavailable(String)
    /// The same request cannot succeed.
    case refused(String)

    package var reason: String {
        switch self {
        case .unavailable(let reason), .refused(let reason): reason
        }
    }
}

/// The network as podcasts need it. Any thread may call it.
package protocol FeedNetwork: AnyObject, Sendable {
    /// Requests a feed and reads it. Never takes longer than `seconds`.
    func fetch(_ request: FetchDocument, within seconds: Double) async -> FeedResponse

    /// Begins the transfer of an episode's file from its URL to its path, whose folder is made if
    /// it is missing. It survives this process, and joins the queue at `place`; with `isBackground`
    /// the user does not wait for it. Returns its number.
    func transfer(
        _ episode: Episode, _ place: Feed.Policy.Place, isBackground: Bool
    ) async throws(FeedNetworkError) -> Int

    /// All transfers, of others too.
    func transfers() async throws(FeedNetworkError) -> [EpisodeTransfer]

    /// All transfers, of others too. From then on `changed` is called with those that change, on any
    /// thread; nil says that no more will be heard of them until the next call.
    func follow(
        _ changed: @escaping @Sendable ([EpisodeTransfer]?) -> Void
    ) async throws(FeedNetworkError) -> [EpisodeTransfer]

    /// Ends transfers that are no longer wanted, and takes them off the list.
    func cancel(_ tasks: [Int]) async

    /// Removes transfers that are over from the list.
    func forget(_ tasks: [Int]) async

    /// Deletes files. Returns the paths at which there is none any more.
    func delete(_ paths: [String]) async -> [String]

    /// Leaves the connection that `follow` has kept.
    func leave()
}

import Podcasts
import Synchronization

/// Feeds and transfers without a network.
final class ScriptedFeedNetwork: FeedNetwork {
    private struct State {
        var answers: [String: @Sendable (FeedRequest) async -> FeedResponse] = [:]
        var requests: [FeedRequest] = []
        var orders: [EpisodeOrder] = []
        var transfers: [EpisodeTransfer] = []
        var forgotten: [Int] = []
        var deleted: [String] = []
        var follower: (@Sendable ([EpisodeTransfer]?) -> Void)?
        var isAway = false
        var refusal: String?
    }

    private let state = Mutex(State())

    var requests: [FeedRequest] { state.withLock(\.requests) }
    var orders: [EpisodeOrder] { state.withLock(\.orders) }
    var forgotten: [Int] { state.withLock(\.forgotten) }
    var deleted: [String] { state.withLock(\.deleted) }
    var isFollowed: Bool { state.withLock { $0.follower != nil } }

    /// Answers requests for `url` from now on.
    func answer(
        _ url: String, _ body: @escaping @Sendable (FeedRequest) async -> FeedResponse
    ) {
        state.withLock { $0.answers[url] = body }
    }

    /// Whether nothing can be asked of it.
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    /// Refuses transfers from now on.
    func refuse(_ reason: String?) { state.withLock { $0.refusal = reason } }

    /// Ends a transfer.
    func end(_ task: Int, _ end: EpisodeTransfer.State) {
        let (changed, follower) = state.withLock { state in
            state.transfers[task - 1].state = end
            return (state.transfers[task - 1], state.follower)
        }
        follower?([changed])
    }

    func fetch(_ request: FeedRequest, within seconds: Double) async -> FeedResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers[request.url]
        }
        return await answer?(request) ?? FeedResponse(FeedAnswer(status: 404))
    }

    func transfer(_ order: EpisodeOrder) async throws(FeedNetworkError) -> Int {
        let result: Result<Int, FeedNetworkError> = state.withLock { state in
            if state.isAway { return .failure(.unavailable("away")) }
            if let refusal = state.refusal { return .failure(.refused(refusal)) }
            state.orders.append(order)
            let task = state.transfers.count + 1
            state.transfers.append(
                EpisodeTransfer(task: task, url: order.url, path: order.path, state: .open))
            return .success(task)
        }
        return try result.get()
    }

    func follow(
        _ changed: @escaping @Sendable ([EpisodeTransfer]?) -> Void
    ) async throws(FeedNetworkError) -> [EpisodeTransfer] {
        let transfers: [EpisodeTransfer]? = state.withLock { state in
            guard !state.isAway else { return nil }
            state.follower = changed
            return state.transfers
        }
        guard let transfers else { throw .unavailable("away") }
        return transfers
    }

    func forget(_ tasks: [Int]) async { state.withLock { $0.forgotten += tasks } }

    func delete(_ paths: [String]) async -> [String] {
        state.withLock { $0.deleted += paths }
        return paths
    }

    func leave() { state.withLock { $0.follower = nil } }
}

extension FeedResponse {
    /// A feed with these episodes, the first of which is the latest.
    init(_ titles: String..., type: String = "audio/mpeg", etag: String? = nil) {
        var head = FeedHead()
        head.title = "The Podcast"
        var answer = FeedAnswer(status: 200)
        answer.document = .feed(head)
        answer.etag = etag
        let entries = titles.map { title in
            var entry = FeedEntry()
            entry.guid = title
            entry.title = title
            entry.enclosures = [Enclosure(url: "http://a/\(title).mp3", type: type)]
            return entry
        }
        self.init(answer, entries: entries)
    }
}

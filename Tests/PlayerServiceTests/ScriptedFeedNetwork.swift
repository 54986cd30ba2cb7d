import Synchronization
import TestSupport
import UndersongPodcasts

@testable import UndersongService

/// Feeds and transfers without a network.
final class ScriptedFeedNetwork: FeedNetwork {
    /// A transfer that was asked for.
    struct Order {
        var title: String
        var path: String
        var place: Feed.Policy.Place
        var isBackground: Bool
    }

    private struct State {
        var answers: [String: @Sendable (FetchDocument) async -> FeedResponse] = [:]
        var requests: [FetchDocument] = []
        var orders: [Order] = []
        var transfers: [EpisodeTransfer] = []
        var forgotten: [Int] = []
        var cancelled: [Int] = []
        var deleted: [String] = []
        var follower: (@Sendable ([EpisodeTransfer]?) -> Void)?
        var isAway = false
        var refusal: String?
        /// The next transfer has this state, and its answer is lost.
        var lost: EpisodeTransfer.State?
        var isListStale = false
        /// An entry that is taken off the list next stays there.
        var keepsNext = false
        var losesNextList = false
        var endsBeforeRefusing = false
        var beforeNext: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    var requests: [FetchDocument] { state.withLock(\.requests) }
    var orders: [Order] { state.withLock(\.orders) }
    var forgotten: [Int] { state.withLock(\.forgotten) }
    var cancelled: [Int] { state.withLock(\.cancelled) }
    var deleted: [String] { state.withLock(\.deleted) }
    var isFollowed: Bool { state.withLock { $0.follower != nil } }

    /// Answers requests for `url` from now on.
    func answer(
        _ url: String, _ body: @escaping @Sendable (FetchDocument) async -> FeedResponse
    ) {
        state.withLock { $0.answers[url] = body }
    }

    /// True if nothing can be asked of it.
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    /// Begins the next transfer without an answer, and forgets it for the next who follows.
    func loseAnswer(_ transfer: EpisodeTransfer.State) {
        state.withLock { ($0.lost, $0.isListStale) = (transfer, true) }
    }

    /// Is gone before it takes the next transfer off the list.
    func loseForgetting() { state.withLock { $0.keepsNext = true } }

    /// Is gone when it is asked next for all transfers.
    func loseList() { state.withLock { $0.losesNextList = true } }

    /// Ends a transfer that is there already, and waits until that is taken in, before it refuses to
    /// begin it again.
    func endBeforeRefusing() { state.withLock { $0.endsBeforeRefusing = true } }

    /// Calls `action` before the next transfer is begun.
    func beforeNext(_ action: @escaping @Sendable () async -> Void) {
        state.withLock { $0.beforeNext = action }
    }

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

    func fetch(_ request: FetchDocument, within seconds: Double) async -> FeedResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers[request.url]
        }
        return await answer?(request) ?? FeedResponse(DocumentAnswer(status: 404))
    }

    func transfer(
        _ episode: Episode, _ place: Feed.Policy.Place, isBackground: Bool
    ) async throws(FeedNetworkError) -> Int {
        await state.withLock { $0.beforeNext.take() }?()
        let path = episode.path ?? ""
        let result: Result<Int, FeedNetworkError> = state.withLock { state in
            if state.isAway { return .failure(.unavailable("away")) }
            if let refusal = state.refusal { return .failure(.refused(refusal)) }
            let isTaken = state.transfers.contains { transfer in
                transfer.path == path && !state.forgotten.contains(transfer.task)
                    && (transfer.state == .open || transfer.state == .finished)
            }
            guard !isTaken else { return .failure(.refused("it is there already")) }
            state.orders.append(
                Order(
                    title: episode.title, path: path, place: place, isBackground: isBackground))
            let task = state.transfers.count + 1
            let lost = state.lost.take()
            state.transfers.append(
                EpisodeTransfer(
                    task: task, url: episode.url ?? "", path: path, state: lost ?? .open))
            return lost == nil ? .success(task) : .failure(.unavailable("lost"))
        }
        if case .failure = result, state.withLock(\.endsBeforeRefusing) {
            end(1, .finished)
            try? await eventually { forgotten == [1] }
        }
        return try result.get()
    }

    func transfers() async throws(FeedNetworkError) -> [EpisodeTransfer] {
        let transfers: [EpisodeTransfer]? = state.withLock { state in
            guard !state.losesNextList else { return nil }
            return state.transfers.filter { !state.forgotten.contains($0.task) }
        }
        guard let transfers else { throw .unavailable("lost") }
        return transfers
    }

    func follow(
        _ changed: @escaping @Sendable ([EpisodeTransfer]?) -> Void
    ) async throws(FeedNetworkError) -> [EpisodeTransfer] {
        let transfers: [EpisodeTransfer]? = state.withLock { state in
            guard !state.isAway else { return nil }
            state.follower = changed
            defer { state.isListStale = false }
            guard !state.isListStale else { return [] }
            return state.transfers.filter { !state.forgotten.contains($0.task) }
        }
        guard let transfers else { throw .unavailable("away") }
        return transfers
    }

    func cancel(_ tasks: [Int]) async { state.withLock { $0.cancelled += tasks } }

    func forget(_ tasks: [Int]) async {
        state.withLock { state in
            if !tasks.isEmpty, state.keepsNext { return state.keepsNext = false }
            state.forgotten += tasks
        }
    }

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
        var answer = DocumentAnswer(status: 200)
        answer.etag = etag
        let entries = titles.map { title in
            var entry = FeedEntry()
            entry.guid = title
            entry.title = title
            entry.enclosures = [Enclosure(url: "http://a/\(title).mp3", type: type)]
            return entry
        }
        self.init(answer, .feed(head), entries: entries)
    }

    /// The same feed, which says that it is at `url` from now on.
    func moved(to url: String) -> FeedResponse {
        guard case .feed(var head)? = document else { return self }
        head.newURL = url
        var moved = self
        moved.document = .feed(head)
        return moved
    }
}

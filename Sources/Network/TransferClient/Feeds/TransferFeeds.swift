import Dispatch
import Glibc
import Synchronization
package import UndersongBase
import UndersongControl
package import UndersongPodcasts
import UndersongTransfers

/// Podcasts by way of `undersong-transferd`: this process has no network. It connects when something
/// is wanted, starts the program if none runs, and leaves it when nothing is under way and nobody
/// follows.
package final class TransferFeeds: FeedNetwork {
    private typealias Fetched = Result<DocumentAnswer, FeedNetworkError>
    private typealias Wait = @Sendable (Fetched) -> Void
    private typealias Follower = @Sendable ([EpisodeTransfer]?) -> Void

    private struct State {
        /// The callers who wait for a document, by its number on the present connection.
        var waiting: [Int: Wait] = [:]
        /// Answers that came before their numbers were known.
        var early: [Int: DocumentAnswer] = [:]
        var follower: Follower?
        /// The number of fetches and calls that are under way.
        var workCount = 0
    }

    private let link: ControlLink
    private let clock: any HostClock
    private let characters: @Sendable (String) -> [Int32]?
    private let state = Mutex(State())
    /// The queue on which feeds are read one by one, so that one is in memory at a time.
    private let reading = DispatchQueue(label: "undersong.feed.reader")

    /// Uses the program at `location`; `name` identifies this process to it. `characters` is as in
    /// `FeedReader.init`.
    package init(
        _ location: TransferLocation, name: String, clock: any HostClock,
        characters: @escaping @Sendable (String) -> [Int32]?
    ) {
        link = ControlLink(location, name: name, clock: clock)
        self.clock = clock
        self.characters = characters
    }

    // MARK: Feeds

    package func fetch(_ request: FetchDocument, within seconds: Double) async -> FeedResponse {
        guard let file = OpenDescriptor(memory: "undersong feed") else {
            return Self.failure(unsafe String(cString: strerror(errno)))
        }
        beginWork()
        defer {
            endWork()
            withExtendedLifetime(file) {}
        }
        switch await document(request, file, within: seconds) {
        case .success(let answer): return await read(answer, file, of: request.url)
        case .failure(let error): return Self.failure(error.reason)
        }
    }

    private static func failure(_ reason: String) -> FeedResponse {
        var answer = DocumentAnswer()
        answer.reason = reason
        return FeedResponse(answer)
    }

    private func document(
        _ request: FetchDocument, _ file: OpenDescriptor, within seconds: Double
    ) async -> Fetched {
        let wait = DocumentWait()
        let timer = clock.wake(after: seconds, leeway: 50_000_000) {
            wait.end(.failure(.unavailable("It took too long")))
        }
        let result = await withCheckedContinuation { continuation in
            wait.begin { continuation.resume(returning: $0) }
            link.send(request, descriptors: [file.number], handlers) { [weak self] result in
                self?.receive(result, wait)
                withExtendedLifetime(file) {}
            }
        }
        timer.cancel()
        if case .failure = result, let id = wait.id { cancel(id) }
        return result
    }

    private func receive(
        _ result: Result<FetchDocument.Reply, ControlError>, _ wait: DocumentWait
    ) {
        switch result {
        case .failure(let error): wait.end(.failure(Self.error(error)))
        case .success(let reply):
            wait.setID(reply.id)
            let early = state.withLock { state in
                let early = state.early.removeValue(forKey: reply.id)
                if early == nil { state.waiting[reply.id] = { wait.end($0) } }
                return early
            }
            if let early { wait.end(.success(early)) }
        }
    }

    private func cancel(_ id: Int) {
        state.withLock { $0.waiting[id] = nil }
        link.connection?.client.send(CancelDocument(id: id))
    }

    /// Reads the body of an answer.
    private func read(
        _ answer: DocumentAnswer, _ file: OpenDescriptor, of url: String
    ) async -> FeedResponse {
        guard answer.status == 200 || answer.status == 203 else { return FeedResponse(answer) }
        let url = answer.url ?? url
        let (document, entries) = await withCheckedContinuation { continuation in
            reading.async { [characters] in
                let reader = FeedReader(at: url, charset: answer.charset, characters: characters)
                continuation.resume(returning: Self.document(in: file.number, by: reader))
            }
        }
        var response = FeedResponse(answer, document, entries: entries)
        if case .refused(let error) = document, error.code == .webPage {
            response.namedFeeds = Self.page(in: file.number, at: url).feeds
        }
        return response
    }

    private static func document(
        in file: Int32, by reader: FeedReader
    ) -> (FeedResponse.Document, [FeedEntry]) {
        var entries: [FeedEntry] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var offset: off_t = 0
        do throws(FeedError) {
            while true {
                let count = unsafe pread(file, &buffer, buffer.count, offset)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { break }
                offset += off_t(count)
                try reader.read(buffer.span.extracting(first: count), into: &entries)
            }
            try reader.finish(into: &entries)
            return (.feed(reader.head), entries)
        } catch {
            return (.refused(error), [])
        }
    }

    private static func page(in file: Int32, at url: String) -> WebPage {
        var bytes = [UInt8](repeating: 0, count: WebPage.limit)
        let count = unsafe pread(file, &bytes, bytes.count, 0)
        return WebPage(bytes.prefix(max(0, count)), at: url)
    }

    // MARK: Transfers

    package func transfer(
        _ episode: Episode, _ place: Feed.Policy.Place, isBackground: Bool
    ) async throws(FeedNetworkError) -> Int {
        guard let url = episode.url, let path = episode.path else {
            throw .refused("It has no file")
        }
        var call = AddTransfer(url: url, to: path)
        call.label = episode.title
        call.audio = true
        call.makesFolder = true
        call.background = isBackground ? true : nil
        switch place {
        case .end: call.queue = .end
        case .next: call.queue = .next
        case .none: break
        }
        return try await ask(call).id
    }

    package func transfers() async throws(FeedNetworkError) -> [EpisodeTransfer] {
        var all: [EpisodeTransfer] = []
        while true {
            let page = try await ask(ListTransfers(offset: all.count)).transfers
            all += page.map { EpisodeTransfer($0) }
            guard page.count == ListTransfers.limit else { return all }
        }
    }

    package func follow(
        _ changed: @escaping @Sendable ([EpisodeTransfer]?) -> Void
    ) async throws(FeedNetworkError) -> [EpisodeTransfer] {
        state.withLock { $0.follower = changed }
        do throws(FeedNetworkError) {
            return try await ask(FollowTransfers()).transfers.map { EpisodeTransfer($0) }
        } catch {
            leave()
            throw error
        }
    }

    package func cancel(_ tasks: [Int]) async {
        guard !tasks.isEmpty else { return }
        _ = try? await ask(CancelTransfers(ids: tasks))
        await forget(tasks)
    }

    package func forget(_ tasks: [Int]) async {
        guard !tasks.isEmpty else { return }
        _ = try? await ask(RemoveTransfers(ids: tasks))
    }

    package func delete(_ paths: [String]) async -> [String] {
        guard !paths.isEmpty else { return [] }
        return (try? await ask(DeleteFiles(paths: paths)).deleted) ?? []
    }

    package func leave() {
        state.withLock { $0.follower = nil }
        leaveIfIdle()
    }

    // MARK: The connection

    private func beginWork() { state.withLock { $0.workCount += 1 } }

    private func endWork() {
        state.withLock { $0.workCount -= 1 }
        leaveIfIdle()
    }

    private func leaveIfIdle() {
        link.close(unless: {
            state.withLock { state in
                let isWanted = state.workCount > 0 || state.follower != nil
                if !isWanted { state.early = [:] }
                return isWanted
            }
        })
    }

    private func ask<Call: ControlCall>(_ call: Call) async throws(FeedNetworkError) -> Call.Reply {
        beginWork()
        defer { endWork() }
        do throws(ControlError) {
            return try await link.call(call, handlers)
        } catch {
            throw Self.error(error)
        }
    }

    private var handlers: ControlLink.Handlers {
        ControlLink.Handlers(
            notice: { [weak self] message, _ in self?.receive(message) },
            ended: { [weak self] error, wasOpen in
                if wasOpen { self?.lost(error) }
                return nil
            })
    }

    private func receive(_ message: ControlNoticeMessage) {
        if message.method == DocumentFetched.method,
            let fetched = try? message.decode(DocumentFetched.self)
        {
            let waiting = state.withLock { state in
                let waiting = state.waiting.removeValue(forKey: fetched.id)
                if waiting == nil { state.early[fetched.id] = fetched.answer }
                return waiting
            }
            waiting?(.success(fetched.answer))
        } else if message.method == TransfersChanged.method,
            let changed = try? message.decode(TransfersChanged.self)
        {
            state.withLock(\.follower)?(changed.transfers.map { EpisodeTransfer($0) })
        }
    }

    private func lost(_ error: ControlError) {
        let (waiting, follower) = state.withLock { state -> ([Wait], Follower?) in
            defer { (state.waiting, state.early, state.follower) = ([:], [:], nil) }
            return (state.waiting.values.map { $0 }, state.follower)
        }
        for wait in waiting { wait(.failure(.unavailable(error.message))) }
        follower?(nil)
    }

    private static func error(_ error: ControlError) -> FeedNetworkError {
        switch error.code {
        case .unavailable, .internalError: .unavailable(error.message)
        default: .refused(error.message)
        }
    }
}

/// A document that somebody waits for, until it or a failure comes.
private final class DocumentWait: Sendable {
    private struct State {
        var id: Int?
        var completion: (@Sendable (Result<DocumentAnswer, FeedNetworkError>) -> Void)?
    }

    private let state = Mutex(State())

    var id: Int? { state.withLock(\.id) }

    func begin(
        _ completion: @escaping @Sendable (Result<DocumentAnswer, FeedNetworkError>) -> Void
    ) {
        state.withLock { $0.completion = completion }
    }

    func setID(_ id: Int) { state.withLock { $0.id = id } }

    func end(_ result: Result<DocumentAnswer, FeedNetworkError>) {
        state.withLock { $0.completion.take() }?(result)
    }
}

extension EpisodeTransfer {
    fileprivate init(_ status: TransferStatus) {
        let state: State =
            switch status.state {
            case .finished: status.isOver ? .finished : .open
            case .failed: .failed(status.reason ?? "It failed")
            case .cancelled: .failed("It was cancelled")
            case .waiting, .connecting, .receiving, .verifying: .open
            }
        self.init(task: status.id, url: status.url, path: status.path, state: state)
    }
}

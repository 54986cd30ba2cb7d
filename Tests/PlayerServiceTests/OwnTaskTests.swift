import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback
import UndersongPodcasts

@testable import UndersongService

/// The service's own work in the background.
@Suite struct `The service's own background task` {
    private static let analysis = "net.undersong.analysis"

    @Test func `The service's own background task reads the feeds and says how much is new`()
        async throws
    {
        let desk = try Desk()
        let podcasts = try await desk.podcasts
        let url = "http://a/feed"
        desk.network.answer(url) { request in
            var response =
                request.etag == nil
                ? FeedResponse("a", etag: "\"1\"") : FeedResponse("b", "a", etag: "\"2\"")
            response.answer.length = 12_345
            return response
        }
        _ = try await podcasts.add(url, Feed.Policy())
        let client = Listener()
        await desk.service.connect(client)

        _ = try await desk.service.runRefresh(nil, .fetch, .command, for: client.id)
        let run = try #require(await client.refreshes.first { _ in true })

        #expect(run.kind == .fetch && run.result == .newData && run.new == 1)
        #expect(run.bytes == 12_345)
        #expect(desk.network.orders.map(\.title) == ["a", "b"])
        #expect(await desk.service.refreshStatus(limit: 1).badge == 1)
    }

    @Test func `The service's own background task fails if no feed can be read`() async throws {
        let desk = try Desk()
        let podcasts = try await desk.podcasts
        desk.network.answer("http://a/feed") { request in
            request.etag == nil
                ? FeedResponse("a", etag: "\"1\"") : FeedResponse(DocumentAnswer(status: 500))
        }
        _ = try await podcasts.add("http://a/feed", Feed.Policy())
        let client = Listener()
        await desk.service.connect(client)

        _ = try await desk.service.runRefresh(nil, .fetch, .command, for: client.id)
        let run = try #require(await client.refreshes.first { _ in true })

        #expect(run.result == .failed && run.new == 0)
    }

    @Test func `The service analyzes files once that is declared and permitted, and a day later`()
        async throws
    {
        let processing = ScriptedProcessing()
        // No time passes: it runs only when it is asked to.
        let desk = try Desk(clock: ManualClock(), processing: processing)
        let client = Listener()
        await desk.service.connect(client)
        #expect(await pending(desk) == nil)

        _ = try await desk.service.declare(.processing, isDeclared: true)
        #expect(await pending(desk) == nil)
        _ = try await desk.service.permit(Self.analysis, isPermitted: true)
        let first = try #require(await pending(desk))
        _ = try await desk.service.runRefresh(
            Self.analysis, .processing, .simulate, for: client.id)
        let run = try #require(await client.refreshes.first { _ in true })
        let second = try #require(await pending(desk))

        #expect(first.requiresExternalPower && first.earliestBeginDate == nil)
        #expect(run.result == .done && run.new == 2)
        #expect(processing.runCount == 1)
        #expect(second.earliestBeginDate == run.began + 72_000)
    }

    @Test func `The service's own background task stops analyzing when its time is over`()
        async throws
    {
        let processing = ScriptedProcessing(isEndless: true)
        // No time passes: it ends because it is asked to.
        let desk = try Desk(clock: ManualClock(), processing: processing)
        let client = Listener()
        await desk.service.connect(client)
        _ = try await desk.service.declare(.processing, isDeclared: true)
        _ = try await desk.service.permit(Self.analysis, isPermitted: true)
        _ = try await desk.service.runRefresh(
            Self.analysis, .processing, .simulate, for: client.id)

        try await desk.service.expireRefresh(Self.analysis, by: client.id)
        let run = try #require(await client.refreshes.first { _ in true })

        #expect(run.result == .failed)
    }

    private func pending(_ desk: Desk) async -> RefreshRequest? {
        await desk.service.refreshStatus(limit: 0).pending
            .first { $0.identifier == Self.analysis }?.request
    }
}

/// Analyzes two files at once, or none until it is cancelled.
private final class ScriptedProcessing: FileProcessing {
    private let isEndless: Bool
    private let runs = Mutex(0)

    init(isEndless: Bool = false) { self.isEndless = isEndless }

    var runCount: Int { runs.withLock { $0 } }

    func run(
        _ files: [FilePath]?, onNotice: @escaping @Sendable (AnalysisNotice) -> Void
    ) async -> AnalysisReport {
        runs.withLock { $0 += 1 }
        var report = AnalysisReport()
        if isEndless {
            let (stream, _) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            report.outcome = .expired
            return report
        }
        report.analyzed = 2
        return report
    }
}

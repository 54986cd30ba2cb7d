import BackgroundTransfer
import Foundation
import TestSupport
import Testing
import UIKit

@testable import UndersongExamples

private typealias Server = ScriptedHTTPServer

/// The application delegate with both kinds of sessions.
@Suite(.blockingThreads) struct `A podcast application` {
    private static let file = bytes(200_000)

    /// The delegate with the folders of `bench`, and a server.
    @MainActor private func delegate(_ bench: SessionBench, _ server: Server) throws
        -> PodcastAppDelegate
    {
        let delegate = PodcastAppDelegate()
        delegate.server = try #require(URL(string: server.url("")))
        delegate.library = EpisodeLibrary(folder: bench.url)
        delegate.service = bench.location
        return delegate
    }

    @Test func `An application fetches with a data task`() async throws {
        let server = try Server { request in
            var response = Server.Response()
            response.status = request.number < 4 ? 200 : 500
            response.body = Array("feed \(request.number / 3)".utf8)
            return response
        }
        let bench = try SessionBench()
        let application = try await delegate(bench, server)

        var results: [UIBackgroundFetchResult] = []
        for _ in 0..<4 {
            results.append(
                await withCheckedContinuation { continuation in
                    Task { @MainActor in
                        application.application(
                            .shared,
                            performFetchWithCompletionHandler: {
                                continuation.resume(returning: $0)
                            })
                    }
                })
        }

        #expect(results == [.newData, .noData, .newData, .failed])
        #expect(server.requests.map(\.path) == Array(repeating: "/feed", count: 4))
        #expect(server.requests.first?.fields["cache-control"] == "no-cache")
    }

    @Test(.rule("J13"))
    func `An application downloads what a push announces, and calls its session's handler`()
        async throws
    {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let bench = try SessionBench()
        let application = try await delegate(bench, server)
        let calls = Inbox<String>()

        await MainActor.run {
            application.application(
                .shared, handleEventsForBackgroundURLSession: PodcastAppDelegate.sessionIdentifier,
                completionHandler: { calls.put("finished") })
            application.application(
                .shared, didReceiveRemoteNotification: ["content-id": 42],
                fetchCompletionHandler: { calls.put("push \($0 == .newData)") })
        }

        #expect(try calls.next() == "push true")
        let path = bench.url.appending(path: "Podcast Episode 42.mp3")
        try waitUntil { (try? Data(contentsOf: path)) == Data(Self.file) }
        #expect(server.requests.map(\.path) == ["/42"])
        await MainActor.run {
            let session = application.backgroundSession
            for _ in 0..<2 {
                application.urlSessionDidFinishEvents(forBackgroundURLSession: session)
            }
            session.invalidateAndCancel()
        }
        #expect(calls.rest == ["finished"])
        let session = await application.backgroundSession
        try waitUntil { session.delegate == nil }
    }
}

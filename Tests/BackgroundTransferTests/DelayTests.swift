import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongAppHost
import UndersongControl
import UndersongTransfers

@testable import UndersongBackgroundTransfer

private typealias Server = ScriptedHTTPServer

/// The questions and wakes of a background session's host.
@Suite(.blockingThreads) struct `A host of a background session` {
    private static let file = bytes(100_000)
    private let bench: SessionBench

    init() throws { bench = try SessionBench() }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func `A delayed request is sent, replaced or cancelled, as the delegate says`() throws {
        let server = try Server { Server.Response(file: Array($0.path.utf8), to: $0) }
        let replacement = URLRequest(url: try url(server.url("/new")))
        let late = Latecomer([
            (.continueLoading, nil), (.useNewRequest, replacement), (.cancel, nil),
        ])
        let session = URLSession(
            bench.configuration(), late, nil, host: HostStateBroadcaster(),
            board: BackgroundSessionBoard())
        for _ in 0..<3 {
            let begin = Date(timeIntervalSinceNow: 0.5)
            let task = session.downloadTask(with: try url(server.url("/old")))
            task.earliestBeginDate = begin
            task.resume()
            _ = try late.ends.next()
            #expect(Date() >= begin)
        }

        #expect(late.paths == ["/old", "/old", "/old"])
        #expect(late.files == ["/old", "/new"])
        #expect(server.requests.map(\.path) == ["/old", "/new"])
        session.invalidateAndCancel()
        try waitUntil { session.isInvalid }
    }

    /// Nobody else can be asked.
    @Test func `A delayed request is sent as it is where there is no host to launch`() throws {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        _ = try bench.session("starter").allTasksNow()
        let client = try bench.client()
        _ = try client.call(OpenSession(session: "a"))
        var call = AddSessionTask(
            session: "a", task: 1, request: SessionTask.Request(url: server.url("/")))
        call.details.earliestBegin = Date().timeIntervalSince1970 + 1
        _ = try client.call(call)
        _ = try client.call(
            ResumeSessionTask(session: "a", task: 1, details: .init(), isBackground: false))

        client.close()

        try waitUntil { bench.names(in: "files").count == 1 }
    }

    /// Its launch command continues it, as `undersong app wake` does.
    @Test(.rule("J14")) func `A host that is stopped is launched for its events, once`()
        async throws
    {
        let folder = bench.url.path
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            response.pause = (
                50_000,
                {
                    try? waitUntil {
                        let process = try? String(contentsOfFile: folder + "/pid", encoding: .utf8)
                        let path = "/proc/\(process ?? "none")/stat"
                        return (try? String(contentsOfFile: path, encoding: .utf8))?.contains(
                            ") T ")
                            ?? false
                    }
                }
            )
            return response
        }
        let target = server.url("/")

        await #expect(processExitsWith: .success) {
            [folder = folder as String, target = target as String] in
            let bench = try SessionBench(at: URL(filePath: folder))
            let mark = folder + "/mark"
            let session = bench.session {
                $0.launchCommand = [
                    "/bin/sh", "-c", "echo x >> \(mark); kill -CONT \(getpid())",
                ]
            }
            session.downloadTask(with: try #require(URL(string: target))).resume()
            try "\(getpid())".write(toFile: folder + "/pid", atomically: true, encoding: .utf8)

            Glibc.kill(getpid(), SIGSTOP)

            #expect(try bench.recorder.next() == .file(task: 1, bytes(100_000)))
            #expect(try bench.recorder.next() == .end(task: 1, code: nil))
            #expect(try String(contentsOfFile: mark, encoding: .utf8) == "x\n")
        }
        #expect(server.requests.count == 1)
    }
}

/// A delegate that answers for delayed requests from a list.
private final class Latecomer: NSObject, URLSessionDownloadDelegate {
    typealias Answer = (URLSession.DelayedRequestDisposition, URLRequest?)

    let ends = Inbox<Int?>()
    private let state: Mutex<(answers: [Answer], paths: [String], files: [String])>

    init(_ answers: [Answer]) { state = Mutex((answers, [], [])) }

    /// The paths of the requests that it was asked about.
    var paths: [String] { state.withLock(\.paths) }
    /// The contents of the files that have come.
    var files: [String] { state.withLock(\.files) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
        completionHandler:
            @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        let answer = state.withLock { state in
            state.paths.append(request.url?.path ?? "")
            return state.answers.removeFirst()
        }
        completionHandler(answer.0, answer.1)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let text = (try? String(contentsOf: location, encoding: .utf8)) ?? ""
        state.withLock { $0.files.append(text) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) { ends.put((error as? URLError)?.errorCode) }
}

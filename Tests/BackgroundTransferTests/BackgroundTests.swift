import Foundation
import Synchronization
import TestSupport
import Testing
import UIKit
import UndersongAppHost
import UndersongBackground
import UndersongControl
import UndersongTransfers

@testable import UndersongBackgroundTransfer

private typealias Server = ScriptedHTTPServer

@Suite(.blockingThreads) struct `A session of an application in the background` {
    private static let file = bytes(50_000)

    private let host = HostStateBroadcaster()
    private let board = BackgroundSessionBoard()
    private let bench: SessionBench
    private let server: Server

    init() throws {
        bench = try SessionBench()
        server = try Server { Server.Response(file: Self.file, to: $0) }
    }

    private func enter(_ state: ApplicationState) {
        host.post(
            HostStateBroadcaster.Notice(applicationState: state, capabilities: Capabilities()))
    }

    private func session() -> URLSession {
        bench.session(bench.configuration(), bench.recorder, host: host, board: board)
    }

    private func task(_ session: URLSession, _ path: String = "/") throws -> URLSessionTask {
        session.downloadTask(with: try #require(URL(string: server.url(path))))
    }

    /// T76. Nothing forbids a discretionary task on the machine of the tests, so what is looked at is
    /// the record.
    @Test(.rule("J7"))
    func `A background session begins discretionary tasks, whatever its configuration says`() throws
    {
        let session = session()
        let first = try task(session)
        first.resume()
        _ = try bench.recorder.next()
        _ = try bench.recorder.next()
        try waitUntil { bench.names(in: "done") == [] }
        enter(.background)

        let second = try task(session, "/2")
        second.resume()
        try waitUntil { bench.names(in: "files").count == 1 && bench.names(in: "done").count == 1 }

        let name = try #require(bench.names(in: "done").first)
        let record = try String(
            contentsOf: bench.folder.appending(path: "done/\(name)"), encoding: .utf8)
        #expect(record.contains("\"isDiscretionary\":true"))
        #expect(record.contains("\"number\":2"))
    }

    /// TR11: the process that transfers hears of it from a mock of NetworkManager.
    @Test(.rule("J7"))
    func `A background session waits with its tasks for a network that costs nothing`() throws {
        let mock = try MockProgram("mock-machine")
        try mock.send("start network")
        try mock.send("set network Metered u 3")
        try bench.startProcess(["DBUS_SYSTEM_BUS_ADDRESS": mock.address])
        let client = try bench.client()
        let session = session()
        let first = try task(session)
        first.resume()
        #expect(try bench.recorder.next() == .file(task: 1, Self.file))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        let second = try task(session, "/2")
        enter(.background)

        second.resume()
        try waitUntil {
            try client.call(ListTransfers(open: true)).transfers.last?.waitReasons == [
                .known(.metered)
            ]
        }
        #expect(server.requests.map(\.path) == ["/"])
        try mock.send("set network Metered u 2")

        try waitUntil { bench.names(in: "files").count == 1 }
        #expect(server.requests.map(\.path) == ["/", "/2"])
    }

    @Test(.rule("J11"))
    func `A background session holds its events until the application has been notified`()
        throws
    {
        let notified = Inbox<String>()
        board.setNotifier { notified.put($0) }
        let session = session()
        let running = try task(session, "/1")
        _ = try task(session, "/never")
        enter(.background)

        running.resume()

        #expect(try notified.next() == SessionBench.identifier)
        #expect(bench.recorder.events.rest.isEmpty)
        board.markNotified(SessionBench.identifier)
        #expect(try bench.recorder.next() == .file(task: 1, Self.file))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect(try bench.recorder.next() == .finished)
        #expect(notified.rest.isEmpty)
        #expect(bench.recorder.progress.rest.count <= 1)
    }

    /// TR2, J13.
    @Test func `A background session leaves the events of another session alone`() throws {
        let notified = Inbox<String>()
        board.setNotifier { notified.put($0) }
        let names = ["net.undersong.first", "net.undersong.second"]
        let recorders = [Recorder(), Recorder()]
        let sessions = zip(names, recorders).map { name, recorder in
            bench.session(bench.configuration(name), recorder, host: host, board: board)
        }
        enter(.background)
        for session in sessions { try task(session).resume() }
        #expect(Set([try notified.next(), try notified.next()]) == Set(names))

        for (name, recorder) in zip(names, recorders) {
            #expect(recorder.events.rest.isEmpty)
            board.markNotified(name)
            #expect(try recorder.next() == .file(task: 1, Self.file))
            #expect(try recorder.next() == .end(task: 1, code: nil))
            #expect(try recorder.next() == .finished)
        }
        #expect(recorders.allSatisfy { $0.events.rest.isEmpty })
    }

    @Test func `A background session gives its events in the foreground without notifying`() throws
    {
        let notified = Inbox<String>()
        board.setNotifier { notified.put($0) }
        let session = session()
        let first = try task(session)
        enter(.background)
        first.resume()
        _ = try notified.next()

        enter(.inactive)

        #expect(try bench.recorder.next() == .file(task: 1, Self.file))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        let second = try task(session)
        second.resume()
        #expect(try bench.recorder.next() == .file(task: 2, Self.file))
        #expect(try bench.recorder.next() == .end(task: 2, code: nil))
        #expect(bench.recorder.events.rest.isEmpty)
    }

    @Test(.rule("J17"))
    func `A background session waits for its turn with many tasks, and not in the foreground`()
        throws
    {
        let session = session()
        let tasks = try (1...3).map { try task(session, "/\($0)") }
        enter(.background)

        for task in tasks { task.resume() }

        let client = try bench.client()
        try waitUntil {
            try client.call(ListTransfers()).transfers.last?.waitReasons == [.known(.rateLimit)]
        }
        enter(.active)
        var ended: Set<Int> = []
        while ended.count < 3 {
            if case .end(let task, nil) = try bench.recorder.next() { ended.insert(task) }
        }
        #expect(ended == [1, 2, 3])
    }
}

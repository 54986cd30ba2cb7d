import BackgroundTransfer
import Glibc
import TestSupport
import Testing
import UndersongControl
import UndersongTransfers

private typealias Server = ScriptedHTTPServer

@Suite(.blockingThreads) struct `A background session` {
    private static let file = bytes(100_000)

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(.rule("J8")) func `A background session belongs to one process at a time`() throws {
        let bench = try SessionBench()
        let first = bench.session()
        _ = first.downloadTask(with: try url("http://127.0.0.1:9/"))
        let recorder = Recorder()

        let second = bench.session(bench.configuration(), recorder)

        let code = NSURLErrorBackgroundSessionInUseByAnotherProcess
        #expect(try recorder.next() == .invalid(code: code))
        second.downloadTask(with: try url("http://127.0.0.1:9/")).resume()
        #expect(try recorder.next() == .end(task: 1, code: code))
        #expect(try first.allTasksNow().count == 1)
    }

    @Test(.rule("J12")) func `A background session gets what it had when it is created again`()
        throws
    {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let bench = try SessionBench()
        // Another program, which ends without a word.
        let client = try bench.session("other").connectedClient(bench)
        _ = try client.call(OpenSession(session: SessionBench.identifier))
        for number in 1...3 {
            var call = AddSessionTask(
                session: SessionBench.identifier, task: number,
                request: SessionTask.Request(url: server.url("/\(number)")))
            call.details.description = "number \(number)"
            _ = try client.call(call)
        }
        for number in [3, 1] {
            _ = try client.call(
                ResumeSessionTask(
                    session: SessionBench.identifier, task: number, details: .init(),
                    isBackground: false))
            try waitUntil { bench.names(in: "files").count == (number == 3 ? 1 : 2) }
        }
        client.close()

        let session = bench.session()
        let tasks = try session.allTasksNow()

        // In the order in which they have ended.
        #expect(try bench.recorder.next() == .file(task: 3, Self.file))
        #expect(try bench.recorder.next() == .end(task: 3, code: nil))
        #expect(try bench.recorder.next() == .file(task: 1, Self.file))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect(tasks.map(\.taskIdentifier).contains(2))
        let left = try session.allTasksNow()
        #expect(left.map(\.taskDescription) == ["number 2"])
        #expect(left.map(\.state) == [.suspended])
        #expect(left.first?.originalRequest?.url?.path == "/2")
        #expect(session.downloadTask(with: try url(server.url("/"))).taskIdentifier == 4)
    }

    @Test(.rule("J1"))
    func `A background session survives the transferring process, and reports all once`()
        throws
    {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            if request.number == 1 { response.stall = 50_000 }
            return response
        }
        let bench = try SessionBench()
        let session = bench.session()
        let first = session.downloadTask(with: try url(server.url("/1")))
        first.taskDescription = "first"
        first.resume()
        try waitUntil { server.bytesSent == 50_000 }

        bench.kill()
        let second = session.downloadTask(with: try url(server.url("/2")))
        second.resume()

        var files: Set<Int> = []
        for _ in 0..<2 {
            guard case .file(let task, let bytes) = try bench.recorder.next() else { break }
            #expect(bytes == Self.file)
            #expect(try bench.recorder.next() == .end(task: task, code: nil))
            files.insert(task)
        }
        #expect(files == [1, 2])
        try waitUntil { bench.names(in: "done") == [] }
        #expect(bench.recorder.events.rest.isEmpty)
        #expect(bench.names(in: "pending") == [])
    }

    /// TR10, with the process that transfers killed in the callback.
    @Test
    func `A background session repeats nothing to its delegate, whichever process was killed`()
        throws
    {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let bench = try SessionBench()
        let recorder = Recorder { [weak bench] _ in bench?.kill() }
        let session = bench.session(bench.configuration(), recorder)

        session.downloadTask(with: try url(server.url("/"))).resume()

        #expect(try recorder.next() == .file(task: 1, Self.file))
        #expect(try recorder.next() == .end(task: 1, code: nil))
        try waitUntil { bench.names(in: "done") == [] && bench.names(in: "files") == [] }
        #expect(recorder.events.rest.isEmpty)
    }

    /// TR10: nobody has acknowledged, and everybody was killed.
    @Test func `A background session gives a file again that was not acknowledged`() throws {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let bench = try SessionBench()
        let identifier = SessionBench.identifier
        var client = try bench.session("other").connectedClient(bench)
        _ = try client.call(OpenSession(session: identifier))
        try client.beginTask(of: identifier, server.url("/"))
        for round in 1...3 {
            var event: SessionTaskEvent?
            try waitUntil {
                event = try client.call(NextSessionEvent(session: identifier)).event
                return event != nil
            }
            #expect(event?.phase == .file)
            let path = try #require(event?.path)
            #expect((try? Data(contentsOf: URL(filePath: path))) == Data(Self.file))
            bench.kill()
            client = try bench.session("other \(round)").connectedClient(bench)
            _ = try client.call(OpenSession(session: identifier))
        }
        let acknowledge = { (phase: SessionTaskEvent.Phase) in
            AcknowledgeSessionEvent(session: identifier, task: 1, phase: phase)
        }
        _ = try client.call(acknowledge(.file))
        bench.kill()
        client = try bench.session("last").connectedClient(bench)
        _ = try client.call(OpenSession(session: identifier))
        #expect(try client.call(NextSessionEvent(session: identifier)).event?.phase == .end)
        #expect(bench.names(in: "files") == [])
        _ = try client.call(acknowledge(.end))
        // Its reply was lost, say.
        _ = try client.call(acknowledge(.end))
        #expect(try client.call(NextSessionEvent(session: identifier)).event == nil)
        #expect(server.requests.count == 1)
    }

    /// TR10, J9.
    @Test func `A background session gives a file again whose host was killed in the callback`()
        async throws
    {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let bench = try SessionBench()
        let (folder, target) = (bench.url.path, server.url("/"))

        await #expect(processExitsWith: .signal(SIGKILL)) {
            [folder = folder as String, target = target as String] in
            let bench = try SessionBench(at: URL(filePath: folder))
            let recorder = Recorder { file in
                guard FileManager.default.fileExists(atPath: file.path) else { return }
                Glibc.kill(getpid(), SIGKILL)
            }
            let session = bench.session(bench.configuration(), recorder)
            session.downloadTask(with: try #require(URL(string: target))).resume()
            try waitUntil { false }
        }
        #expect(bench.names(in: "files").count == 1)
        let session = bench.session()

        #expect(try bench.recorder.next() == .file(task: 1, Self.file))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect(try session.allTasksNow() == [])
        try waitUntil { bench.names(in: "files") == [] && bench.names(in: "done") == [] }
        #expect(bench.recorder.events.rest.isEmpty)
        #expect(server.requests.count == 1)
    }

    @Test func `A background session cancels its tasks when it is cancelled`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            response.stall = 50_000
            return response
        }
        let bench = try SessionBench()
        let session = bench.session()
        session.downloadTask(with: try url(server.url("/1"))).resume()
        _ = session.downloadTask(with: try url(server.url("/2")))
        try waitUntil { server.bytesSent == 50_000 }

        session.invalidateAndCancel()

        let ends = [try bench.recorder.next(), try bench.recorder.next()]
        for task in 1...2 {
            #expect(ends.contains(.end(task: task, code: NSURLErrorCancelled)))
        }
        #expect(try bench.recorder.next() == .invalid(code: nil))
        try waitUntil { session.delegate == nil }
        #expect(bench.names(in: "sessions") == [])
        // Its name is free.
        let next = bench.session()
        #expect(try next.allTasksNow() == [])
    }

    @Test func `A background session finishes its tasks before it is invalid`() throws {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let bench = try SessionBench()
        let session = bench.session()
        session.downloadTask(with: try url(server.url("/1"))).resume()

        session.finishTasksAndInvalidate()

        #expect(try bench.recorder.next() == .file(task: 1, Self.file))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect(try bench.recorder.next() == .invalid(code: nil))
    }

    @Test func `A background session says so when nothing can transfer`() throws {
        let bench = try SessionBench()
        let session = bench.session { $0.transferService.program = "/nowhere/undersong-transferd" }

        let task = session.downloadTask(with: try url("http://127.0.0.1:9/"))
        task.resume()

        let code = NSURLErrorBackgroundSessionWasDisconnected
        let events = [try bench.recorder.next(), try bench.recorder.next()]
        #expect(events.contains(.invalid(code: code)))
        #expect(events.contains(.end(task: 1, code: code)))
    }

    @Test(.rule("J2", "J4"))
    func `A background session has no data tasks, uploads from memory or completion handlers`()
        async
    {
        await #expect(processExitsWith: .failure) {
            let session = try SessionBench().session()
            _ = session.dataTask(with: URLRequest(url: URL(filePath: "/")))
        }
        await #expect(processExitsWith: .failure) {
            let session = try SessionBench().session()
            _ = session.uploadTask(with: URLRequest(url: URL(filePath: "/")), from: Data())
        }
        await #expect(processExitsWith: .failure) {
            let session = try SessionBench().session()
            _ = session.downloadTask(with: URL(filePath: "/")) { _, _, _ in }
        }
        await #expect(processExitsWith: .failure) {
            _ = URLSessionConfiguration.background(withIdentifier: "")
        }
        await #expect(processExitsWith: .failure) {
            let configuration = URLSessionConfiguration.background(withIdentifier: "a")
            _ = URLSession(configuration: configuration, delegate: nil, delegateQueue: nil)
        }
    }
}

extension URLSession {
    /// Another program's connection, once this session has started the process.
    fileprivate func connectedClient(_ bench: SessionBench) throws -> ControlClient {
        _ = try allTasksNow()
        return try bench.client()
    }
}

extension ControlClient {
    /// Adds the first task of a session, and begins it.
    func beginTask(of session: String, _ url: String) throws {
        _ = try call(
            AddSessionTask(session: session, task: 1, request: SessionTask.Request(url: url)))
        _ = try call(
            ResumeSessionTask(session: session, task: 1, details: .init(), isBackground: false))
    }
}

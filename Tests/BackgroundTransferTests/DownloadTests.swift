import BackgroundTransfer
import Foundation
import Glibc
import TestSupport
import Testing
import UndersongControl
import UndersongTransfers

private typealias Server = ScriptedHTTPServer

@Suite(.blockingThreads) struct `A download in the background` {
    private static let file = bytes(300_000)

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(.rule("J3"))
    func `A download does nothing before it is resumed, and then brings the file`() throws {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let bench = try SessionBench()
        let session = bench.session()

        let task = session.downloadTask(with: try url(server.url("/file")))
        #expect(task.state == .suspended)
        #expect(try session.allTasksNow() == [task])
        #expect(server.requests.isEmpty)
        task.resume()
        #expect(task.state == .running)

        #expect(try bench.recorder.next() == .file(task: 1, Self.file))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect(task.state == .completed)
        #expect(task.error == nil)
        let response = try #require(task.response as? HTTPURLResponse)
        #expect(response.statusCode == 200)
        #expect(response.value(forHTTPHeaderField: "etag") == "\"1\"")
        #expect(response.expectedContentLength == 300_000)
        #expect(task.countOfBytesReceived == 300_000)
        #expect(try session.allTasksNow() == [])
        let last = try #require(bench.recorder.progress.rest.last)
        #expect(last[0] == 1 && last[2] == 300_000 && last[3] == 300_000)
        let written = bench.recorder.progress.rest.map { $0[1] }.reduce(0, +)
        #expect(written == 300_000)
    }

    @Test(.rule("J9")) func `A download has its file until the callback returns, and no longer`()
        throws
    {
        let server = try Server { Server.Response(file: Self.file, to: $0) }
        let bench = try SessionBench()
        let session = bench.session()

        session.downloadTask(with: try url(server.url("/file"))).resume()
        _ = try bench.recorder.next()
        _ = try bench.recorder.next()

        try waitUntil { bench.names(in: "files") == [] }
        #expect(try session.allTasksNow() == [])
        try waitUntil { bench.names(in: "done") == [] }
    }

    @Test(.rule("J6")) func `A download follows redirects silently`() throws {
        let server = try Server { request in
            guard let hop = Int(request.path.dropFirst(2)), hop > 0 else {
                return Server.Response(file: Self.file, to: request)
            }
            var response = Server.Response()
            response.status = 302
            response.fields = [("Location", "/h\(hop - 1)")]
            return response
        }
        let bench = try SessionBench()

        let task = bench.session().downloadTask(with: try url(server.url("/h9")))
        task.resume()

        #expect(try bench.recorder.next() == .file(task: 1, Self.file))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect(task.currentRequest?.url?.path == "/h0")
        #expect(task.originalRequest?.url?.path == "/h9")
    }

    @Test(.rule("J5")) func `A download of another kind of URL fails when it is resumed`() throws {
        let bench = try SessionBench()
        let session = bench.session()

        for text in ["ftp://127.0.0.1/file", "file:///etc/passwd", "podcast://42"] {
            let task = session.downloadTask(with: try url(text))
            #expect(bench.recorder.events.rest.isEmpty)
            task.resume()
            #expect(
                try bench.recorder.next()
                    == .end(task: task.taskIdentifier, code: NSURLErrorUnsupportedURL))
        }
    }

    @Test func `A download that the server refuses has the response, and no error`() throws {
        let server = try Server { _ in
            var response = Server.Response()
            response.status = 404
            response.body = Array("Not here".utf8)
            return response
        }
        let bench = try SessionBench()

        let task = bench.session().downloadTask(with: try url(server.url("/file")))
        task.resume()

        #expect(try bench.recorder.next() == .file(task: 1, Array("Not here".utf8)))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect((task.response as? HTTPURLResponse)?.statusCode == 404)
    }

    @Test func `A download sends its fields and the configuration's, and not to other hosts`()
        throws
    {
        let other = try Server { Server.Response(file: Self.file, to: $0) }
        let elsewhere = other.url("/file")
        let server = try Server { _ in
            var response = Server.Response()
            response.status = 302
            response.fields = [("Location", elsewhere)]
            return response
        }
        let bench = try SessionBench()
        let session = bench.session {
            $0.httpAdditionalHeaders = ["X-Common": "all", "X-Both": "configuration"]
        }
        var request = URLRequest(url: try url(server.url("/file")))
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        request.setValue("request", forHTTPHeaderField: "x-both")

        session.downloadTask(with: request).resume()
        _ = try bench.recorder.next()

        let fields = try #require(server.requests.first?.fields)
        #expect(fields["authorization"] == "Bearer secret")
        #expect(fields["x-common"] == "all")
        #expect(fields["x-both"] == "request")
        #expect(other.requests.first?.fields["authorization"] == nil)
        #expect(other.requests.first?.fields["x-common"] == "all")
    }

    @Test func `A download resumes where the server dropped it`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            if request.number == 1 { response.cut = 200_000 }
            return response
        }
        let bench = try SessionBench()

        bench.session().downloadTask(with: try url(server.url("/file"))).resume()

        #expect(try bench.recorder.next() == .file(task: 1, Self.file))
        #expect(server.requests.map(\.rangeStart) == [nil, 200_000])
    }

    @Test(.rule("J15")) func `A download is given up after its time`() throws {
        let server = try Server { _ in
            var response = Server.Response()
            response.isSilent = true
            return response
        }
        let bench = try SessionBench()
        let session = bench.session { $0.timeoutIntervalForResource = 1 }

        session.downloadTask(with: try url(server.url("/file"))).resume()

        #expect(try bench.recorder.next() == .end(task: 1, code: NSURLErrorTimedOut))
    }

    @Test func `A download is cancelled once`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            response.stall = 100_000
            return response
        }
        let bench = try SessionBench()
        let session = bench.session()
        let task = session.downloadTask(with: try url(server.url("/file")))
        task.resume()
        try waitUntil { server.bytesSent == 100_000 }

        task.cancel()
        #expect(task.state == .canceling)
        task.cancel()
        task.resume()

        #expect(try bench.recorder.next() == .end(task: 1, code: NSURLErrorCancelled))
        #expect(try session.allTasksNow() == [])
        let error = try #require(task.error as? URLError)
        #expect(error.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] == nil)
    }

    @Test(arguments: [CancelReason.hostEnded, .notAllowed, .machine])
    func `A download is cancelled by the user with a reason`(reason: CancelReason) throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            response.stall = 100_000
            return response
        }
        let bench = try SessionBench()
        let task = bench.session().downloadTask(with: try url(server.url("/file")))
        task.resume()
        try waitUntil { server.bytesSent == 100_000 }

        var call = CancelTransfers(ids: nil)
        call.reason = reason
        _ = try bench.client().call(call)

        #expect(try bench.recorder.next() == .end(task: 1, code: NSURLErrorCancelled))
        let error = try #require(task.error as? URLError)
        #expect(
            error.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int == reason.rawValue)
    }

    @Test func `A download is cancelled when the user shuts everything down`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            response.stall = 100_000
            return response
        }
        let bench = try SessionBench()
        let session = bench.session {
            // The folder where the command finds it.
            $0.transferService.stateFolder = bench.url.appending(path: "home/undersong").path
        }
        let task = session.downloadTask(with: try url(server.url("/file")))
        task.resume()
        try waitUntil { server.bytesSent == 100_000 }

        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let program = try Child(
            SessionBench.path(of: "undersong"), ["shutdown"],
            [
                "XDG_RUNTIME_DIR": bench.url.path,
                "XDG_STATE_HOME": bench.url.appending(path: "home").path,
            ], [null, null, null])
        let status = try program.wait()

        #expect(status == 0)
        #expect(try bench.recorder.next() == .end(task: 1, code: NSURLErrorCancelled))
        let error = try #require(task.error as? URLError)
        #expect(error.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int == 0)
    }

    @Test func `A download stops while it is suspended`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            if request.number == 1 { response.stall = 100_000 }
            return response
        }
        let bench = try SessionBench()
        let task = bench.session().downloadTask(with: try url(server.url("/file")))
        task.resume()
        try waitUntil { server.bytesSent == 100_000 }

        task.suspend()
        #expect(task.state == .suspended)
        let client = try bench.client()
        try waitUntil {
            try client.call(ListTransfers()).transfers[0].waitReasons == [.known(.paused)]
        }
        task.resume()

        #expect(try bench.recorder.next() == .file(task: 1, Self.file))
        #expect(server.requests.count == 2)
    }

    @Test func `A download with resume data continues what another one has left`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            if request.number == 1 { response.stall = 200_000 }
            return response
        }
        let bench = try SessionBench()
        let session = bench.session()
        let task = session.downloadTask(with: try url(server.url("/file")))
        task.resume()
        try waitUntil { server.bytesSent == 200_000 }
        let client = try bench.client()
        try waitUntil { try client.call(ListTransfers()).transfers[0].received == 200_000 }
        let produced = Inbox<Data?>()

        task.cancel(byProducingResumeData: { produced.put($0) })
        let data = try #require(try produced.next())

        #expect(data.count <= 4096)
        #expect(try bench.recorder.next() == .end(task: 1, code: NSURLErrorCancelled))
        let error = try #require(task.error as? URLError)
        #expect(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data == data)
        let second = session.downloadTask(withResumeData: data)
        #expect(second.originalRequest?.url == task.originalRequest?.url)
        second.resume()
        #expect(try bench.recorder.next() == .file(task: 2, Self.file))
        #expect(try bench.recorder.next() == .end(task: 2, code: nil))
        #expect(server.requests.map(\.rangeStart) == [nil, 200_000])
        #expect(bench.names(in: "kept") == [])

        for stale in [data, Data("no resume data".utf8)] {
            let third = session.downloadTask(withResumeData: stale)
            third.resume()
            #expect(
                try bench.recorder.next()
                    == .end(task: third.taskIdentifier, code: NSURLErrorCannotOpenFile))
        }
    }

    @Test func `A download without a validator has no resume data`() throws {
        let server = try Server { request in
            var response = Server.Response(file: Self.file, tag: nil, to: request)
            response.stall = 200_000
            return response
        }
        let bench = try SessionBench()
        let task = bench.session().downloadTask(with: try url(server.url("/file")))
        task.resume()
        try waitUntil { server.bytesSent == 200_000 }
        let produced = Inbox<Data?>()

        task.cancel(byProducingResumeData: { produced.put($0) })

        #expect(try produced.next() == nil)
        #expect(try bench.recorder.next() == .end(task: 1, code: NSURLErrorCancelled))
        #expect(bench.names(in: "kept") == [])
    }

    @Test(.rule("J8")) func `A download keeps its label, and the list of downloads shows it`()
        throws
    {
        let bench = try SessionBench()
        let session = bench.session()

        let task = session.downloadTask(with: try url("http://127.0.0.1:9/file"))
        task.taskDescription = "Podcast Episode 42"

        let client = try bench.client()
        try waitUntil {
            try client.call(ListTransfers()).transfers.first?.label == "Podcast Episode 42"
        }
    }
}

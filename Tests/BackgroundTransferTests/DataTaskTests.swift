import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UndersongBackgroundTransfer

private typealias Server = ScriptedHTTPServer

/// Sessions whose tasks end with the process.
@Suite(.blockingThreads) struct `A default session` {
    private let bench: SessionBench

    init() throws { bench = try SessionBench() }

    private func session(
        _ delegate: (any URLSessionDelegate)? = nil,
        _ body: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.transferService = bench.location
        body(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private static func answer(
        _ status: Int = 200, _ body: [UInt8] = [], _ fields: [(String, String)] = []
    ) -> Server.Response {
        var response = Server.Response()
        (response.status, response.body, response.fields) = (status, body, fields)
        return response
    }

    @Test func `A data task does nothing before it is resumed, and then calls its handler once`()
        throws
    {
        let server = try Server { _ in
            Self.answer(
                404, bytes(300_000), [("Content-Type", "text/plain; charset=UTF-8"), ("X-A", "1")])
        }
        let results = Inbox<(Data?, URLResponse?, (any Error)?)>()
        let session = session()

        let task = session.dataTask(with: try url(server.url("/a?b=1"))) {
            results.put(($0, $1, $2))
        }
        #expect(task.state == .suspended && server.requests.isEmpty)
        task.resume()

        let (data, response, error) = try results.next()
        #expect(data == Data(bytes(300_000)) && error == nil)
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.statusCode == 404 && http.expectedContentLength == 300_000)
        #expect(http.mimeType == "text/plain" && http.textEncodingName == "utf-8")
        #expect(http.value(forHTTPHeaderField: "x-a") == "1")
        #expect(task.state == .completed && task.countOfBytesReceived == 300_000)
        #expect(server.requests.map(\.path) == ["/a?b=1"])
        #expect(results.rest.isEmpty)
        #expect(try session.allTasksNow() == [])
    }

    @Test func `A data task follows redirects, and sends neither body nor password elsewhere`()
        async throws
    {
        let other = try Server { _ in Self.answer(200, [1]) }
        let target = other.url("/there")
        let server = try Server { _ in Self.answer(303, [2], [("Location", target)]) }
        var request = URLRequest(url: try url(server.url("/here")))
        request.httpMethod = "POST"
        request.httpBody = Data([3, 4])
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        request.setValue("x", forHTTPHeaderField: "X-Common")

        let (data, response) = try await session().data(for: request)

        #expect(data == Data([1]) && response.url == URL(string: target))
        let (first, second) = (
            try #require(server.requests.first), try #require(other.requests.first)
        )
        #expect(first.method == "POST" && first.body == [3, 4])
        #expect(first.fields["content-type"] == "application/x-www-form-urlencoded")
        #expect(first.fields["authorization"] == "Bearer secret")
        #expect(second.method == "GET" && second.body == [])
        #expect(second.fields["authorization"] == nil && second.fields["x-common"] == "x")
        #expect(second.fields["content-type"] == nil)
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/", NSURLErrorCannotConnectToHost),
        ("ftp://127.0.0.1/", NSURLErrorUnsupportedURL),
    ]) func `A data task fails with the reason`(text: String, code: Int) async throws {
        let url = try url(text)
        let error = await #expect(throws: URLError.self) { try await session().data(from: url) }
        #expect(error?.errorCode == code)
    }

    @Test func `A data task fails when its time is over, or the server goes`() async throws {
        let server = try Server { request in
            var response = Self.answer(200, bytes(1000))
            if request.path == "/cut" { response.cut = 500 } else { response.stall = 500 }
            return response
        }
        for (path, code, seconds) in [
            ("/stall", NSURLErrorTimedOut, 1.0), ("/cut", NSURLErrorNetworkConnectionLost, 60.0),
        ] {
            let session = session { $0.timeoutIntervalForRequest = seconds }
            let url = try url(server.url(path))
            let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
            #expect(error?.errorCode == code)
        }
    }

    @Test func `A data task fails when the process that transfers is killed`() throws {
        let server = try Server { _ in
            var response = Self.answer(200, bytes(1000))
            response.stall = 500
            return response
        }
        let codes = Inbox<Int?>()
        let session = session()
        let task = session.dataTask(with: try url(server.url("/"))) { _, _, error in
            codes.put((error as? URLError)?.errorCode)
        }
        task.resume()
        try waitUntil { server.bytesSent == 500 }

        bench.kill()

        #expect(try codes.next() == NSURLErrorNetworkConnectionLost)
    }

    @Test func `A data task that is cancelled reports that, and closes its connection`() throws {
        let server = try Server { _ in
            var response = Self.answer(200, bytes(1000))
            response.stall = 500
            return response
        }
        let recorder = DataRecorder()
        let task = session(recorder).dataTask(with: try url(server.url("/")))
        task.resume()
        #expect(try recorder.events.next() == .response(200))
        #expect(try recorder.events.next() == .data(Array(bytes(1000)[..<500])))

        task.cancel()

        #expect(try recorder.events.next() == .end(NSURLErrorCancelled))
        #expect(task.state == .completed)
    }

    /// A body of 64 MiB never is in memory as a whole: the server waits for the delegate.
    @Test func `A data task's server waits for its delegate`() throws {
        let server = try Server(sendBuffer: 65536) { _ in
            Self.answer(200, [UInt8](repeating: 7, count: 64 << 20))
        }
        let isHeld = Mutex(true)
        let count = Mutex(0)
        let recorder = DataRecorder { data in
            count.withLock { $0 += data.count }
            try? waitUntil { !isHeld.withLock(\.self) }
        }
        session(recorder).dataTask(with: try url(server.url("/"))).resume()
        #expect(try recorder.events.next() == .response(200))
        var sent = -1
        try waitUntil {
            defer { sent = server.bytesSent }
            return sent == server.bytesSent && count.withLock { $0 > 0 }
        }
        #expect(server.bytesSent < 32 << 20)

        isHeld.withLock { $0 = false }

        var event = try recorder.events.next()
        while case .data = event { event = try recorder.events.next() }
        #expect(event == .end(nil))
        #expect(count.withLock(\.self) == 64 << 20)
    }

    @Test func `A response is refused by its delegate, or becomes a download`() throws {
        let server = try Server { _ in Self.answer(200, bytes(200_000)) }
        let recorder = DataRecorder()
        let session = session(recorder)
        recorder.disposition.withLock { $0 = .cancel }
        session.dataTask(with: try url(server.url("/1"))).resume()
        #expect(try recorder.events.next() == .response(200))
        #expect(try recorder.events.next() == .end(NSURLErrorCancelled))

        recorder.disposition.withLock { $0 = .becomeDownload }
        session.dataTask(with: try url(server.url("/2"))).resume()

        #expect(try recorder.events.next() == .response(200))
        #expect(try recorder.events.next() == .download)
        #expect(try recorder.events.next() == .file(bytes(200_000)))
        #expect(try recorder.events.next() == .end(nil))
        #expect(server.requests.map(\.path) == ["/1", "/2"])
    }

    @Test func `A suspended task reads nothing until it is resumed`() throws {
        let server = try Server { _ in Self.answer(200, bytes(100_000)) }
        let recorder = DataRecorder()
        let task = session(recorder).dataTask(with: try url(server.url("/")))
        recorder.onResponse.withLock { $0 = { task.suspend() } }
        task.resume()
        #expect(try recorder.events.next() == .response(200))
        try waitUntil { server.bytesSent == 100_000 }
        #expect(task.state == .suspended && task.countOfBytesReceived == 0)

        task.resume()

        var body: [UInt8] = []
        while case .data(let bytes) = try recorder.events.next() { body += bytes }
        #expect(body == bytes(100_000))
    }

    @Test func `An upload sends bytes or a file, and brings the answer`() async throws {
        let server = try Server { request in Self.answer(201, request.body.reversed()) }
        let file = bench.url.appending(path: "upload")
        try Data(bytes(90_000)).write(to: file)
        var request = URLRequest(url: try url(server.url("/")))
        request.httpMethod = "PUT"

        let (fromFile, _) = try await session().upload(for: request, fromFile: file)
        let (fromMemory, response) = try await session().upload(
            for: request, from: Data([1, 2, 3]))

        #expect(fromFile == Data(bytes(90_000).reversed()) && fromMemory == Data([3, 2, 1]))
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        #expect(server.requests.map(\.method) == ["PUT", "PUT"])
        let missing = bench.url.appending(path: "missing")
        let error = await #expect(throws: URLError.self) {
            try await session().upload(for: request, fromFile: missing)
        }
        #expect(error?.errorCode == NSURLErrorFileDoesNotExist)
    }

    @Test func `A download's file is there while its handler runs, or is its caller's`()
        async throws
    {
        let server = try Server { _ in Self.answer(200, bytes(200_000)) }
        let url = try url(server.url("/"))
        let files = Inbox<(URL?, Data?)>()

        session().downloadTask(with: url) { file, _, _ in
            files.put((file, file.flatMap { try? Data(contentsOf: $0) }))
        }.resume()
        let (kept, _) = try await session().download(from: url)

        let (file, data) = try files.next()
        #expect(data == Data(bytes(200_000)))
        let path = try #require(file?.path)
        try waitUntil { !FileManager.default.fileExists(atPath: path) }
        #expect(try Data(contentsOf: kept) == Data(bytes(200_000)))
        try FileManager.default.removeItem(at: kept)
    }

    @Test func `A request says which caches it allows`() async throws {
        let server = try Server { _ in Self.answer() }
        let url = try url(server.url("/"))
        let session = session { $0.requestCachePolicy = .reloadRevalidatingCacheData }
        _ = try await session.data(from: url)
        _ = try await session.data(
            for: URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData))
        let error = await #expect(throws: URLError.self) {
            try await session.data(for: URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad))
        }

        #expect(server.requests.map { $0.fields["cache-control"] } == ["max-age=0", "no-cache"])
        #expect(error?.errorCode == NSURLErrorResourceUnavailable)
    }

    @Test func `A default session finishes its tasks before it is invalid`() throws {
        let server = try Server { _ in Self.answer(200, [1]) }
        let recorder = DataRecorder()
        let session = session(recorder)
        session.dataTask(with: try url(server.url("/"))).resume()

        session.finishTasksAndInvalidate()

        #expect(try recorder.events.next() == .response(200))
        #expect(try recorder.events.next() == .data([1]))
        #expect(try recorder.events.next() == .end(nil))
        #expect(try recorder.events.next() == .invalid)
        try waitUntil { session.delegate == nil }
    }
}

/// The calls of a data task's delegate, in order.
final class DataRecorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    enum Event: Equatable, Sendable {
        case response(Int)
        case data([UInt8])
        case download
        case file([UInt8])
        case end(Int?)
        case invalid
    }

    let events = Inbox<Event>()
    let disposition = Mutex(URLSession.ResponseDisposition.allow)
    let onResponse = Mutex<@Sendable () -> Void>({})
    private let onData: @Sendable (Data) -> Void

    init(onData: @escaping @Sendable (Data) -> Void = { _ in }) { self.onData = onData }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        onResponse.withLock(\.self)()
        events.put(.response((response as? HTTPURLResponse)?.statusCode ?? 0))
        completionHandler(disposition.withLock(\.self))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        events.put(.data(Array(data)))
        onData(data)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) { events.put(.download) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) { events.put(.file((try? Data(contentsOf: location)).map(Array.init) ?? [])) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) { events.put(.end((error as? URLError)?.errorCode)) }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        events.put(.invalid)
    }
}

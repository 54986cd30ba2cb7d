import BackgroundTransfer
import TestSupport
import Testing
import UndersongControl
import UndersongTransfers

private typealias Server = ScriptedHTTPServer

@Suite(.blockingThreads) struct `An upload in the background` {
    private static let body = bytes(2_000_000)

    private func request(_ text: String, _ method: String) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: text)))
        request.httpMethod = method
        return request
    }

    private func file(_ bench: SessionBench) throws -> URL {
        let url = bench.url.appending(path: "episode.mp3")
        try Data(Self.body).write(to: url)
        return url
    }

    @Test(.rule("J19"), arguments: ["PUT", "POST", "PATCH"])
    func `An upload sends a file, and gives the answer`(method: String) throws {
        let server = try Server { _ in
            var response = Server.Response()
            response.status = 201
            response.body = Array("{\"id\":42}".utf8)
            return response
        }
        let bench = try SessionBench()

        let task = bench.session().uploadTask(
            with: try request(server.url("/in"), method), fromFile: try file(bench))
        task.resume()

        #expect(try bench.recorder.next() == .answer(task: 1, Array("{\"id\":42}".utf8)))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        let sent = try #require(server.requests.first)
        #expect(sent.method == method)
        #expect(sent.body == Self.body)
        #expect(sent.fields["content-type"] == "application/octet-stream" || method == "PUT")
        #expect((task.response as? HTTPURLResponse)?.statusCode == 201)
        #expect(task.countOfBytesSent == 2_000_000)
    }

    @Test func `An upload is sent again from its start when the server has dropped it`() throws {
        let server = try Server { request in
            var response = Server.Response()
            response.status = 204
            response.announcesLength = false
            response.isSilent = request.number == 1
            return response
        }
        let bench = try SessionBench()

        bench.session().uploadTask(
            with: try request(server.url("/in"), "PUT"), fromFile: try file(bench)
        ).resume()
        try waitUntil { server.requests.count == 1 }
        // It would wait for five seconds.
        let client = try bench.client()
        try waitUntil {
            try client.call(ListTransfers()).transfers[0].waitReasons == [.known(.retry)]
        }
        _ = try client.call(RetryTransfers(ids: nil))

        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect(server.requests.map(\.body.count) == [2_000_000, 2_000_000])
        #expect(server.requests.last?.body == Self.body)
    }

    @Test func `An upload follows a redirect with its body`() throws {
        let server = try Server { request in
            var response = Server.Response()
            if request.path == "/in" {
                response.status = 307
                response.fields = [("Location", "/there")]
            }
            return response
        }
        let bench = try SessionBench()

        bench.session().uploadTask(
            with: try request(server.url("/in"), "PUT"), fromFile: try file(bench)
        ).resume()

        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect(server.requests.map(\.path) == ["/in", "/there"])
        #expect(server.requests.last?.body == Self.body)
    }

    @Test func `An upload that is refused has the response, and no error`() throws {
        let server = try Server { _ in
            var response = Server.Response()
            response.status = 403
            return response
        }
        let bench = try SessionBench()

        let task = bench.session().uploadTask(
            with: try request(server.url("/in"), "PUT"), fromFile: try file(bench))
        task.resume()

        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect((task.response as? HTTPURLResponse)?.statusCode == 403)
    }

    @Test func `An upload of no file fails`() throws {
        let bench = try SessionBench()

        bench.session().uploadTask(
            with: try request("http://127.0.0.1:9/", "PUT"),
            fromFile: bench.url.appending(path: "gone")
        ).resume()

        #expect(try bench.recorder.next() == .end(task: 1, code: NSURLErrorFileDoesNotExist))
    }
}

import Foundation
import Synchronization
import TestSupport
import Testing
import UndersongTransfers

private typealias Server = ScriptedHTTPServer

/// TR8, J6.
@Suite struct `A transfer that is redirected` {
    private static let file = bytes(200_000)

    /// Two hosts of HTTP, which redirect to each other ten times, and then to a third, of HTTPS.
    private final class Hosts {
        private final class URLs: Sendable {
            let all = Mutex<[String]>([])
        }

        let secure: SecureServer
        let servers: [Server]

        init() throws {
            secure = try SecureServer(host: "127.0.0.3", ["file": file])
            let end = secure.url("file")
            let urls = URLs()
            servers = try ["127.0.0.1", "127.0.0.2"].map { host in
                try Server(host: host) { request in
                    let hop = Int(request.path.dropFirst()) ?? 0
                    var response = Server.Response()
                    response.status = 302
                    let next = urls.all.withLock { $0[(hop + 1) % 2] } + "/\(hop - 1)"
                    response.fields = [("Location", hop > 1 ? next : end)]
                    return response
                }
            }
            urls.all.withLock { $0 = servers.map { $0.url("") } }
        }

        /// The fields of this name that each host got, with each request.
        func fields(_ name: String) -> [[String?]] {
            servers.map { $0.requests.map { $0.fields[name] } } + [secure.requests.map { $0[name] }]
        }
    }

    @Test func `A transfer follows ten redirects over three hosts, and leaves the password out`()
        throws
    {
        let hosts = try Hosts()
        let bench = try Bench { $0.certificateFile = hosts.secure.certificate.path }
        let first = hosts.servers[0].url("/10")

        bench.add(first.replacing("http://", with: "http://me:secret@"))
        let end = try bench.end()

        #expect(end == .finished(path: bench.files.appending(path: "file").path))
        #expect(bench.contents() == Self.file)
        let credentials = "Basic " + Data("me:secret".utf8).base64EncodedString()
        let sent = hosts.fields("authorization")
        #expect(sent.map(\.count) == [5, 5, 1])
        #expect(sent[0].first == credentials)
        #expect(sent[1...].joined().allSatisfy { $0 == nil })
    }

    @Test func `A redirect gives the fields of a session's request to no other host`() throws {
        let hosts = try Hosts()
        let bench = try Bench { $0.certificateFile = hosts.secure.certificate.path }
        let destination = bench.files.appending(path: "file").path
        let request = TransferRequest(url: hosts.servers[0].url("/10"), destination: destination)
        var task = SessionTask(session: "s", number: 1)
        task.fields = [
            .init(name: "Authorization", value: "Bearer secret"),
            .init(name: "Cookie", value: "c=1"),
            .init(name: "X-Other", value: "all"),
        ]

        bench.handle(.session(.add(request, task, TransferPart())))
        bench.handle(.session(.resume(1, isBackground: false)))
        _ = try bench.end()

        #expect(bench.contents() == Self.file)
        for (name, value) in [("authorization", "Bearer secret"), ("cookie", "c=1")] {
            let sent = hosts.fields(name)
            #expect(sent[0].first == value)
            #expect(sent[1...].joined().allSatisfy { $0 == nil })
        }
        #expect(hosts.fields("x-other").joined().allSatisfy { $0 == "all" })
    }

    @Test
    func `A redirected transfer continues at the host that answered, without another's password`()
        throws
    {
        let other = try Server { request in
            var response = Server.Response(file: Self.file, to: request)
            if request.number == 1 { response.cut = 100_000 }
            return response
        }
        let target = other.url("/file")
        let server = try Server { _ in
            var response = Server.Response()
            response.status = 302
            response.fields = [("Location", target)]
            return response
        }
        let bench = try Bench()
        let destination = bench.files.appending(path: "file").path
        let request = TransferRequest(url: server.url("/file"), destination: destination)
        var task = SessionTask(session: "s", number: 1)
        task.fields = [.init(name: "Authorization", value: "Bearer secret")]

        bench.handle(.session(.add(request, task, TransferPart())))
        bench.handle(.session(.resume(1, isBackground: false)))
        _ = try bench.end()

        #expect(bench.contents() == Self.file)
        #expect(server.requests.count == 1)
        #expect(other.requests.map(\.rangeStart) == [nil, 100_000])
        #expect(other.requests.allSatisfy { $0.fields["authorization"] == nil })
    }

    @Test func `A redirect from HTTPS is not followed to a file or to FTP`() throws {
        let server = try SecureServer(["file": Self.file])
        let bench = try Bench { $0.certificateFile = server.certificate.path }
        let targets = ["file:///etc/passwd", "ftp://127.0.0.1/file"]

        for (number, target) in targets.enumerated() {
            bench.add(server.redirection(to: target), to: "\(number)")
        }

        for id in 1...2 {
            guard case .failed(let failure) = try bench.end(of: id) else {
                Issue.record("\(targets[id - 1]) was followed")
                continue
            }
            #expect(failure.code == .unsupportedURL)
        }
        #expect(bench.names == [])
    }
}

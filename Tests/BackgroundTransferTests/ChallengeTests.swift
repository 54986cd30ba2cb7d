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

/// Servers that want a name and a password (J19).
@Suite(.blockingThreads) struct `A challenge` {
    private static let file = bytes(100_000)
    /// "me:secret" in base 64.
    private static let basic = "Basic bWU6c2VjcmV0"
    private let bench: SessionBench

    init() throws { bench = try SessionBench() }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private static func refusal(_ offers: [String]) -> Server.Response {
        var response = Server.Response()
        response.status = 401
        response.body = Array("Who are you?".utf8)
        response.fields = offers.map { ("WWW-Authenticate", $0) }
        return response
    }

    /// A server that wants a name and a password by `Basic`.
    private func server(
        _ offers: [String] = ["Basic realm=\"the \\\"realm\\\", here\""]
    ) throws -> Server {
        try Server { request in
            request.fields["authorization"] == Self.basic
                ? Server.Response(file: Self.file, to: request) : Self.refusal(offers)
        }
    }

    private func session(_ guest: Guest) -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.transferService = bench.location
        return URLSession(configuration: configuration, delegate: guest, delegateQueue: nil)
    }

    @Test(.rule("J19")) func `A task's delegate is asked for a password until the server takes it`()
        async throws
    {
        let server = try server()
        let guest = Guest([
            (.useCredential, "wrong"), (.useCredential, "secret"),
        ])

        let (data, response) = try await session(guest).data(from: try url(server.url("/file")))

        #expect(data == Data(Self.file) && (response as? HTTPURLResponse)?.statusCode == 200)
        let challenges = guest.challenges
        #expect(challenges.map(\.previousFailureCount) == [0, 1])
        let space = try #require(challenges.first?.protectionSpace)
        #expect(space.host == "127.0.0.1" && space.port == Int(server.port))
        #expect(space.realm == "the \"realm\", here" && space.protocol == "http")
        #expect(space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [
        (URLSession.AuthChallengeDisposition.performDefaultHandling, 1),
        (.rejectProtectionSpace, 2), (.useCredential, 1),
    ]) func `The status 401 is the response where there is no password`(
        disposition: URLSession.AuthChallengeDisposition, count: Int
    ) async throws {
        let server = try server(["Basic realm=\"a\", Digest realm=\"b\", nonce=\"1\""])
        let guest = Guest([(disposition, nil), (disposition, nil)])

        let (data, response) = try await session(guest).data(from: try url(server.url("/")))

        #expect(String(decoding: data, as: UTF8.self) == "Who are you?")
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        // The safer one first.
        let methods = [NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodHTTPBasic]
        #expect(
            guest.challenges.map(\.protectionSpace.authenticationMethod)
                == Array(methods.prefix(count)))
        #expect(guest.challenges.map(\.protectionSpace.realm) == Array(["b", "a"].prefix(count)))
        #expect(server.requests.count == 1)
    }

    @Test func `A challenge that is cancelled ends the task`() async throws {
        let server = try server()
        let guest = Guest([(.cancelAuthenticationChallenge, nil)])
        let url = try url(server.url("/"))

        let error = await #expect(throws: URLError.self) {
            try await session(guest).data(from: url)
        }

        #expect(error?.errorCode == NSURLErrorCancelled)
    }

    @Test func `A password is proposed again for the session, as long as the server takes it`()
        async throws
    {
        let server = try server()
        let guest = Guest([(.useCredential, "secret"), (.performDefaultHandling, nil)])
        let session = session(guest)

        for _ in 0..<2 {
            let (data, _) = try await session.data(from: try url(server.url("/")))
            #expect(data == Data(Self.file))
        }

        #expect(guest.challenges.map { $0.proposedCredential?.password } == [nil, "secret"])
    }

    /// The digest of RFC 7616, with MD5: without it a server of today sends a password in the clear.
    @Test func `A digest is sent in place of the password`() async throws {
        let server = try Server { request in
            guard let text = request.fields["authorization"], text.hasPrefix("Digest ") else {
                return Self.refusal(["Digest realm=\"r\", nonce=\"n\", qop=\"auth\""])
            }
            return Server.Response(file: Self.file, to: request)
        }
        let guest = Guest([(.useCredential, "secret")])

        let (data, _) = try await session(guest).data(from: try url(server.url("/")))

        #expect(data == Data(Self.file))
        let sent = try #require(server.requests.last?.fields["authorization"])
        #expect(sent.contains("username=\"me\"") && sent.contains("realm=\"r\""))
        #expect(!sent.contains("secret"))
    }

    @Test func `A background download waits for its delegate's password`() throws {
        let server = try server()
        let guest = Guest([(.useCredential, "secret")])
        let session = URLSession(
            bench.configuration(), guest, nil, host: HostStateBroadcaster(),
            board: BackgroundSessionBoard())
        let task = session.downloadTask(with: try url(server.url("/file")))

        task.resume()

        #expect(try guest.files.next() == Self.file)
        #expect(guest.challenges.map(\.previousFailureCount) == [0])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        try waitUntil { bench.names(in: "done") == [] }
        // Nothing of the password is left on the disk.
        #expect(bench.names(in: "pending") == [])
        session.invalidateAndCancel()
        try waitUntil { session.isInvalid }
    }

    @Test func `A background download without a password has the status 401`() throws {
        let server = try server()
        let session = bench.session()

        let task = session.downloadTask(with: try url(server.url("/")))
        task.resume()

        #expect(try bench.recorder.next() == .file(task: 1, Array("Who are you?".utf8)))
        #expect(try bench.recorder.next() == .end(task: 1, code: nil))
        #expect((task.response as? HTTPURLResponse)?.statusCode == 401)
        #expect(server.requests.count == 2)
    }

    @Test(.rule("J19"))
    func `A host that does not run is launched for a challenge, once, and its answer counts`()
        throws
    {
        let server = try server()
        let mark = bench.url.appending(path: "mark").path
        let script = ["/bin/sh", "-c", "echo x >> \(mark)"]
        _ = try bench.session("starter").allTasksNow()
        let client = try bench.client()
        _ = try client.call(OpenSession(session: "a", launch: script))
        try client.beginTask(of: "a", server.url("/"))
        client.close()

        try waitUntil { (try? String(contentsOfFile: mark, encoding: .utf8)) == "x\n" }
        let next = try bench.client()
        let reply = try next.call(OpenSession(session: "a", launch: script))
        let status = try #require(reply.tasks.first)
        #expect(status.state == .running && status.waitReasons == [.known(.host)])
        let question = try #require(status.question)
        #expect(question.challenges.map(\.method) == [.known(.basic)])
        var stale = AnswerSessionTask(session: "a", task: 1, question: question.number + 1)
        stale.challenge = ChallengeAnswer(.cancel)
        #expect(try next.call(stale).question == question)
        var answer = AnswerSessionTask(session: "a", task: 1, question: question.number)
        answer.challenge = ChallengeAnswer(user: "me", password: "secret")
        #expect(try next.call(answer).question == nil)

        try waitUntil { bench.names(in: "files").count == 1 }
        #expect(server.requests.last?.fields["authorization"] == Self.basic)
        #expect((try? String(contentsOfFile: mark, encoding: .utf8)) == "x\n")
    }

    @Test func `A challenge survives the process that transfers`() throws {
        let server = try server()
        _ = try bench.session("starter").allTasksNow()
        let client = try bench.client()
        _ = try client.call(OpenSession(session: "a"))
        try client.beginTask(of: "a", server.url("/"))
        let ask = { try client.call(OpenSession(session: "a")).tasks.first?.question }
        try waitUntil { try ask() != nil }
        let question = try ask()

        bench.kill()

        _ = try bench.session("starter 2").allTasksNow()
        let next = try bench.client()
        #expect(try next.call(OpenSession(session: "a")).tasks.first?.question == question)
        #expect(server.requests.count == 1)
    }
}

/// A delegate that answers challenges from a list, as the user "me".
private final class Guest: NSObject, URLSessionDownloadDelegate {
    typealias Answer = (URLSession.AuthChallengeDisposition, password: String?)

    let files = Inbox<[UInt8]>()
    private let state: Mutex<(answers: [Answer], challenges: [URLAuthenticationChallenge])>

    init(_ answers: [Answer]) { state = Mutex((answers, [])) }

    var challenges: [URLAuthenticationChallenge] { state.withLock(\.challenges) }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let answer = state.withLock { state in
            state.challenges.append(challenge)
            return state.answers.isEmpty
                ? (.performDefaultHandling, nil) : state.answers.removeFirst()
        }
        completionHandler(
            answer.0,
            answer.password.map {
                URLCredential(user: "me", password: $0, persistence: .forSession)
            })
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) { files.put((try? Data(contentsOf: location)).map(Array.init) ?? []) }
}

import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongTransferIO
import UndersongTransfers

/// A load, the reports of it, and what comes out of its pipe.
private final class Client: Sendable {
    private let reports = Mutex<[LoadReport]>([])
    private let end = DispatchSemaphore(value: 0)
    private let body: Task<[UInt8], Never>
    private let engine: LoadEngine
    private let id = Mutex(0)

    /// Begins a load. `answer` answers each challenge.
    init(
        _ call: OpenLoad, body file: Int32? = nil,
        _ engine: LoadEngine = LoadEngine(LoadEngine.Settings(), clock: SystemClock()),
        answer: @escaping @Sendable (ServerChallenge) -> ChallengeAnswer? = { _ in nil }
    ) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        let bytes = Mutex<[UInt8]>([])
        let isRead = DispatchSemaphore(value: 0)
        startThread(named: "body") {
            while case let data = reader.nextData, !data.isEmpty {
                bytes.withLock { $0 += data }
            }
            isRead.signal()
        }
        self.engine = engine
        body = Task {
            await withCheckedContinuation { continuation in
                startThread(named: "body's end") {
                    isRead.wait()
                    continuation.resume(returning: bytes.withLock(\.self))
                }
            }
        }
        let number = engine.open(call, pipe: ends[1], body: file) { [self] id, report in
            reports.withLock { $0.append(report) }
            switch report.phase.known {
            case .finished, .failed: end.signal()
            case .challenged:
                if let reply = report.challenge.flatMap(answer) { engine.answer(id, reply) }
            case .waiting, .sending, .responded, nil: break
            }
        }
        id.withLock { $0 = number }
    }

    /// Waits for the end, and returns all reports and the body.
    func result() async throws -> (reports: [LoadReport], body: [UInt8]) {
        try #require(end.wait(timeout: .now() + patience) == .success)
        return (reports.withLock(\.self), await body.value)
    }

    /// Gives it up, and returns the body that has come until then.
    func close() async -> [UInt8] {
        engine.close(id.withLock(\.self))
        return await body.value
    }

    var phases: [LoadReport.Phase] { reports.withLock { $0.compactMap(\.phase.known) } }
}

@Suite(.timeLimit(.minutes(1))) struct `The engine for loads` {
    private typealias Response = ScriptedHTTPServer.Response

    @Test func `The engine for loads passes a body through the pipe, after its response`()
        async throws
    {
        let text = String(repeating: "Moin! ", count: 100_000)
        let server = try ScriptedHTTPServer { _ in textResponse(text, [("X-A", "b")]) }

        let (reports, body) = try await Client(OpenLoad(url: server.url("/a"))).result()

        #expect(reports.map(\.phase.known) == [.responded, .finished])
        #expect(reports[0].response?.status == 200)
        #expect(String(decoding: body, as: UTF8.self) == text)
    }

    @Test func `The engine for loads follows redirects, and leaves out their bodies`()
        async throws
    {
        let server = try ScriptedHTTPServer { request in
            request.path == "/b"
                ? textResponse("there")
                : textResponse("not this", status: 303, [("Location", "/b")])
        }

        let (reports, body) = try await Client(
            OpenLoad(url: server.url("/a"), method: "POST")
        ).result()

        #expect(reports.map(\.phase.known) == [.responded, .finished])
        #expect(String(decoding: body, as: UTF8.self) == "there")
        #expect(server.requests.map(\.method) == ["POST", "GET"])
    }

    @Test func `The engine for loads sends a file, and says how much of it`() async throws {
        let content = String(repeating: "x", count: 300_000)
        let file = try file(content)
        let server = try ScriptedHTTPServer { request in textResponse("\(request.body.count)") }

        let (reports, body) = try await Client(
            OpenLoad(url: server.url("/a"), method: "PUT"), body: file
        ).result()

        #expect(reports.last?.phase.known == .finished)
        #expect(reports.compactMap(\.sent).last == 300_000)
        #expect(String(decoding: body, as: UTF8.self) == "300000")
    }

    @Test func `The engine for loads asks for a credential, and sends it`() async throws {
        let server = try ScriptedHTTPServer { request in
            request.fields["authorization"] == "Basic YTpi"
                ? textResponse("in")
                : textResponse("out", status: 401, [("WWW-Authenticate", "Basic realm=\"r\"")])
        }

        let (reports, body) = try await Client(OpenLoad(url: server.url("/a"))) { challenge in
            ChallengeAnswer(user: "a", password: challenge.failures == 0 ? "wrong" : "b")
        }.result()

        #expect(
            reports.map(\.phase.known) == [.challenged, .challenged, .responded, .finished])
        #expect(String(decoding: body, as: UTF8.self) == "in")
    }

    @Test(arguments: [
        (ChallengeAnswer.Action.response, LoadReport.Phase.finished, "out"), (.cancel, .failed, ""),
        // Without a name and a password.
        (.credential, .failed, ""), (.other, .finished, "out"),
    ])
    func `The engine for loads ends a challenge as it is answered`(
        action: ChallengeAnswer.Action, end: LoadReport.Phase, text: String
    ) async throws {
        let server = try ScriptedHTTPServer { _ in
            textResponse("out", status: 401, [("WWW-Authenticate", "Basic realm=\"r\"")])
        }

        let (reports, body) = try await Client(OpenLoad(url: server.url("/a"))) { _ in
            ChallengeAnswer(action)
        }.result()

        #expect(reports.last?.phase.known == end)
        #expect(String(decoding: body, as: UTF8.self) == text)
        #expect(server.requests.count == 1)
    }

    @Test func `The engine for loads fails with the reason`() async throws {
        let silent = try ScriptedHTTPServer { _ in
            var response = Response()
            response.isSilent = true
            return response
        }
        let loop = try ScriptedHTTPServer { _ in textResponse("", status: 302, [("Location", "/a")])
        }
        let stalling = try ScriptedHTTPServer { _ in
            var response = textResponse("half")
            response.stall = 2
            return response
        }
        var stalled = OpenLoad(url: stalling.url("/a"))
        stalled.stall = 0.2
        let calls: [(OpenLoad, LoadReport.Failure)] = [
            (OpenLoad(url: silent.url("/a")), .lost),
            (OpenLoad(url: loop.url("/a")), .tooManyRedirects), (stalled, .timedOut),
            (OpenLoad(url: "http://127.0.0.1:1/"), .cannotConnect),
        ]

        for (call, failure) in calls {
            let (reports, _) = try await Client(call).result()
            #expect(reports.last?.code?.known == failure, "\(call.url)")
            #expect(reports.last?.reason?.isEmpty == false)
        }
    }

    @Test func `The engine for loads waits for a network if it may, and begins when there is one`()
        async throws
    {
        let engine = LoadEngine(LoadEngine.Settings(), clock: SystemClock())
        var machine = MachineState()
        machine.network.connectivity = .none
        engine.apply(machine)
        // A multicast address, to which the kernel connects nothing.
        var call = OpenLoad(url: "http://224.0.0.1/")
        let failed = try Client(call, engine)
        let reports = try await failed.result().reports
        call.waits = true
        call.within = 0.5
        let client = try Client(call, engine)
        // By then it may already have waited for too long.
        try await eventually { client.phases.first == .waiting }

        #expect(reports.last?.code?.known == .offline)
        #expect(try await client.result().reports.last?.code?.known == .timedOut)
    }

    @Test func `The engine for loads closes the pipe of a load that is given up`() async throws {
        let server = try ScriptedHTTPServer { _ in
            var response = textResponse("half")
            response.stall = 2
            return response
        }
        let client = try Client(OpenLoad(url: server.url("/a")))
        try await eventually { client.phases == [.responded] }

        #expect(await client.close().count <= 2)
    }

    private func file(_ text: String) throws -> Int32 {
        let path = FileManager.default.temporaryDirectory.appending(path: "load-\(UUID())").path
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        defer { unlink(path) }
        return open(path, O_RDONLY | O_CLOEXEC)
    }
}

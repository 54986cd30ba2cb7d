import Foundation
import Synchronization
import TestSupport
import Testing
import Threads

@testable import TransferIO

/// A server of ntfy with one topic, whose connections end after some messages or stay open.
private final class NtfyServer: Sendable {
    private struct State {
        var messages: [(id: String, line: String)] = []
        /// How many messages a connection brings before it is cut; nil to stay open.
        var cut: Int?
        var repeats = 0
    }

    private let state = Mutex(State())
    private let server = Mutex<ScriptedHTTPServer?>(nil)

    init() throws {
        let new = try ScriptedHTTPServer { [weak self] request in
            self?.answer(request) ?? ScriptedHTTPServer.Response()
        }
        server.withLock { $0 = new }
    }

    var url: String { server.withLock { $0?.url("/t") ?? "" } }
    var requests: [ScriptedHTTPServer.Request] { server.withLock { $0?.requests ?? [] } }
    func url(_ path: String) -> String { server.withLock { $0?.url(path) ?? "" } }

    func publish(_ id: String, _ members: String) {
        let line =
            "{\"id\":\"\(id)\",\"time\":1,\"event\":\"message\",\"topic\":\"t\",\(members)}\n"
        state.withLock { $0.messages.append((id, line)) }
    }

    /// Cuts connections after so many messages, and sends so many again that were asked for before.
    func cut(after count: Int?, repeating repeats: Int = 0) {
        state.withLock { ($0.cut, $0.repeats) = (count, repeats) }
    }

    private func answer(_ request: ScriptedHTTPServer.Request) -> ScriptedHTTPServer.Response {
        var response = ScriptedHTTPServer.Response()
        response.announcesLength = false
        if request.path == "/long" {
            response.body = Array(repeating: UInt8(ascii: "x"), count: 4097)
            return response
        }
        guard request.path.hasPrefix("/t/json") else {
            response.status = 404
            return response
        }
        let since = request.path.split(separator: "=").dropFirst().first.map(String.init)
        state.withLock { state in
            let place = state.messages.firstIndex { $0.id == since }.map { $0 + 1 } ?? 0
            let start = max(0, place - state.repeats)
            let end = min(state.messages.count, place + (state.cut ?? .max / 2))
            let text =
                "{\"id\":\"o\",\"event\":\"open\"}\n"
                + state.messages[start..<end].map(\.line).joined()
            response.body = Array(text.utf8)
            if state.cut == nil {
                response.body.append(0x0a)
                response.stall = response.body.count - 1
            }
        }
        return response
    }
}

/// Takes what an engine hands on.
private final class Taker: Sendable {
    let messages = Mutex<[(id: String, payload: [UInt8])]>([])
    private let hasNews = DispatchSemaphore(value: 0)

    var ids: [String] { messages.withLock { $0.map(\.id) } }

    func take(_ id: String, _ payload: [UInt8]) {
        messages.withLock { $0.append((id, payload)) }
        hasNews.signal()
    }

    func wait(until isReached: (Taker) -> Bool) throws {
        while !isReached(self) { try hasNews.waitPatiently(orSay: "only \(ids) have come") }
    }
}

@Suite(.blockingThreads, .timeLimit(.minutes(2))) struct `An engine that listens for pushes` {
    private let folder = URL(filePath: "/tmp/undersong-pushes-\(UUID().uuidString.prefix(8))")
    private let taker = Taker()

    private func engine() throws -> PushEngine {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return PushEngine(
            file: folder.path + "/pushes", settings: PushEngine.Settings(), clock: SystemClock(),
            handOn: { [taker] id, payload, answer in
                taker.take(id, payload)
                answer(true)
            }, log: { _ in })
    }

    private func stop(_ engine: PushEngine) {
        let done = DispatchSemaphore(value: 0)
        engine.listen(to: nil) { _ in done.signal() }
        done.wait()
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func `hands on messages byte for byte, and attachments`() throws {
        let server = try NtfyServer()
        server.publish("a", "\"message\":\"{\\\"aps\\\":{}, \\\"é\\\": 1e400}\"")
        server.publish("b", "\"message\":\"AAEC\",\"encoding\":\"base64\"")
        server.publish(
            "c", "\"message\":\"long\",\"attachment\":{\"url\":\"\(server.url("/long"))\"}")
        let engine = try engine()

        engine.listen(to: server.url) { _ in }
        try taker.wait { $0.ids.count == 3 }

        let payloads = taker.messages.withLock { $0.map(\.payload) }
        #expect(taker.ids == ["a", "b", "c"])
        #expect(payloads[0] == Array("{\"aps\":{}, \"é\": 1e400}".utf8))
        #expect(payloads[1] == [0, 1, 2])
        #expect(payloads[2].count == 4097)
        stop(engine)
        #expect(!engine.isListening)
    }

    @Test func `PU10: takes each message once and in order although connections are cut`() throws {
        let server = try NtfyServer()
        let ids = (1...20).map { "m\($0)" }
        for id in ids { server.publish(id, "\"message\":\"\(id)\"") }
        server.cut(after: 1, repeating: 2)
        let engine = try engine()

        engine.listen(to: server.url) { _ in }
        for count in 1...ids.count {
            try taker.wait { $0.ids.count >= count }
            engine.awake()
        }

        #expect(taker.ids == ids)
        stop(engine)
    }

    @Test func `connects again by itself`() throws {
        let server = try NtfyServer()
        server.publish("a", "\"message\":\"1\"")
        server.publish("b", "\"message\":\"2\"")
        server.cut(after: 1)
        let engine = try engine()

        engine.listen(to: server.url) { _ in }
        try taker.wait { $0.ids.count == 2 }

        #expect(taker.ids == ["a", "b"])
        stop(engine)
    }

    @Test func `continues after a restart with what was not taken`() throws {
        let server = try NtfyServer()
        server.publish("a", "\"message\":\"1\"")
        let first = try engine()
        first.listen(to: server.url) { _ in }
        try taker.wait { $0.ids == ["a"] }
        let file = folder.path + "/pushes"
        while PushRecord.read(from: file)?.last != "a" { usleep(1000) }

        server.publish("b", "\"message\":\"2\"")
        let second = try engine()
        second.start()
        try taker.wait { $0.ids.count == 2 }

        #expect(taker.ids == ["a", "b"])
        #expect(server.requests.last?.path == "/t/json?since=a")
        stop(second)
        stop(first)
    }
}

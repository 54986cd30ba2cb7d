import TestSupport
import Testing

@testable import Transfers

/// A server of ntfy with one topic, a listener, and somebody who takes its messages.
struct NtfyStage {
    var listener: NtfyListener
    var now = 0.0
    /// What the server has, in its order.
    var messages: [(id: String, line: String)] = []
    /// The connections that were made, by what they asked for.
    var connections: [String?] = []
    var isConnected = false
    var handedOn: [(id: String, payload: String)] = []
    var fetches: [String] = []
    var kept: [String] = []
    /// Whether messages are taken at once.
    var takes = true
    var failures = 0

    init(after last: String? = nil, seed: UInt64 = 1) {
        listener = NtfyListener(after: last, seed: seed)
        handle(.timePassed)
    }

    mutating func handle(_ input: NtfyListener.Input) {
        for effect in listener.handle(input, at: now) {
            switch effect {
            case .connect(let last):
                connections.append(last)
                isConnected = true
            case .disconnect: isConnected = false
            case .handOn(let id, let payload):
                handedOn.append((id, String(decoding: payload, as: UTF8.self)))
                if failures > 0 {
                    failures -= 1
                    handle(.notTaken(id))
                } else if takes {
                    handle(.taken(id))
                }
            case .fetch(_, let url): fetches.append(url)
            case .keep(let id): kept.append(id)
            }
        }
    }

    mutating func send(_ text: String) { handle(.bytes(Array(text.utf8))) }

    mutating func lose() {
        isConnected = false
        handle(.ended("The connection was lost"))
    }

    /// Moves time to `time`, stopping wherever something is due.
    mutating func advance(to time: Double) {
        while listener.nextDue <= time {
            now = max(now, listener.nextDue)
            handle(.timePassed)
        }
        now = time
    }

    static func message(_ id: String, _ text: String = "{}") -> String {
        "{\"id\":\"\(id)\",\"time\":1,\"event\":\"message\",\"topic\":\"t\",\"message\":\"\(text)\"}\n"
    }
}

@Suite struct `A listener at a topic of ntfy` {
    @Test func `connects, and hands messages on in their order`() {
        var stage = NtfyStage()

        stage.send("{\"id\":\"x\",\"event\":\"open\",\"topic\":\"t\"}\n" + NtfyStage.message("a"))
        stage.send("{\"id\":\"y\",\"event\":\"keepalive\"}\n" + NtfyStage.message("b"))

        #expect(stage.connections == [nil])
        #expect(stage.handedOn.map(\.id) == ["a", "b"])
        #expect(stage.kept == ["a", "b"])
    }

    @Test func `reads messages in pieces of any size`() {
        var stage = NtfyStage()
        let text = NtfyStage.message("a", "é\\u00e9\\n\\\"") + NtfyStage.message("b", "😀")

        for byte in text.utf8 { stage.handle(.bytes([byte])) }

        #expect(stage.handedOn.map(\.payload) == ["éé\n\"", "😀"])
    }

    @Test func `asks for what has come after the last message that was taken`() {
        var stage = NtfyStage(after: "m")
        stage.send(NtfyStage.message("a"))
        stage.takes = false
        stage.send(NtfyStage.message("b") + NtfyStage.message("c"))

        stage.lose()
        stage.advance(to: 3)
        stage.send(NtfyStage.message("b") + NtfyStage.message("c") + NtfyStage.message("d"))
        stage.takes = true
        stage.handle(.taken("b"))

        #expect(stage.connections == ["m", "a"])
        #expect(stage.handedOn.map(\.id) == ["a", "b", "c", "d"])
        #expect(stage.kept == ["a", "b", "c", "d"])
    }

    @Test func `reads base64, and fetches attachments`() {
        var stage = NtfyStage()

        stage.send(
            "{\"id\":\"a\",\"event\":\"message\",\"message\":\"eyJhcHMiOnt9fQ==\","
                + "\"encoding\":\"base64\"}\n")
        stage.send(
            "{\"id\":\"b\",\"event\":\"message\",\"message\":\"You received a file\","
                + "\"attachment\":{\"name\":\"x\",\"url\":\"https://n.example/file/b.txt\"}}\n")
        stage.send(NtfyStage.message("c"))
        let before = stage.handedOn.map(\.payload)
        stage.handle(.fetched("b", nil))
        stage.advance(to: 3)
        stage.handle(.fetched("b", Array("long".utf8)))

        #expect(before == ["{\"aps\":{}}"])
        #expect(stage.fetches == Array(repeating: "https://n.example/file/b.txt", count: 2))
        #expect(stage.handedOn.map(\.payload) == ["{\"aps\":{}}", "long", "{}"])
    }

    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar"),
        ("Zg=", nil), ("Z===", nil), ("Zm9-", nil), ("Zg==Zg==", nil),
    ])
    func `decodes base64 as RFC 4648 has it`(text: String, bytes: String?) {
        #expect(Base64.bytes(of: text).map { String(decoding: $0, as: UTF8.self) } == bytes)
    }

    @Test(arguments: [
        "", "hello", "[1]", "{}", "{\"event\":\"message\"}", "{\"event\":\"message\",\"id\":\"\"}",
        "{\"event\":7,\"id\":\"a\"}", "{\"id\":\"a\",\"event\":\"poll_request\"}",
        "{\"id\":\"a\",\"event\":\"message\"",
    ])
    func `ignores lines that are no messages`(line: String) {
        var stage = NtfyStage()

        stage.send(line + "\n" + NtfyStage.message("b"))

        #expect(stage.handedOn.map(\.id) == ["b"])
    }

    @Test func `leaves out a line that is too long`() {
        var stage = NtfyStage()

        stage.send("{\"id\":\"a\",\"event\":\"message\",\"message\":\"")
        for _ in 1...100 { stage.send(String(repeating: "x", count: 1000)) }
        stage.send("\"}\n" + NtfyStage.message("b"))

        #expect(stage.handedOn.map(\.id) == ["b"])
    }

    @Test func `PU11: takes a connection without a byte for 115 s for dead`() {
        var stage = NtfyStage()
        stage.advance(to: 100)
        stage.send("\n")

        stage.advance(to: 214.9)
        let before = stage.connections.count
        stage.advance(to: 218)

        #expect(before == 1)
        #expect(stage.connections.count == 2)
    }

    @Test func `PU11: connects at once after sleep, and with another network`() {
        var stage = NtfyStage()
        stage.now = 50

        stage.handle(.awoke)
        stage.lose()
        stage.handle(.awoke)

        #expect(stage.connections.count == 3)
        #expect(stage.isConnected)
    }

    @Test func `waits twice as long after each attempt, up to five minutes, with jitter`() {
        var stage = NtfyStage()
        var delays: [Double] = []

        for _ in 1...12 {
            stage.lose()
            delays.append(stage.listener.nextDue - stage.now)
            stage.advance(to: stage.listener.nextDue)
        }
        stage.send("{\"event\":\"open\"}\n")
        stage.lose()
        delays.append(stage.listener.nextDue - stage.now)

        let means = [2.0, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300, 2]
        for (delay, mean) in zip(delays, means) {
            #expect((mean * 0.75...mean * 1.25).contains(delay))
        }
        #expect(Set(zip(delays, means).map { $0 / $1 }).count > 10)
    }

    @Test func `hands a message on again if it could not be taken, before the next one`() {
        var stage = NtfyStage()
        stage.failures = 2

        stage.send(NtfyStage.message("a") + NtfyStage.message("b"))
        let before = stage.handedOn.map(\.id)
        stage.advance(to: 20)

        #expect(before == ["a"])
        #expect(stage.handedOn.map(\.id) == ["a", "a", "a", "b"])
        #expect(stage.kept == ["a", "b"])
    }

    @Test func `stops reading a flood, and continues when it was taken`() {
        var stage = NtfyStage()
        stage.takes = false
        let all = (1...200).map { "m\($0)" }

        stage.send(all.map { NtfyStage.message($0) }.joined())
        let isConnected = stage.isConnected
        stage.takes = true
        stage.handle(.taken("m1"))
        let asked = stage.connections.last
        let start = all.firstIndex { $0 == asked }.map { $0 + 1 } ?? 0
        stage.send(all[start...].map { NtfyStage.message($0) }.joined())

        #expect(!isConnected)
        #expect(asked == "m65")
        #expect(stage.kept.count > 100)
        #expect(stage.kept == Array(all.prefix(stage.kept.count)))
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `PU10: takes every message once and in order, whatever the server does`(seed: UInt64) {
        var random = Random(seed)
        var stage = NtfyStage(seed: seed)
        // The first connection says from where on messages count.
        stage.send("{\"event\":\"open\"}\n" + NtfyStage.message("m0"))
        var published = ["m0"]
        var place = 1
        func next(_ stage: NtfyStage) -> Int {
            let last = stage.connections.last ?? nil
            return last.flatMap { last in published.firstIndex(of: last) }.map { $0 + 1 } ?? 0
        }
        for _ in 1...300 {
            let connections = stage.connections.count
            switch random.below(8) {
            case 0: stage.lose()
            case 1: stage.handle(.awoke)
            case 2: stage.failures = random.below(3)
            case 3:
                published += (0...random.below(100)).map { _ in "m\(published.count)" }
                    .enumerated().map { "m\(published.count + $0.offset)" }
            case 4: stage.advance(to: stage.now + Double(random.below(400)))
            default: stage.advance(to: stage.now + Double(random.below(4)))
            }
            if stage.connections.count > connections { place = next(stage) }
            guard stage.isConnected else { continue }
            // Sometimes a few come again.
            let start = max(0, place - (random.below(4) == 0 ? random.below(5) : 0))
            let end = min(published.count, start + random.below(90))
            let count = stage.connections.count
            if start < end {
                stage.send(published[start..<end].map { NtfyStage.message($0) }.joined())
            }
            place = stage.connections.count > count ? next(stage) : max(place, end)
        }
        stage.failures = 0
        for _ in 1...1000 where stage.kept.count < published.count {
            stage.handle(.awoke)
            place = next(stage)
            let end = min(published.count, place + 50)
            stage.send(published[place..<end].map { NtfyStage.message($0) }.joined())
            stage.advance(to: stage.now + 1000)
        }

        #expect(stage.kept == published)
    }

    @Test(arguments: [
        ("https://n.example/t", nil, "https://n.example/t/json"),
        ("https://n.example/t/", "aB3", "https://n.example/t/json?since=aB3"),
        ("https://n.example/t?auth=x", "aB3", "https://n.example/t/json?auth=x&since=aB3"),
        ("https://n.example/t", "a&b", "https://n.example/t/json?since=all"),
    ])
    func `has the URL of the stream`(topic: String, last: String?, url: String) {
        #expect(NtfyListener.url(of: topic, after: last) == url)
    }
}

/// Numbers that a seed determines (xorshift).
private struct Random {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

    mutating func below(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 33) % limit
    }
}

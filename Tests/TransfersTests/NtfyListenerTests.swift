import TestSupport
import Testing
import UndersongBase

@testable import UndersongTransfers

/// A server of ntfy with one topic, a listener, and somebody who takes its messages.
struct NtfyStage {
    var listener: NtfyListener
    var now = 0.0
    /// The number of connections made.
    var connections = 0
    var isConnected = false
    /// The times from which on it asked for kept messages.
    var asked: [Int] = []
    var delivered: [(id: String, payload: String)] = []
    /// The messages that were accepted, in order.
    var taken: [String] = []
    var fetches: [String] = []
    /// The reports that messages may be missing, by how many messages were handed on before.
    var missing: [Int] = []
    var places: [NtfyPosition] = []
    /// The number of inputs that have woken the program.
    var wakes = 0
    /// True if messages are accepted at once.
    var takes = true
    var failures = 0

    init(at place: NtfyPosition = NtfyPosition(), seed: UInt64 = 1, now: Double = 0) {
        listener = NtfyListener(at: place, seed: seed)
        self.now = now
        handle(.timePassed)
    }

    mutating func handle(_ input: NtfyListener.Input) {
        wakes += 1
        for effect in listener.handle(input, at: now) {
            switch effect {
            case .connect:
                connections += 1
                isConnected = true
            case .ask(let since): asked.append(since)
            case .disconnect: isConnected = false
            case .deliver(let id, let payload):
                delivered.append((id, String(decoding: payload, as: UTF8.self)))
                answer(id)
            case .reportMissing(let id):
                missing.append(delivered.count)
                answer(id)
            case .fetch(_, let url): fetches.append(url)
            case .keep(let place): places.append(place)
            }
        }
    }

    /// The time at which the listener has something to do; infinity for never.
    var nextDue: Double { listener.nextDue(at: now).boot ?? .infinity }

    private mutating func answer(_ id: String) {
        if failures > 0 {
            failures -= 1
            handle(.notDelivered(id))
        } else if takes {
            taken.append(id)
            handle(.delivered(id))
        }
    }

    /// The last messages of the places that were kept, each once.
    var kept: [String] {
        places.compactMap(\.last).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    mutating func send(_ text: String) { handle(.bytes(Array(text.utf8))) }

    /// Sends lines of what was kept.
    mutating func sendKept(_ text: String) { handle(.keptBytes(Array(text.utf8))) }

    /// Opens a connection at a time of the server's clock, waits until it is asked for what was
    /// kept, and sends all of that.
    mutating func open(at time: Int, kept: String = "") {
        send(Self.event("open", time: time))
        advance(to: now + 1)
        sendKept(kept)
        handle(.keptEnded(nil))
    }

    mutating func lose() {
        isConnected = false
        handle(.ended("The connection was lost"))
    }

    /// Moves time to `time`, stopping wherever something is due.
    mutating func advance(to time: Double) {
        while nextDue <= time {
            now = max(now, nextDue)
            handle(.timePassed)
        }
        now = time
    }

    /// The time of messages without another one.
    static let time = 1_800_000_000

    /// The line of a message that is kept for twelve hours.
    static func message(_ id: String, _ text: String = "{}", time: Int = time) -> String {
        """
        {"id":"\(id)","time":\(time),"expires":\(time + 43_200),"event":"message","topic":"t",\
        "message":"\(text)"}

        """
    }

    static func event(_ kind: String, time: Int) -> String {
        "{\"id\":\"x\",\"time\":\(time),\"event\":\"\(kind)\",\"topic\":\"t\"}\n"
    }
}

@Suite struct `A listener at an ntfy topic` {
    @Test func `NtfyListener connects, and hands messages on in their order`() {
        var stage = NtfyStage()

        stage.send("{\"id\":\"x\",\"event\":\"open\",\"topic\":\"t\"}\n" + NtfyStage.message("a"))
        stage.send("{\"id\":\"y\",\"event\":\"keepalive\"}\n" + NtfyStage.message("b"))

        #expect(stage.connections == 1 && stage.asked == [])
        #expect(stage.delivered.map(\.id) == ["a", "b"])
        #expect(stage.kept == ["a", "b"])
    }

    @Test func `NtfyListener reads messages in pieces of any size`() {
        var stage = NtfyStage()
        let text = NtfyStage.message("a", "é\\u00e9\\n\\\"") + NtfyStage.message("b", "😀")

        for byte in text.utf8 { stage.handle(.bytes([byte])) }

        #expect(stage.delivered.map(\.payload) == ["éé\n\"", "😀"])
    }

    @Test func `NtfyListener hands a message on once although it comes again`() {
        var stage = NtfyStage()
        stage.send(NtfyStage.message("a"))
        stage.takes = false
        stage.send(NtfyStage.message("b") + NtfyStage.message("c"))

        stage.lose()
        stage.advance(to: 3)
        let lines = ["a", "b", "c", "d"].map { NtfyStage.message($0) }
        stage.send(lines[1] + lines[3])
        stage.open(at: NtfyStage.time, kept: lines.joined())
        stage.takes = true
        stage.handle(.delivered("b"))

        #expect(stage.delivered.map(\.id) == ["a", "b", "c", "d"])
        #expect(stage.kept == ["a", "b", "c", "d"])
    }

    @Test func `NtfyListener reads base64, and fetches attachments`() {
        var stage = NtfyStage()

        stage.send(
            "{\"id\":\"a\",\"time\":1,\"event\":\"message\",\"message\":\"eyJhcHMiOnt9fQ==\","
                + "\"encoding\":\"base64\"}\n")
        stage.send(
            "{\"id\":\"b\",\"time\":1,\"event\":\"message\",\"message\":\"You received a file\","
                + "\"attachment\":{\"name\":\"x\",\"url\":\"https://n.example/file/b.txt\"}}\n")
        stage.send(NtfyStage.message("c"))
        let before = stage.delivered.map(\.payload)
        stage.handle(.fetched("b", nil))
        stage.advance(to: 3)
        stage.handle(.fetched("b", Array("long".utf8)))

        #expect(before == ["{\"aps\":{}}"])
        #expect(stage.fetches == Array(repeating: "https://n.example/file/b.txt", count: 2))
        #expect(stage.delivered.map(\.payload) == ["{\"aps\":{}}", "long", "{}"])
    }

    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar"),
        ("Zg=", nil), ("Z===", nil), ("Zm9-", nil), ("Zg==Zg==", nil),
    ])
    func `NtfyListener decodes base64 as RFC 4648 defines it`(text: String, bytes: String?) {
        #expect(Base64(text: text).map { String(decoding: $0.bytes, as: UTF8.self) } == bytes)
    }

    @Test(arguments: [
        "", "hello", "[1]", "{}", "{\"event\":\"message\",\"time\":1}",
        "{\"event\":\"message\",\"id\":\"\",\"time\":1}",
        "{\"event\":\"message\",\"id\":\"a\"}", "{\"event\":7,\"id\":\"a\",\"time\":1}",
        "{\"id\":\"a\",\"event\":\"poll_request\",\"time\":1}",
        "{\"id\":\"a\",\"event\":\"message\",\"time\":1",
        "{\"id\":\"a\",\"event\":\"message\",\"time\":-9223372036854775808}",
        "{\"id\":\"a\",\"event\":\"message\",\"time\":9.2e18}",
        NtfyStage.message(String(repeating: "a", count: 65)).filter { $0 != "\n" },
    ])
    func `NtfyListener ignores lines that are no messages`(line: String) {
        var stage = NtfyStage()

        stage.send(line + "\n" + NtfyStage.message("b"))

        #expect(stage.delivered.map(\.id) == ["b"])
    }

    @Test(arguments: [true, false], [0, 1, 2000])
    func `NtfyListener accepts a line of 64 KiB, and leaves out one that is longer`(
        isAtEnd: Bool, more: Int
    ) {
        var stage = NtfyStage()
        let message = NtfyStage.message("a").filter { $0 != "\n" }
        let spaces = String(repeating: " ", count: 64 * 1024 - message.utf8.count + more)
        let line = Array((isAtEnd ? spaces + message : message + spaces).utf8)

        for start in stride(from: 0, to: line.count, by: 1000) {
            stage.handle(.bytes(Array(line[start...].prefix(1000))))
        }
        stage.send("\n" + NtfyStage.message("b"))

        #expect(stage.delivered.map(\.id) == (more == 0 ? ["a", "b"] : ["b"]))
    }

    @Test(.rule("PU11")) func `NtfyListener considers a connection without a byte for 115 s dead`()
    {
        var stage = NtfyStage()
        stage.advance(to: 100)
        stage.send("\n")

        stage.advance(to: 214.9)
        let before = stage.connections
        stage.advance(to: 218)

        #expect(before == 1)
        #expect(stage.connections == 2)
    }

    @Test(.rule("PU11"))
    func `NtfyListener connects at once after sleep, and with another network`() {
        var stage = NtfyStage()
        stage.now = 50

        stage.handle(.awoke)
        stage.lose()
        stage.handle(.awoke)

        #expect(stage.connections == 3)
        #expect(stage.isConnected)
    }

    @Test
    func `NtfyListener waits twice as long after each attempt, up to five minutes, with jitter`() {
        var stage = NtfyStage()
        var delays: [Double] = []

        for _ in 1...12 {
            stage.lose()
            delays.append(stage.nextDue - stage.now)
            stage.advance(to: stage.nextDue)
        }
        stage.send("{\"event\":\"open\"}\n")
        stage.lose()
        delays.append(stage.nextDue - stage.now)

        let means = [2.0, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300, 2]
        for (delay, mean) in zip(delays, means) {
            #expect((mean * 0.75...mean * 1.25).contains(delay))
        }
        #expect(Set(zip(delays, means).map { $0 / $1 }).count > 10)
    }

    @Test func `NtfyListener repeats a message that was not accepted, before the next one`() {
        var stage = NtfyStage()
        stage.failures = 2

        stage.send(NtfyStage.message("a") + NtfyStage.message("b"))
        let before = stage.delivered.map(\.id)
        stage.advance(to: 20)

        #expect(before == ["a"])
        #expect(stage.delivered.map(\.id) == ["a", "a", "a", "b"])
        #expect(stage.kept == ["a", "b"])
    }

    @Test
    func `NtfyListener repeats a message after sleep, and ever later while it fails`() {
        var stage = NtfyStage()
        stage.failures = 5
        stage.send(NtfyStage.message("a"))
        stage.advance(to: 10)
        let before = stage.delivered.count
        stage.handle(.awoke)
        let awoken = stage.delivered.count
        stage.open(at: NtfyStage.time)
        stage.advance(to: 100)
        stage.failures = 1
        stage.send(NtfyStage.message("b"))

        #expect(awoken == before + 1)
        #expect(stage.kept == ["a"])
        #expect(1.5...2.5 ~= stage.nextDue - 100)
    }

    @Test(.rule("PU15"))
    func `NtfyListener wakes at most twice a minute while nothing is published`() {
        var stage = NtfyStage()
        stage.open(at: NtfyStage.time)
        let (begin, before) = (stage.now, stage.wakes)

        for second in stride(from: 45, through: 3600, by: 45) {
            stage.advance(to: begin + Double(second))
            stage.send(NtfyStage.event("keepalive", time: NtfyStage.time + second))
        }

        #expect(stage.wakes - before <= 120)
        #expect(stage.connections == 1 && stage.isConnected)
    }

    @Test func `NtfyListener begins another line with each connection`() {
        var stage = NtfyStage()
        stage.send("{\"id\":\"a\",\"event\":")

        stage.lose()
        stage.advance(to: 3)
        stage.send(NtfyStage.message("b"))

        #expect(stage.delivered.map(\.id) == ["b"])
    }

    @Test func `NtfyListener wants no bytes during a flood, and never mistakes that for silence`() {
        var stage = NtfyStage()
        stage.takes = false

        stage.send((1...63).map { NtfyStage.message("m\($0)") }.joined())
        let before = stage.listener.wantsBytes
        stage.send((64...200).map { NtfyStage.message("m\($0)") }.joined())
        let during = stage.listener.wantsBytes
        stage.advance(to: 1000)
        let connections = stage.connections
        stage.takes = true
        stage.handle(.delivered("m1"))
        stage.advance(to: 1000 + NtfyListener.longestSilence - 1)

        #expect(before && !during && stage.listener.wantsBytes)
        #expect(connections == 1 && stage.connections == 1)
        #expect(stage.kept == (1...200).map { "m\($0)" })
    }

    @Test(
        arguments: [
            ("https://n.example/t", nil, "https://n.example/t/json"),
            ("https://n.example/t/", 17, "https://n.example/t/json?poll=1&since=17"),
            (
                "https://n.example/t?auth=x", 17,
                "https://n.example/t/json?auth=x&poll=1&since=17"
            ),
        ] as [(String, Int?, String)])
    func `NtfyListener has the URL of the stream`(topic: String, since: Int?, url: String) {
        #expect(NtfyListener.url(of: topic, since: since) == url)
    }
}

@Suite struct `A listener at an ntfy topic that was away` {
    private static let start = 1_800_000_000
    /// The last message is an hour old, and the last contact ten minutes.
    private static let place = NtfyPosition(
        last: "a", time: start, expires: start + 43_200, contact: start + 3000)

    @Test func `A listener asks for what came since the first connection without a message`() {
        var stage = NtfyStage()
        stage.send(NtfyStage.event("open", time: Self.start))

        stage.lose()
        stage.advance(to: 3)
        stage.open(at: Self.start + 3)
        var later = NtfyStage(at: stage.places.last ?? NtfyPosition())
        later.open(at: Self.start + 4)

        #expect(stage.places.count == 1)
        #expect(stage.asked == [Self.start] && later.asked == [Self.start])
    }

    @Test func `A listener that was away does not hand the last message on again`() {
        var stage = NtfyStage(at: Self.place)

        stage.open(
            at: Self.start + 3600,
            kept: NtfyStage.message("a", time: Self.start)
                + NtfyStage.message("b", time: Self.start))

        #expect(stage.asked == [Self.start - 15])
        #expect(stage.delivered.map(\.id) == ["b"])
        #expect(stage.missing == [])
    }

    @Test(.rule("PU12"), arguments: [(43_200, []), (43_201, [0])])
    func `A listener says that messages may be missing if the server was away too long`(
        seconds: Int, reports: [Int]
    ) {
        var stage = NtfyStage(at: Self.place)
        let end = Self.start + 3000 + seconds

        stage.open(at: end, kept: NtfyStage.message("b", time: end))

        #expect(stage.missing == reports)
        #expect(stage.delivered.map(\.id) == ["b"])
        #expect(
            stage.places.last
                == NtfyPosition(
                    last: "b", time: end, expires: end + 43_200, contact: end,
                    complete: end - 15))
    }

    @Test(.rule("PU12"), arguments: ["", NtfyStage.message("b", time: start + 7200)])
    func `A listener reports a gap after four hours if the server forgot the last message`(
        kept: String
    ) {
        var stage = NtfyStage(at: Self.place)
        stage.send(NtfyStage.event("open", time: Self.start + 14_355))
        stage.send(NtfyStage.message("c", time: Self.start + 14_356))
        stage.advance(to: 1)
        let before = stage.missing

        stage.sendKept(kept)
        stage.handle(.keptEnded(nil))

        #expect(before == [])
        #expect(stage.missing == [0])
        #expect(stage.delivered.map(\.id) == (kept.isEmpty ? ["c"] : ["b", "c"]))
    }

    @Test func `A listener reports no gap after two connections if the first brings nothing`() {
        var stage = NtfyStage(at: Self.place)
        stage.send(NtfyStage.event("open", time: Self.start + 3600))
        stage.lose()
        stage.advance(to: 3)

        stage.open(
            at: Self.start + 3603,
            kept: NtfyStage.message("a", time: Self.start)
                + NtfyStage.message("b", time: Self.start + 3600))

        #expect(stage.asked == [Self.start - 15])
        #expect(stage.missing == [])
    }

    @Test func `A listener reports no gap if the last message is too old for the server's memory`()
    {
        var stage = NtfyStage(at: Self.place)

        stage.open(at: Self.start + 43_200)

        #expect(stage.missing == [])
    }

    @Test
    func `A listener reports a gap before the next message, and keeps its place until accepted`() {
        var stage = NtfyStage(at: Self.place)
        stage.takes = false
        let end = Self.start + 100_000

        stage.open(at: end, kept: NtfyStage.message("b", time: end))
        let place = stage.places.last
        stage.lose()
        stage.advance(to: 4)
        stage.open(at: end + 3)
        let first = stage.missing
        stage.handle(.delivered("missing \(end)"))

        #expect(place == nil)
        #expect(first == [0])
        #expect(stage.delivered.map(\.id) == ["b"])
        #expect(stage.places.map(\.contact) == [end + 3])
    }

    @Test func `A listener keeps the time of the last contact once an hour`() {
        var stage = NtfyStage(at: Self.place)
        stage.open(at: Self.start + 3000, kept: NtfyStage.message("a", time: Self.start))

        for second in stride(from: 3000, through: 10_200, by: 45) {
            stage.send(NtfyStage.event("keepalive", time: Self.start + second))
        }

        #expect(stage.places.map(\.contact) == [Self.start + 6600, Self.start + 10_200])
        #expect(stage.places.allSatisfy { $0.last == "a" })
    }
}

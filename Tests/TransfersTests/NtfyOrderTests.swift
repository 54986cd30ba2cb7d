import TestSupport
import Testing

@testable import UndersongTransfers

@Suite struct `A listener that asks an ntfy server for kept messages` {
    private static let start = NtfyStage.time
    /// Everything up to the message `a` was taken.
    private static let place = NtfyPosition(
        last: "a", time: start, expires: start + 43_200, contact: start, complete: start - 15)
    private static let open = NtfyStage.event("open", time: start + 1000)
    private static let first = NtfyStage.message("a")
    private static let old = NtfyStage.message("old", time: start + 500)
    private static let new = NtfyStage.message("new", time: start + 1001)

    /// The time from which on a listener asks that starts again with the last position.
    private func continuation(of stage: NtfyStage) -> Int? {
        var next = NtfyStage(at: stage.places.last ?? Self.place)
        next.open(at: Self.start + 2000)
        return next.asked.last
    }

    @Test func `A listener asks a second after connecting, as the server keeps a message late`() {
        var stage = NtfyStage(at: Self.place)
        stage.advance(to: 10)
        stage.send(Self.open)

        stage.advance(to: 10.9)
        let before = stage.asked
        stage.advance(to: 11)

        #expect(before == [])
        #expect(stage.asked == [Self.start - 15])
    }

    @Test func `A listener hands on what was kept before what is new`() {
        var stage = NtfyStage(at: Self.place)
        stage.send(Self.open + Self.new)
        stage.advance(to: 1)

        stage.sendKept(Self.first + Self.old)
        let before = stage.delivered.map(\.id)
        stage.sendKept(NtfyStage.message("older", time: Self.start + 900) + Self.new)
        stage.handle(.keptEnded(nil))

        #expect(before == ["old"])
        #expect(stage.delivered.map(\.id) == ["old", "older", "new"])
    }

    @Test(.rule("PU10"))
    func `A listener asks again if the connection is lost before what was kept has come`() {
        var stage = NtfyStage(at: Self.place)
        stage.send(Self.open + Self.new)
        stage.advance(to: 1)

        stage.lose()
        stage.sendKept(Self.old)
        stage.handle(.keptEnded(nil))
        let later = continuation(of: stage)
        stage.advance(to: 4)
        stage.open(at: Self.start + 1004, kept: Self.first + Self.old + Self.new)

        #expect(later == Self.start - 15)
        #expect(stage.asked == [Self.start - 15, Self.start - 15])
        #expect(stage.taken == ["old", "new"])
        #expect(stage.missing == [])
    }

    @Test func `A listener hands on what is new after ten seconds although nothing kept has come`()
    {
        var stage = NtfyStage(at: Self.place)
        stage.send(Self.open + Self.new)
        stage.lose()

        stage.advance(to: 9.9)
        let before = stage.taken
        stage.advance(to: 10)
        let later = continuation(of: stage)
        stage.open(at: Self.start + 1010, kept: Self.first + Self.old + Self.new)

        #expect(before == [])
        #expect(later == Self.start - 15)
        #expect(stage.taken == ["new", "old"])
    }

    @Test func `A listener puts messages of one second into the order in which they were kept`() {
        var stage = NtfyStage(at: Self.place)
        let lines = (1...5).map { NtfyStage.message("m\($0)", time: Self.start + 1001) }
        stage.send(Self.open + lines[4] + lines[3] + lines[1])
        stage.advance(to: 1)

        stage.sendKept(Self.first + lines[..<4].joined())
        stage.handle(.keptEnded(nil))

        #expect(stage.taken == ["m1", "m2", "m3", "m4", "m5"])
    }

    @Test func `A listener continues where it was lost, but for what a server sends late`() {
        var stage = NtfyStage(at: Self.place)
        stage.send(Self.open)
        stage.advance(to: 1)

        stage.sendKept(Self.first + Self.old)
        let first = continuation(of: stage)
        stage.sendKept(NtfyStage.message("b", time: Self.start + 990))
        stage.lose()

        #expect(first == Self.start + 500)
        #expect(continuation(of: stage) == Self.start + 985)
    }

    @Test func `A listener continues with the last seconds after it has all`() {
        var stage = NtfyStage(at: Self.place)

        stage.open(at: Self.start + 1000, kept: Self.first + Self.old)
        let first = continuation(of: stage)
        stage.send(Self.new)

        #expect(first == Self.start + 500)
        #expect(continuation(of: stage) == Self.start + 986)
    }

    @Test func `A listener asks again for what has come and was not accepted`() {
        var stage = NtfyStage(at: Self.place)
        stage.open(at: Self.start + 1000, kept: Self.first)
        stage.takes = false
        stage.send(NtfyStage.message("b", time: Self.start + 1100))
        stage.send(NtfyStage.message("c", time: Self.start + 1050))

        stage.handle(.delivered("b"))

        #expect(stage.delivered.map(\.id) == ["b", "c"])
        #expect(continuation(of: stage) == Self.start + 1050)
    }

    @Test func `A listener notes what has come again, so that it does not ask for it for ever`() {
        var stage = NtfyStage(at: Self.place)
        stage.send(Self.open)
        stage.advance(to: 1)
        stage.takes = false
        let kept = Self.first + Self.old + NtfyStage.message("b", time: Self.start + 600)
        stage.sendKept(kept)
        stage.lose()
        stage.advance(to: 4)
        stage.takes = true
        stage.handle(.delivered("old"))

        stage.send(Self.open)
        stage.advance(to: 5)
        stage.sendKept(kept)
        stage.lose()

        #expect(stage.asked == [Self.start - 15, Self.start + 500])
        #expect(continuation(of: stage) == Self.start + 600)
    }

    @Test func `A listener leaves the message that is being handed on in its place`() {
        var stage = NtfyStage()
        stage.takes = false
        stage.send(NtfyStage.message("b", time: Self.start + 1))

        stage.send(NtfyStage.message("a"))
        stage.takes = true
        stage.handle(.delivered("b"))

        #expect(stage.delivered.map(\.id) == ["b", "a"])
        #expect(stage.kept == ["b"])
    }

    @Test func `A listener waits longer each time that the server does not answer`() {
        var stage = NtfyStage(at: Self.place)
        var delays: [Double] = []

        for _ in 1...4 {
            stage.send(Self.open)
            stage.advance(to: stage.now + 1)
            stage.handle(.keptEnded("429"))
            delays.append(stage.nextDue - stage.now)
            stage.advance(to: stage.nextDue)
        }
        stage.open(at: Self.start + 1000, kept: Self.first)
        stage.lose()
        delays.append(stage.nextDue - stage.now)

        for (delay, mean) in zip(delays, [2.0, 4, 8, 16, 2]) {
            #expect((mean * 0.75...mean * 1.25).contains(delay))
        }
        #expect(stage.connections == 5)
    }

    @Test func `A listener considers an answer without a byte for 115 s dead`() {
        var stage = NtfyStage(at: Self.place)
        stage.send(Self.open)
        stage.advance(to: 1)
        stage.sendKept(Self.first)
        for time in [50.0, 100, 115] {
            stage.advance(to: time)
            stage.send("\n")
        }

        stage.advance(to: 115.9)
        let before = stage.isConnected
        stage.advance(to: 116)

        #expect(before && !stage.isConnected)
    }

    @Test func `A listener wants what was kept despite many new messages, and not too much`() {
        var stage = NtfyStage(at: Self.place)
        stage.takes = false
        stage.send(Self.open)
        stage.send((1...64).map { NtfyStage.message("m\($0)", time: Self.start + 1001) }.joined())
        stage.advance(to: 1)
        let isWanted = stage.listener.wantsKeptBytes && !stage.listener.wantsBytes

        stage.sendKept(Self.first + (1...64).map { NtfyStage.message("k\($0)") }.joined())
        let isFull = !stage.listener.wantsKeptBytes
        stage.advance(to: 1000)
        stage.handle(.delivered("k1"))
        stage.advance(to: 1000 + NtfyListener.longestSilence - 1)
        let connections = stage.connections
        stage.takes = true
        stage.handle(.delivered("k2"))
        stage.handle(.keptEnded(nil))

        #expect(isWanted && isFull && connections == 1)
        #expect(stage.taken.count == 126 && stage.taken.last == "m64")
    }

    @Test func `A listener remembers a thousand messages`() {
        var stage = NtfyStage()
        let lines = (1...1001).map { NtfyStage.message("m\($0)") }
        for line in lines { stage.send(line) }

        for index in [1, 1000, 0] { stage.send(lines[index]) }

        #expect(stage.delivered.map(\.id).suffix(2) == ["m1001", "m1"])
        #expect(stage.delivered.count == 1002)
    }

    @Test(.rule("PU12")) func `A listener reports a gap if the server's clock was set back`() {
        var stage = NtfyStage(at: Self.place)
        let now = Self.start - 3600

        stage.open(at: now)
        let before = stage.missing
        stage.send(NtfyStage.message("b", time: now + 1))
        stage.lose()
        stage.advance(to: 60)
        stage.open(at: now + 60, kept: NtfyStage.message("b", time: now + 1))

        #expect(before == [0])
        #expect(stage.missing == [0])
        #expect(stage.asked == [now, now])
        #expect(stage.delivered.map(\.id) == ["b"])
        #expect(stage.places.last?.last == "b")
    }

    @Test(.rule("PU10"), arguments: 1...100 as ClosedRange<UInt64>)
    func `A listener accepts every message, whatever happens to it and to the server`(seed: UInt64)
    {
        var world = NtfyWorld(seed)

        for _ in 1...400 { world.step() }
        world.finish()

        #expect(world.taken == world.published)
        #expect(world.missing == 0)
        #expect(world.repeats == 0)
    }
}

/// A server that behaves as the real one, and a listener that is started again with what it has kept
/// on the disk.
private struct NtfyWorld {
    private struct Message {
        var id: String
        var time: Int
        /// When it is sent: those that are published with a delay are up to ten seconds late.
        var due: Double
        /// When it is kept.
        var kept: Double
        var isSent = false

        var line: String { NtfyStage.message(id, time: time) }
    }

    private var random: SeededNumbers
    private var stage = NtfyStage()
    private var place = NtfyPosition()
    private var now = 0.0
    private var messages: [Message] = []
    /// The messages that the server has yet to send.
    private var news: [String] = []
    /// The requested messages that it has yet to send; nil if none were requested.
    private var kept: [String]?
    private var connections = 0
    private var asked = 0
    /// True if answers are not cut.
    private var isCalm = false
    private(set) var published: Set<String> = []
    private(set) var taken: Set<String> = []
    /// The number of times that messages were said to be missing.
    private(set) var missing = 0
    /// The number of messages that one listener has delivered although they were taken.
    private(set) var repeats = 0

    init(_ seed: UInt64) {
        random = SeededNumbers(seed)
        answer()
        deliver(1)
    }

    private var clock: Int { NtfyStage.time + Int(now) }

    mutating func step() {
        switch random.below(12) {
        case 0: stage.lose()
        case 1: stage.handle(.awoke)
        case 2: stage.failures = random.below(3)
        case 3: restart()
        case 4: publish(delay: 1 + random.below(30))
        case 5: pass(Double(random.below(60)))
        case 6: pass(Double(random.below(10)) / 10)
        case 7, 8: publish(delay: 0)
        default: deliver(random.below(20))
        }
        answer()
    }

    /// Lets everything come.
    mutating func finish() {
        stage.failures = 0
        isCalm = true
        for _ in 1...20 {
            pass(60)
            deliver(.max)
        }
        restart()
    }

    private mutating func restart() {
        taken.formUnion(stage.taken)
        missing += stage.missing.count
        repeats += stage.taken.count - Set(stage.taken).count
        place = stage.places.last ?? place
        stage = NtfyStage(at: place, now: now)
        (connections, asked) = (0, 0)
        answer()
    }

    /// Notices what the listener has requested.
    private mutating func answer() {
        if stage.connections > connections {
            connections = stage.connections
            news = [NtfyStage.event("open", time: clock)]
            kept = nil
        }
        if !stage.isConnected { kept = nil }
        guard stage.asked.count > asked else { return }
        asked = stage.asked.count
        let since = stage.asked[asked - 1]
        let found = messages.filter { $0.isSent && $0.kept <= now && $0.time >= since }
        kept = found.sorted { $0.time < $1.time }.map(\.line)
    }

    private mutating func publish(delay: Int) {
        for _ in 0...random.below(3) {
            let id = "m\(messages.count)"
            published.insert(id)
            let due = now + (delay > 0 ? Double(delay + random.below(11)) : 0)
            let kept = due + Double(random.below(10)) / 10
            messages.append(Message(id: id, time: clock + delay, due: due, kept: kept))
        }
        send()
    }

    /// Sends what is due. What comes at the same time may change places.
    private mutating func send() {
        var lines: [String] = []
        for index in messages.indices where !messages[index].isSent && messages[index].due <= now {
            messages[index].isSent = true
            lines.insert(messages[index].line, at: random.below(lines.count + 1))
        }
        if stage.isConnected { news += lines }
    }

    private mutating func pass(_ seconds: Double) {
        let end = now + seconds
        while now < end {
            now = min(end, now + 0.5)
            send()
            stage.advance(to: max(stage.now, now))
            answer()
        }
    }

    /// Lets some lines come, and sometimes only half of what was asked for.
    private mutating func deliver(_ count: Int) {
        for _ in 0..<min(count, news.count + (kept?.count ?? 0) + 1) where stage.isConnected {
            if let lines = kept, news.isEmpty || random.below(2) == 0 {
                if lines.isEmpty || (!isCalm && random.below(50) == 0) {
                    kept = nil
                    stage.handle(.keptEnded(lines.isEmpty ? nil : "The connection was lost"))
                } else {
                    stage.sendKept(lines[0])
                    kept?.removeFirst()
                }
            } else if !news.isEmpty {
                stage.send(news.removeFirst())
            }
            answer()
        }
    }
}

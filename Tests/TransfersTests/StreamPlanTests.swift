import Testing
import UndersongBase
import UndersongTransfers

@Suite struct `A stream's plan` {
    private static let url = "http://a.b/song.mp3"
    private var plan = StreamPlan(url: Self.url)
    /// The time at which the plan has something to do; nil for never.
    private var nextDue: Double? { plan.nextDue(at: 0).boot }

    /// A whole file of 1,000,000 bytes as an honest server sends it.
    private static func head(
        status: Int = 200, tag: String? = "\"1\"", length: Int64? = 1_000_000,
        _ fields: [String: String] = [:], url: String = Self.url
    ) -> ResponseHead {
        var all = fields
        all["ETag"] = tag
        all["Content-Length"] = length.map { "\($0)" }
        return ResponseHead(status: status, url: url, all)
    }

    private static func part(
        _ start: Int64, of total: Int64 = 1_000_000, tag: String? = "\"1\""
    ) -> ResponseHead {
        head(
            status: 206, tag: tag, length: total - start,
            ["Content-Range": "bytes \(start)-\(total - 1)/\(total)"])
    }

    /// Wants bytes, and gets the first `count` of the file.
    private mutating func begin(_ count: Int64, until: Int64 = 800_000) -> [StreamPlan.Effect] {
        let effects = plan.handle(.want(from: 0, until: until), at: 0)
        plan.judge(Self.head(), at: 0, date: 0)
        plan.count(count)
        return effects + plan.handle(.timePassed, at: 0)
    }

    @Test mutating func `A stream plan asks for nothing before something is wanted`() {
        #expect(plan.handle(.timePassed, at: 0) == [])
    }

    @Test mutating func `A stream plan asks for the whole file first, without a range`() {
        let effects = begin(1000)

        #expect(effects == [.start(StreamPlan.Request(url: Self.url, offset: 0))])
        #expect(plan.total == 1_000_000)
        #expect(plan.available.ranges == [0..<1000])
        #expect(plan.writeOffset == 1000)
    }

    @Test
    mutating func `A stream plan reads no further ahead than is wanted, and keeps the connection`()
    {
        _ = plan.handle(.want(from: 0, until: 800_000), at: 0)
        plan.judge(Self.head(), at: 0, date: 0)
        plan.count(700_000)
        let isFullBefore = plan.isFull
        plan.count(100_000)
        let isFull = plan.isFull
        let effects = plan.handle(.timePassed, at: 0)

        #expect(!isFullBefore && isFull)
        #expect(effects.last == .pause)
        #expect(plan.handle(.want(from: 100_000, until: 900_000), at: 1) == [.resume])
        #expect(plan.handle(.want(from: 200_000, until: 900_000), at: 1) == [])
    }

    @Test
    mutating func `A stream plan lets a response that has brought its last byte end by itself`() {
        #expect(begin(1_000_000, until: 2_000_000).last != .pause)
        #expect(plan.handle(.ended(.complete), at: 1) == [])
        #expect(plan.phase == .idle)
    }

    @Test mutating func `A stream plan asks for another place with proof of the version`() {
        _ = begin(1000)

        let effects = plan.handle(.want(from: 500_000, until: 900_000), at: 1)

        let request = StreamPlan.Request(url: Self.url, offset: 500_000, ifRange: "\"1\"")
        #expect(effects == [.cancel, .start(request)])
        plan.judge(Self.part(500_000), at: 1, date: 0)
        #expect(plan.writeOffset == 500_000)
        plan.count(10)
        #expect(plan.available.ranges == [0..<1000, 500_000..<500_010])
    }

    @Test mutating func `A stream plan waits for a place that is about to come`() {
        _ = begin(1000)

        #expect(plan.handle(.want(from: 60_000, until: 900_000), at: 1) == [])
    }

    @Test
    mutating func `A stream plan continues after a lost connection at the first missing byte`() {
        _ = begin(300_000)

        #expect(plan.handle(.ended(.lost("It was cut")), at: 10) == [])
        guard case .waiting(let time, let reason) = plan.phase else {
            Issue.record("\(plan.phase)")
            return
        }
        #expect(reason == "It was cut")
        #expect(nextDue == time && time > 10 && time < 11)
        let request = StreamPlan.Request(url: Self.url, offset: 300_000, ifRange: "\"1\"")
        #expect(plan.handle(.timePassed, at: time) == [.start(request)])
    }

    @Test mutating func `A stream plan says why an attempt was in vain until a server answers`() {
        _ = plan.handle(.want(from: 0, until: 1000), at: 0)

        _ = plan.handle(.ended(.lost("Unknown host", .unknownHost)), at: 0)
        #expect(plan.trouble == .unknownHost)
        _ = plan.handle(.timePassed, at: nextDue ?? 0)
        _ = plan.handle(.ended(.lost("No route")), at: 1)
        #expect(plan.trouble == .cannotConnect)
        _ = plan.handle(.timePassed, at: nextDue ?? 0)
        _ = plan.handle(.ended(.lost("No network", .offline)), at: 2)
        #expect(plan.trouble == .noNetwork)
        _ = plan.handle(.timePassed, at: nextDue ?? 0)
        plan.judge(ResponseHead(status: 503, url: Self.url), at: 2, date: 0)
        #expect(plan.trouble == .httpStatus)
    }

    @Test
    mutating func `A stream plan waits longer after each attempt in vain, and at most a minute`() {
        _ = begin(1000)
        var (now, delays) = (0.0, [Double]())
        for _ in 0..<12 {
            _ = plan.handle(.ended(.lost("No route")), at: now)
            guard let due = nextDue else { break }
            delays.append(due - now)
            now = due
            _ = plan.handle(.timePassed, at: now)
        }

        #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(delays.count == 12 && delays[0] < 1 && delays.last == 60)
    }

    /// The attempts until the plan fails, at most 40, each of which ends as `ending` says.
    private mutating func attempts(_ ending: StreamPlan.Ending) -> Int {
        var (now, count) = (0.0, 0)
        _ = plan.handle(.want(from: 0, until: 100_000), at: now)
        while count < 40 {
            count += 1
            _ = plan.handle(.ended(ending), at: now)
            guard let due = nextDue else { break }
            now = due
            _ = plan.handle(.timePassed, at: now)
        }
        return count
    }

    @Test func `A stream plan gives up after some attempts before anything was received`() {
        for (cause, code) in [
            (StreamPlan.Cause.unknownHost, StreamFailure.Code.unknownHost),
            (.refused, .cannotConnect), (.other, .cannotConnect),
        ] {
            var test = Self()
            let count = test.attempts(.lost("That is why", cause))

            #expect(count == 6)
            #expect(test.plan.phase == .failed(StreamFailure(code, "That is why")))
        }
    }

    @Test mutating func `A stream plan gives up a server that answers with its own errors only`() {
        _ = plan.handle(.want(from: 0, until: 100), at: 0)
        var (now, count) = (0.0, 0)
        while count < 40 {
            count += 1
            plan.judge(Self.head(status: 503), at: now, date: 0)
            guard let due = nextDue else { break }
            now = due
            _ = plan.handle(.timePassed, at: now)
        }

        #expect(count == 6)
        #expect(plan.phase == .failed(StreamFailure(.httpStatus, "The server answers 503")))
    }

    @Test
    mutating func `A stream plan waits for a network however long, and then tries as before`() {
        let offline = attempts(.lost("There is no network", .offline))
        let online = attempts(.lost("There is no host a.b", .unknownHost))

        #expect(offline == 40)
        #expect(online == 6)
    }

    @Test mutating func `A stream plan never gives up what it has received something of`() {
        _ = begin(1000)

        #expect(attempts(.lost("Refused", .refused)) == 40)
    }

    @Test mutating func `A stream plan obeys a server that says when to come again`() {
        _ = plan.handle(.want(from: 0, until: 100), at: 0)

        plan.judge(Self.head(status: 503, ["Retry-After": "120"]), at: 5, date: 0)

        #expect(nextDue == 125)
    }

    @Test mutating func `A stream plan never joins two versions of a file`() {
        for changed in [
            Self.part(300_000, of: 1_000_001), Self.head(length: 1_000_001), Self.head(status: 416),
        ] {
            var plan = StreamPlan(
                url: Self.url, available: ByteRanges([0..<300_000]), total: 1_000_000,
                validator: .entityTag("\"1\""))
            _ = plan.handle(.want(from: 0, until: 900_000), at: 0)

            plan.judge(changed, at: 0, date: 0)

            #expect(plan.writeOffset == nil)
            guard case .failed(let failure) = plan.phase else {
                Issue.record("\(plan.phase)")
                continue
            }
            #expect(failure.code == .changed)
            #expect(plan.handle(.timePassed, at: 1) == [])
        }
    }

    @Test mutating func `A stream plan compares some bytes again if nothing proves the version`() {
        plan = StreamPlan(url: Self.url, available: ByteRanges([0..<300_000]), total: 1_000_000)

        let effects = plan.handle(.want(from: 0, until: 900_000), at: 0)

        #expect(effects == [.start(StreamPlan.Request(url: Self.url, offset: 283_616))])
        plan.judge(Self.part(283_616, tag: nil), at: 0, date: 0)
        #expect(plan.writeOffset == 283_616)
        _ = plan.handle(.ended(.mismatch), at: 0)
        #expect(
            plan.phase == .failed(StreamFailure(.changed, "The file has changed on the server")))
    }

    @Test func `A stream plan compares bytes if another version is named, or no version`() {
        for other in [
            Self.part(300_000, tag: "\"2\""), Self.part(300_000, tag: nil),
            Self.head(tag: "\"2\""), Self.head(tag: nil),
        ] {
            var plan = StreamPlan(
                url: Self.url, available: ByteRanges([0..<300_000]), total: 1_000_000,
                validator: .entityTag("\"1\""))
            _ = plan.handle(.want(from: 0, until: 900_000), at: 0)

            plan.judge(other, at: 0, date: 0)
            let again = plan.handle(.timePassed, at: 0)
            plan.judge(Self.part(283_616, tag: "\"2\""), at: 0, date: 0)
            let offset = plan.writeOffset
            plan.count(16_384 + 10)
            _ = plan.handle(.ended(.lost("It was cut")), at: 0)
            let next = plan.handle(.timePassed, at: 1)

            #expect(again == [.start(StreamPlan.Request(url: Self.url, offset: 283_616))])
            #expect(offset == 283_616)
            // What was compared has the new name.
            let request = StreamPlan.Request(url: Self.url, offset: 300_010, ifRange: "\"2\"")
            #expect(next == [.start(request)])
        }
    }

    @Test func `A stream plan refuses another version whose bytes differ`() {
        var plan = StreamPlan(
            url: Self.url, available: ByteRanges([0..<300_000]), total: 1_000_000,
            validator: .entityTag("\"1\""))
        _ = plan.handle(.want(from: 0, until: 900_000), at: 0)
        plan.judge(Self.head(tag: "\"2\""), at: 0, date: 0)
        _ = plan.handle(.timePassed, at: 0)
        plan.judge(Self.part(283_616, tag: "\"2\""), at: 0, date: 0)

        _ = plan.handle(.ended(.mismatch), at: 0)

        #expect(
            plan.phase == .failed(StreamFailure(.changed, "The file has changed on the server")))
    }

    @Test func `A stream plan compares known bytes before it reads another version elsewhere`() {
        var plan = StreamPlan(
            url: Self.url, available: ByteRanges([0..<300_000]), total: 1_000_000,
            validator: .entityTag("\"1\""))
        _ = plan.handle(.want(from: 500_000, until: 900_000), at: 0)
        plan.judge(Self.part(500_000, tag: "\"2\""), at: 0, date: 0)

        let comparing = plan.handle(.timePassed, at: 0)
        plan.judge(Self.part(283_616, tag: "\"2\""), at: 0, date: 0)
        plan.count(10_000)
        let meanwhile = plan.handle(.timePassed, at: 0)
        plan.count(6384)
        let compared = plan.handle(.timePassed, at: 0)

        #expect(comparing == [.start(StreamPlan.Request(url: Self.url, offset: 283_616))])
        #expect(meanwhile == [])
        let request = StreamPlan.Request(url: Self.url, offset: 500_000, ifRange: "\"2\"")
        #expect(compared == [.cancel, .start(request)])
    }

    @Test mutating func `A stream plan accepts the first bytes of another version if it has none`()
    {
        _ = plan.handle(.want(from: 0, until: 900_000), at: 0)
        plan.judge(Self.head(), at: 0, date: 0)
        _ = plan.handle(.ended(.lost("It was cut")), at: 0)
        _ = plan.handle(.timePassed, at: 1)

        plan.judge(Self.head(tag: "\"2\""), at: 1, date: 0)

        #expect(plan.writeOffset == 0 && plan.validator == .entityTag("\"2\""))
    }

    @Test mutating func `A stream plan compares everything with a server that has no ranges`() {
        _ = begin(300_000)
        _ = plan.handle(.ended(.lost("It was cut")), at: 0)
        _ = plan.handle(.timePassed, at: 1)

        plan.judge(Self.head(), at: 1, date: 0)

        #expect(plan.writeOffset == 0)
        #expect(plan.hasRanges == false)
        // A place further on is waited for.
        #expect(plan.handle(.want(from: 700_000, until: 900_000), at: 2) == [])
    }

    @Test
    mutating func `A stream plan treats a station as live, and continues with whatever comes next`()
    {
        _ = plan.handle(.want(from: 0, until: 100_000), at: 0)
        plan.judge(Self.head(tag: nil, length: nil, ["icy-name": "Radio"]), at: 0, date: 0)
        plan.count(5000)

        #expect(plan.isLive && plan.total == nil)
        #expect(plan.handle(.ended(.complete), at: 1) == [])
        #expect(
            plan.handle(.timePassed, at: 3) == [
                .start(StreamPlan.Request(url: Self.url, offset: 0))
            ])
        plan.judge(Self.head(tag: nil, length: nil, ["icy-name": "Radio"]), at: 3, date: 0)
        #expect(plan.writeOffset == 5000)
    }

    @Test mutating func `A stream plan ignores a bit rate that cannot be`() {
        _ = plan.handle(.want(from: 0, until: 100_000), at: 0)
        plan.judge(
            Self.head(tag: nil, length: nil, ["icy-br": "9300000000000000"]), at: 0, date: 0)

        #expect(plan.report(title: nil, at: 0).bitrate == nil)
    }

    @Test
    mutating func `A stream plan learns from its end the length that a file does not announce`() {
        _ = plan.handle(.want(from: 0, until: 100_000), at: 0)
        plan.judge(Self.head(length: nil), at: 0, date: 0)
        plan.count(70_000)

        #expect(plan.handle(.ended(.complete), at: 1) == [])
        #expect(plan.total == 70_000 && !plan.isLive)
    }

    @Test mutating func `A stream plan treats less than was announced as a lost connection`() {
        _ = begin(700_000)

        _ = plan.handle(.ended(.complete), at: 1)

        #expect(nextDue != nil)
    }

    @Test mutating func `A stream plan treats a length beyond counting as more than was sent`() {
        _ = plan.handle(.want(from: 0, until: 100_000), at: 0)
        let length = ["Content-Length": String(repeating: "9", count: 23)]
        plan.judge(ResponseHead(status: 200, url: Self.url, length), at: 0, date: 0)
        plan.count(5000)

        _ = plan.handle(.ended(.complete), at: 1)

        #expect(plan.total == nil)
        guard case .waiting(_, let reason) = plan.phase else {
            Issue.record("\(plan.phase)")
            return
        }
        #expect(reason == "The server sends less than it announces")
    }

    @Test mutating func `A stream plan waits longer for a server that repeats what is known`() {
        _ = begin(5000)
        var (now, delays) = (0.0, [Double]())
        for _ in 1...5 {
            _ = plan.handle(.ended(.complete), at: now)
            guard let due = nextDue else { break }
            delays.append(due - now)
            now = due
            _ = plan.handle(.timePassed, at: now)
            plan.judge(Self.head(), at: now, date: 0)
            plan.count(5000)
        }

        #expect(delays == [0.25, 0.5, 1, 2, 4])
    }

    @Test mutating func `A stream plan gives up what another request would not change`() {
        for (head, code) in [
            (Self.head(status: 404), StreamFailure.Code.httpStatus),
            (Self.head(["Content-Type": "text/html; charset=utf-8"]), .notSound),
            (Self.head(["Content-Type": "application/vnd.apple.mpegurl"]), .notSound),
            (Self.head(["Content-Type": "audio/aac"]), .unsupportedFormat),
            (Self.head(["Content-Type": "audio/x-scpls"]), .playlist),
            (Self.head(["Content-Encoding": "gzip"]), .encoded),
        ] {
            var plan = StreamPlan(url: Self.url)
            _ = plan.handle(.want(from: 0, until: 100_000), at: 0)

            plan.judge(head, at: 0, date: 0)

            guard case .failed(let failure) = plan.phase else {
                Issue.record("\(head): \(plan.phase)")
                continue
            }
            #expect(failure.code == code)
        }
    }

    @Test
    mutating func `A stream plan returns to the first URL when the one that it led to has expired`()
    {
        _ = plan.handle(.want(from: 0, until: 900_000), at: 0)
        plan.judge(Self.head(url: "http://cdn.c/1"), at: 0, date: 0)
        plan.count(1000)
        _ = plan.handle(.ended(.lost("It was cut")), at: 0)
        let again = plan.handle(.timePassed, at: 1)
        plan.judge(Self.head(status: 403), at: 1, date: 0)
        let first = plan.handle(.timePassed, at: 5)

        #expect(
            again
                == [.start(.init(url: "http://cdn.c/1", offset: 1000, ifRange: "\"1\""))])
        #expect(first == [.start(.init(url: Self.url, offset: 1000, ifRange: "\"1\""))])
    }
}

extension StreamPlan {
    fileprivate init(
        url: String, available: ByteRanges = ByteRanges(), total: Int64? = nil,
        validator: Validator? = nil, isLive: Bool = false, isForText: Bool = false
    ) {
        var call = OpenStream(url: url)
        (call.available, call.total, call.version) = (available, total, validator)
        (call.live, call.text) = (isLive, isForText)
        self.init(call)
    }
}

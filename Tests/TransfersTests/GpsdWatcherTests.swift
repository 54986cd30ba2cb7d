import TestSupport
import Testing
import UndersongBase
import UndersongLocation

@testable import UndersongTransfers

@Suite struct `A gpsd watcher` {
    private static let greeting =
        "{\"class\":\"VERSION\",\"release\":\"3.22\",\"proto_major\":3,\"proto_minor\":14}\r\n"
    private var watcher = GpsdWatcher(at: 0)

    /// A position at `time`, in seconds since 1970.
    private static func position(
        _ time: Int? = 100, mode: Int = 3, lat: String = "52.5", lon: String = "13.4",
        device: String = "/dev/a", more: String = ""
    ) -> String {
        let text = time.map { CalendarDate(secondsSince1970: Double($0)).iso8601 }
        return "{\"class\":\"TPV\",\"device\":\"\(device)\",\"mode\":\(mode)"
            + (text.map { ",\"time\":\"\($0)\"" } ?? "")
            + ",\"lat\":\(lat),\"lon\":\(lon)\(more)}\r\n"
    }

    /// Handles an input when the wall clock is at 1,000,000 s.
    private mutating func handle(
        _ input: GpsdWatcher.Input, at now: Double
    ) -> [GpsdWatcher.Effect] {
        watcher.handle(input, at: LocationTime(boot: now, wall: 1_000_000))
    }

    /// The time at which the watcher has something to do; infinity for never.
    private var nextDue: Double {
        watcher.nextDue(at: LocationTime(boot: 0, wall: 0)).boot ?? .infinity
    }

    private mutating func receive(_ text: String, at now: Double) -> [GpsdWatcher.Effect] {
        handle(.bytes(Array(text.utf8)), at: now)
    }

    /// The times of the positions that were reported.
    private func times(_ effects: [GpsdWatcher.Effect]) -> [Double] {
        effects.compactMap { if case .report(.fix(let fix)) = $0 { fix.time } else { nil } }
    }

    private func count(_ effects: [GpsdWatcher.Effect]) -> Int {
        effects.count { if case .report(.fix) = $0 { true } else { false } }
    }

    /// Connects, and is greeted.
    private mutating func begin(at now: Double = 0) -> [GpsdWatcher.Effect] {
        handle(.timePassed, at: now) + handle(.connected, at: now)
            + receive(Self.greeting, at: now)
    }

    @Test mutating func `GpsdWatcher asks for reports when it was greeted`() {
        let effects = begin()

        #expect(
            effects == [
                .connect, .send(Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)),
            ])
    }

    @Test mutating func `GpsdWatcher reports what a position says`() {
        _ = begin()

        let more =
            ",\"altMSL\":34.5,\"alt\":99,\"track\":255.9,\"speed\":1.5,\"eph\":19.5,\"epv\":23"
        let effects = receive(Self.position(more: more), at: 1)

        let fix = LocationFix(
            Coordinate(latitude: 52.5, longitude: 13.4), horizontalAccuracy: 19.5 * 0.62,
            altitude: 34.5, verticalAccuracy: 23 * 0.62, speed: 1.5, course: 255.9, time: 100,
            source: .gpsd)
        #expect(effects == [.report(.fix(fix))])
    }

    @Test(.rule("LO7"))
    mutating func `GpsdWatcher asks again on every connection, after growing times`() {
        _ = begin()

        var delays: [Double] = []
        var now = 10.0
        for _ in 0..<8 {
            let lost = handle(.ended("Connection refused"), at: now)
            guard case .report(.unavailable("Connection refused", let retry))? = lost.first else {
                Issue.record("the loss is not reported: \(lost)")
                return
            }
            delays.append(retry)
            #expect(handle(.timePassed, at: now + retry - 0.1) == [])
            now += retry
            #expect(handle(.timePassed, at: now) == [.connect])
        }
        let again =
            handle(.connected, at: now) + receive(Self.greeting, at: now)
        let later = handle(.ended("x"), at: now)

        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(again == [.send(Array(GpsdWatcher.request.utf8))])
        #expect(later == [.report(.unavailable("x", retry: 1))])
    }

    @Test(.rule("LO7"))
    mutating func `GpsdWatcher reports silence once, and connects again after a minute of it`() {
        _ = begin()
        _ = receive(Self.position(), at: 1)

        let due = nextDue
        let silent = handle(.timePassed, at: 11)
        let still = handle(.timePassed, at: 12)
        let renewed = handle(.timePassed, at: 61)

        #expect(due == 11)
        #expect(silent == [.report(.noFix("the receiver has no fix"))])
        #expect(still == [])
        #expect(renewed == [.disconnect, .connect])
    }

    @Test mutating func `GpsdWatcher says at once that there is no receiver`() {
        _ = begin()

        let effects = receive("{\"class\":\"DEVICES\",\"devices\":[]}\r\n", at: 0)

        #expect(effects == [.report(.noFix("gpsd has no receiver"))])
    }

    @Test(.rule("LO8"))
    mutating func `GpsdWatcher reports each time once, and nothing without a fix`() {
        _ = begin()

        let effects = [
            Self.position(1), Self.position(1, lat: "52.6"), Self.position(2, mode: 1),
            Self.position(3, mode: 0), Self.position(4, lat: "91"),
            Self.position(5, lon: "-180.1"), Self.position(6, lat: "NaN"),
            Self.position(7, lat: "1e999"), Self.position(8, lat: "\"52\""),
            Self.position(9, mode: 2),
        ].flatMap { receive($0, at: 1) }

        #expect(times(effects) == [1, 9])
    }

    @Test(.rule("LO8"))
    mutating func `GpsdWatcher accepts a position without a time only of a receiver that has none`()
    {
        _ = begin()

        let first = receive(Self.position(nil) + Self.position(nil), at: 1)
        let second = receive(Self.position(1) + Self.position(nil) + Self.position(2), at: 2)

        #expect(times(first) == [1_000_000, 1_000_000])
        #expect(times(second) == [1, 2])
    }

    @Test mutating func `GpsdWatcher follows one of several receivers as long as that has a fix`() {
        _ = begin()

        let both = receive(
            Self.position(1, device: "/dev/a") + Self.position(2, device: "/dev/b"), at: 1)
        let later = receive(Self.position(3, device: "/dev/b"), at: 11)

        #expect(times(both) == [1])
        #expect(times(later) == [3])
    }

    @Test(.rule("LO8"))
    mutating func `GpsdWatcher joins lines that come in pieces, and leaves out long ones`() {
        _ = begin()
        let line = Self.position(1)
        let long = "{\"class\":\"TPV\",\"x\":\"" + String(repeating: "x", count: 11_000) + "\"}\r\n"

        let pieces = line.utf8.flatMap { handle(.bytes([$0]), at: 1) }
        let rest = receive(long + Self.position(2) + String(Self.position(3).prefix(40)), at: 1)
        let cut = receive("\r\n" + Self.position(4), at: 1)

        #expect(times(pieces) == [1])
        #expect(times(rest) == [2])
        #expect(times(cut) == [4])
    }

    @Test mutating func `GpsdWatcher limits a flood of positions, and leaves a flood of bytes`() {
        _ = begin()

        let positions = (0..<1000).flatMap { receive(Self.position($0), at: 1) }
        let later = receive(Self.position(5000), at: 2.5)
        let noise = [UInt8](repeating: 0x20, count: 70_000)
        let flood = (0..<30).flatMap { _ in handle(.bytes(noise), at: 2.6) }

        #expect(count(positions) == GpsdWatcher.fixLimit)
        #expect(times(later) == [5000])
        #expect(flood == [.disconnect, .report(.unavailable("It sends too much", retry: 1))])
    }

    @Test(.rule("LO14"))
    mutating func `GpsdWatcher reports the newest of many positions that have waited together`() {
        _ = begin()
        _ = receive(Self.position(9000), at: 1)

        let waiting = (0..<60).flatMap { receive(Self.position($0), at: 61) }
        let due = nextDue
        let next = handle(.timePassed, at: due)
        let still = handle(.timePassed, at: due + 1)

        #expect(count(waiting) == GpsdWatcher.fixLimit)
        #expect(due > 61 && due < 61.1)
        #expect(times(next) == [59])
        #expect(still == [])
    }

    @Test mutating func `GpsdWatcher reports no position of a connection that is over`() {
        _ = begin()
        _ = (0..<60).flatMap { receive(Self.position($0), at: 1) }

        let lost = handle(.ended("x"), at: 1)
        let later = handle(.timePassed, at: 2)
        let again =
            handle(.connected, at: 2) + receive(Self.greeting, at: 2)
            + handle(.timePassed, at: 3)

        #expect(lost == [.report(.unavailable("x", retry: 1))])
        #expect(later == [.connect])
        #expect(times(again) == [])
    }

    @Test mutating func `GpsdWatcher disconnects from what is not gpsd`() {
        _ = handle(.timePassed, at: 0)
        _ = handle(.connected, at: 0)

        let noise = receive("HTTP/1.1 400 Bad Request\r\n\r\n{}\r\n" + Self.position(), at: 0)
        let silent = handle(.timePassed, at: 10)

        #expect(noise == [])
        #expect(
            silent == [
                .disconnect, .report(.unavailable("The server there is not gpsd", retry: 1)),
            ])
    }

    @Test(arguments: ["1e300", "-1e300"])
    mutating func `GpsdWatcher disconnects from a protocol with an impossible number`(
        number: String
    ) {
        _ = handle(.timePassed, at: 0) + handle(.connected, at: 0)

        let effects = receive("{\"class\":\"VERSION\",\"proto_major\":\(number)}\n", at: 0)

        #expect(effects.first == .disconnect)
    }

    @Test mutating func `GpsdWatcher is not upset by any order of events`() {
        var random: UInt64 = 7
        func next(_ count: Int) -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random % UInt64(count))
        }
        var isConnected = false
        for step in 0..<20_000 {
            let now = Double(step)
            let input: GpsdWatcher.Input =
                switch next(5) {
                case 0: .connected
                case 1: .ended("x")
                case 2: .timePassed
                case 3: .bytes(Array((Self.greeting + Self.position(step)).utf8))
                default: .bytes(Array(Self.position(step).utf8.prefix(next(80))))
                }
            for effect in handle(input, at: now) {
                switch effect {
                case .connect: isConnected = true
                case .disconnect:
                    #expect(isConnected)
                    isConnected = false
                case .report(.unavailable): isConnected = false
                case .send, .report: #expect(isConnected)
                }
            }
            #expect(isConnected || nextDue.isFinite)
        }
    }
}

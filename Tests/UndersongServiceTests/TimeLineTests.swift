import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

@testable import UndersongService

/// Lines of time events, compared byte by byte with the output of `JSONEncoder` for the same event.
@Suite(.blockingThreads) struct `A time event's line` {
    @Test(arguments: 1...8)
    func `The line of a time event is that of JSONEncoder for any event`(seed: UInt64) throws {
        var random = RandomEvents(seed: seed)

        for _ in 0..<2000 {
            let event = random.next()

            let line = try EventLine.object(event)

            #expect(try text(line) == text(JSONLine.bytes(of: event)))
        }
    }

    @Test func `The line of a time event is that of JSONEncoder for each 1/100 s of two minutes`()
        throws
    {
        var event = PlayerEvent(.time(isExact: false))

        for value in Int64(0)...12_000 {
            event.head.sequence += 1
            event.head.hostTime += 9_999_999
            event.head.position = CMTime(value: value, timescale: 100)

            let line = try EventLine.line(event)

            // JSONEncoder itself would take too long here.
            let (whole, rest) = (value / 100, value % 100)
            let fraction = rest == 0 ? "" : rest < 10 ? ".0\(rest)" : ".\(rest)"
            let seconds =
                "\"seconds\":\(whole)\(rest % 10 == 0 ? fraction.dropLast() : fraction[...])"
            #expect(try text(line).contains(seconds + ",\"seq\":\(event.head.sequence),"))
        }
    }

    @Test func `The line of a time event is refused for an invalid time`() throws {
        var event = PlayerEvent(.time(isExact: false))
        event.head.position = .invalid

        #expect(throws: EncodingError.self) { try EventLine.line(event) }
    }

    private func text(_ line: [UInt8]) throws -> String {
        try #require(String(validating: line, as: UTF8.self))
    }
}

/// A random series of time events: mostly only numbers change, sometimes anything.
private struct RandomEvents {
    private var event = PlayerEvent(.time(isExact: false))
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> PlayerEvent {
        changeNumbers()
        event.kind = .time(isExact: chance(of: 8))
        if chance(of: 4) { changeSomethingElse() }
        event.head.missed = chance(of: 8) ? Int(number() & .max) : 0
        return event
    }

    private mutating func changeNumbers() {
        event.head.sequence = Int(number())
        event.head.hostTime = number()
        var value = number()
        // Round numbers too: their seconds have few decimals.
        for _ in 0..<pick(0...9) { value = value.multipliedReportingOverflow(by: 10).partialValue }
        event.head.position = CMTime(
            value: value, timescale: event.head.position.timescale)
    }

    private mutating func changeSomethingElse() {
        switch pick(0...6) {
        case 6: event.head.nominalRate = [0.5, 1, 1.25, 2][pick(0...3)]
        case 0:
            event.head.item =
                chance(of: 3) ? nil : ItemID(Int(Int32(truncatingIfNeeded: Int(number()))))
        case 1: event.head.place = Int(number())
        case 2: event.head.generation = Int(number())
        case 3: event.head.applicationState = ApplicationState.allCases[pick(0...2)]
        case 4: event.head.enter(status())
        default: event.head.position = CMTime(value: number(), timescale: timescale())
        }
    }

    private mutating func status() -> TimeControlStatus {
        switch pick(0...6) {
        case 0: .paused(.userPaused)
        case 1: .paused(.suppressed(SuppressionReason(rawValue: "appBackgrounded")))
        case 2:
            .paused(.suppressed(SuppressionReason(rawValue: "\"monotonic\":7,\\ \n/}\u{1}ü🎵\0")))
        case 3: .waiting(.noOutput)
        case 4: .waiting(.evaluatingBufferingRate)
        default: .playing
        }
    }

    private mutating func timescale() -> Int32 {
        let usual: [Int32] = [
            1, 10, 100, 1000, 10000, 1_000_000, 100_000_000, 1_000_000_000, 3, 60, 44100, 48000,
            90000, .max,
        ]
        return chance(of: 4) ? Int32(truncatingIfNeeded: bits() >> 33) | 1 : usual[pick(0...13)]
    }

    /// Any number of digits is equally likely.
    private mutating func number() -> Int64 {
        let number = Int64(bitPattern: bits() >> UInt64(pick(0...63)))
        return chance(of: 8) ? 0 &- number : number
    }

    private mutating func chance(of one: Int) -> Bool { pick(1...one) == 1 }

    private mutating func pick(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(bits() >> 33) % range.count
    }

    private mutating func bits() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

import UndersongBackground
import UndersongBase
import UndersongPlayback

/// Formats events as lines of JSON, as described by `Documentation/protocol/events.schema.json`.
enum EventLine {
    /// The line of an event, including its line feed.
    static func line(_ event: PlayerEvent) throws -> [UInt8] {
        try object(event) + [UInt8(ascii: "\n")]
    }

    /// The JSON object of an event.
    static func object(_ event: PlayerEvent) throws -> [UInt8] {
        if case .time(let isExact) = event.kind, let line = time(event.head, isExact) {
            return line
        }
        return try JSONLine.bytes(of: event)
    }

    /// The object of a time event, of which a hundred come every second: byte by byte what
    /// `JSONEncoder` writes. Nil where a member needs more than digits and plain words.
    private static func time(_ head: PlayerEvent.Head, _ isExact: Bool) -> [UInt8]? {
        let time = head.position
        guard time.isNumeric, time.timescale > 0, head.rate.isFinite else { return nil }
        if case .unknown = head.reason { return nil }
        var line: [UInt8] = []
        line.reserveCapacity(320)
        line.append(#"{"event":"time","exact":"#)
        line.append(isExact ? "true" : "false")
        line.append(#","generation":"#, head.generation)
        if let item = head.item {
            line.append(#","index":"#, head.place)
            line.append(#","item":"#, item.number)
        }
        if head.missed > 0 { line.append(#","missed":"#, head.missed) }
        line.append(#","monotonic":"#, Int(head.hostTime))
        if head.item != nil { line.append(#","number":"#, head.place + 1) }
        line.append(#","place":"#, head.place)
        line.append(#","rate":"#, head.rate)
        if let reason = head.reason {
            line.append(#","reason":""#)
            line.append(reason.word)
            line.append(#"""#)
        }
        line.append(#","seconds":"#, time)
        line.append(#","seq":"#, head.sequence)
        line.append(#","state":""#)
        line.append(head.applicationState.name)
        line.append(#"","status":""#)
        line.append(head.status.rawValue)
        line.append(#"","timescale":"#, Int(time.timescale))
        line.append(#","value":"#, Int(time.value))
        line.append("}")
        return line
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }

    /// Appends a number after its key.
    fileprivate mutating func append(_ key: String, _ number: Int) {
        append(key)
        append(number.magnitude, isNegative: number < 0)
    }

    /// Appends a finite number, which needs no exponent, after its key.
    fileprivate mutating func append(_ key: String, _ number: Double) {
        if let whole = Int(exactly: number) { return append(key, whole) }
        append(key)
        append(number.description)
    }

    /// Appends the seconds of a numeric time after their key.
    fileprivate mutating func append(_ key: String, _ time: CMTime) {
        // Up to 15 digits, a decimal fraction and the nearest Double determine each other, so the
        // value's digits are the shortest text; below 1e-4 it would have an exponent.
        let value = time.value.magnitude
        guard let decimals = Self.decimals(of: time.timescale), value < 1_000_000_000_000_000,
            value * 10_000 >= UInt64(time.timescale)
        else {
            let text = time.seconds.description
            append(key)
            return append(contentsOf: (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8)
        }
        append(key)
        append(UInt(value), decimals: decimals, isNegative: time.value < 0)
    }

    /// The decimals of a time whose timescale is a power of ten; nil for any other.
    private static func decimals(of timescale: Int32) -> Int? {
        var (power, decimals) = (1 as Int64, 0)
        while power < timescale { (power, decimals) = (power * 10, decimals + 1) }
        return power == timescale ? decimals : nil
    }

    /// Appends `number / 10^decimals`, without trailing zeros in the fraction.
    private mutating func append(_ number: UInt, decimals: Int = 0, isNegative: Bool) {
        var (rest, decimals) = (number, decimals)
        while decimals > 0 && rest % 10 == 0 { (rest, decimals) = (rest / 10, decimals - 1) }
        var digits = InlineArray<24, UInt8>(repeating: 0)
        var (start, fraction) = (digits.count, decimals)
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            (rest, fraction) = (rest / 10, fraction - 1)
            if fraction == 0 {
                start -= 1
                digits[start] = UInt8(ascii: ".")
            }
        } while rest > 0 || fraction >= 0
        if isNegative {
            start -= 1
            digits[start] = UInt8(ascii: "-")
        }
        for index in start..<digits.count { append(digits[index]) }
    }
}

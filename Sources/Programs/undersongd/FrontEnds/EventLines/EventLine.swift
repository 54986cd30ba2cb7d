import UndersongBackground
import UndersongBase
import UndersongPlayback

/// Formats events as lines of JSON, as described by `Documentation/protocol/events.schema.json`.
enum EventLine {
    /// The line of an event, including its line feed.
    static func line(_ event: PlayerEvent) throws -> [UInt8] {
        var line = try object(event)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The JSON object of an event.
    static func object(_ event: PlayerEvent) throws -> [UInt8] {
        if case .time(let isExact) = event.kind, let line = time(event.head, isExact) {
            return line
        }
        return try JSONLine.bytes(of: event)
    }

    /// The capacity of a time event's object: its keys and its longest numbers and words.
    private static let timeCapacity = 512

    /// The object of a time event, of which a hundred come every second: byte by byte what
    /// `JSONEncoder` writes. Nil where a member needs more than digits and plain words.
    private static func time(_ head: PlayerEvent.Head, _ isExact: Bool) -> [UInt8]? {
        let time = head.position
        guard time.isNumeric, time.timescale > 0, head.rate.isFinite else { return nil }
        if case .unknown = head.reason { return nil }
        var line: [UInt8] = []
        line.append(addingCapacity: timeCapacity) { write(head, isExact, to: &$0) }
        return line
    }

    private static func write(
        _ head: PlayerEvent.Head, _ isExact: Bool, to line: inout OutputSpan<UInt8>
    ) {
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
            line.append(word: reason.word)
            line.append(#"""#)
        }
        line.append(#","seconds":"#, head.position)
        line.append(#","seq":"#, head.sequence)
        line.append(#","state":""#)
        line.append(word: head.applicationState.name)
        line.append(#"","status":""#)
        line.append(word: head.status.rawValue)
        line.append(#"","timescale":"#, Int(head.position.timescale))
        line.append(#","value":"#, Int(head.position.value))
        line.append("}")
    }
}

extension OutputSpan<UInt8> {
    /// Appends plain text.
    fileprivate mutating func append(_ text: StaticString) {
        unsafe append(
            UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a word that is not a literal.
    fileprivate mutating func append(word: String) {
        var word = word
        word.withUTF8 { unsafe append($0) }
    }

    /// Appends bytes.
    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(freeCapacity >= bytes.count)
        unsafe withUnsafeMutableBufferPointer { line, count in
            _ = unsafe line.extracting(count...).initialize(fromContentsOf: bytes)
            count += bytes.count
        }
    }

    /// Appends a number after its key.
    fileprivate mutating func append(_ key: StaticString, _ number: Int) {
        append(key)
        if number < 0 { append(UInt8(ascii: "-")) }
        append(number.magnitude)
    }

    /// Appends a finite number, which needs no exponent, after its key.
    fileprivate mutating func append(_ key: StaticString, _ number: Double) {
        if let whole = Int(exactly: number) { return append(key, whole) }
        append(key)
        append(word: number.description)
    }

    /// Appends the seconds of a numeric time after their key.
    fileprivate mutating func append(_ key: StaticString, _ time: CMTime) {
        append(key)
        // Up to 15 digits, a decimal fraction and the nearest Double determine each other, so the
        // value's digits are the shortest text; below 1e-4 it would have an exponent.
        let value = time.value.magnitude
        guard let decimals = Self.decimals(of: time.timescale), value < 1_000_000_000_000_000,
            value * 10_000 >= UInt64(time.timescale)
        else {
            let text = time.seconds.description
            return append(word: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
        }
        if time.value < 0 { append(UInt8(ascii: "-")) }
        append(UInt(value), decimals: decimals)
    }

    /// The decimals of a time whose timescale is a power of ten; nil for any other.
    private static func decimals(of timescale: Int32) -> Int? {
        var (power, decimals) = (1 as Int64, 0)
        while power < timescale { (power, decimals) = (power * 10, decimals + 1) }
        return power == timescale ? decimals : nil
    }

    /// Appends `number / 10^decimals`, without trailing zeros in the fraction.
    private mutating func append(_ number: UInt, decimals: Int) {
        var (number, decimals) = (number, decimals)
        while decimals > 0 && number % 10 == 0 { (number, decimals) = (number / 10, decimals - 1) }
        guard decimals > 0 else { return append(number) }
        let power = (0..<decimals).reduce(1 as UInt) { power, _ in power * 10 }
        let (whole, fraction) = number.quotientAndRemainder(dividingBy: power)
        append(whole)
        append(UInt8(ascii: "."))
        append(fraction, digits: decimals)
    }

    /// Appends a whole number.
    private mutating func append(_ number: UInt) {
        var (digits, power) = (1, 10 as UInt)
        while number >= power && digits < 19 { (digits, power) = (digits + 1, power &* 10) }
        append(number, digits: number >= power ? 20 : digits)
    }

    /// Appends the last digits of a number.
    private mutating func append(_ number: UInt, digits: Int) {
        precondition(freeCapacity >= digits)
        unsafe withUnsafeMutableBufferPointer { line, count in
            var number = number
            for index in (count..<count + digits).reversed() {
                unsafe line[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
                number /= 10
            }
            count += digits
        }
    }
}

import UndersongAudioSession
import UndersongPlayback

/// The line of the last periodic time event. The next one usually differs in four numbers only, and
/// a hundred of them come every second. Only those numbers are rewritten, byte for byte as
/// `JSONEncoder` would; nothing is allocated unless somebody has kept the line.
struct TimeLine {
    /// The line, including its line feed.
    private(set) var bytes: [UInt8]

    /// The contents of the line, apart from the numbers.
    private let snapshot: PlayerEvent.Head
    /// The positions of the host time, the seconds, the sequence number and the value.
    private var ranges: InlineArray<4, Range<Int>>
    /// The decimals of a time in the snapshot's timescale, if that is a power of ten.
    private let decimals: Int?

    /// Creates a line from `bytes`, which `JSONEncoder` made from a time event. Nil if they are not
    /// one.
    init?(_ bytes: [UInt8], of event: PlayerEvent) {
        self.bytes = bytes
        snapshot = event.head
        ranges = InlineArray(repeating: 0..<0)
        let powers = sequence(first: Int32(1)) { $0 * 10 }.prefix(10)
        decimals = Array(powers).firstIndex(of: event.head.position.timescale)
        for (index, key) in ["monotonic", "seconds", "seq", "value"].enumerated() {
            guard let start = bytes.firstRange(of: "\"\(key)\":".utf8)?.upperBound,
                let end = bytes[start...].firstIndex(where: { ",}".utf8.contains($0) })
            else { return nil }
            ranges[index] = start..<end
        }
    }

    /// Rewrites the line for another time event; returns false, without a change, if more than the
    /// numbers differs.
    mutating func update(to event: PlayerEvent) -> Bool {
        guard snapshot.isLike(event.head) else { return false }
        let position = event.head.position
        var shift = 0
        write(Digits(event.hostTime), at: 0, &shift)
        write(Digits(seconds: position, decimals: decimals), at: 1, &shift)
        write(Digits(Int64(event.sequence)), at: 2, &shift)
        write(Digits(position.value), at: 3, &shift)
        return true
    }

    /// Writes a number at its position, which numbers before it have moved by `shift` bytes.
    private mutating func write(_ digits: Digits, at index: Int, _ shift: inout Int) {
        let old = ranges[index]
        let start = old.lowerBound + shift
        if digits.count != old.count {
            bytes.replaceSubrange(
                start..<start + old.count, with: repeatElement(0, count: digits.count))
            shift += digits.count - old.count
        }
        ranges[index] = start..<start + digits.count
        var bytes = bytes.mutableSpan
        for offset in 0..<digits.count { bytes[start + offset] = digits[offset] }
    }
}

extension PlayerEvent.Head {
    /// Whether two snapshots differ only in the value of the position.
    fileprivate func isLike(_ other: Self) -> Bool {
        item == other.item && place == other.place && generation == other.generation
            && applicationState == other.applicationState && status == other.status
            && nominalRate == other.nominalRate && position.timescale == other.position.timescale
    }
}

/// A number in decimal, as written by `JSONEncoder`.
private struct Digits {
    /// Filled from the end. No number is longer than -1.2345678901234567e-100.
    private var text = InlineArray<24, UInt8>(repeating: 0)
    private var start = 24

    init(_ number: Int64) {
        push(number.magnitude)
        if number < 0 { push("-") }
    }

    /// The seconds of a numeric time, which is a multiple of that power of 1/10, if given.
    init(seconds time: CMTime, decimals: Int?) {
        // Up to 15 digits, a decimal fraction and the nearest Double determine each other, so the
        // value's digits are the shortest text; below 1e-4 it would have an exponent.
        let value = time.value.magnitude
        if let decimals, value < 1_000_000_000_000_000,
            value * 10_000 >= UInt64(time.timescale.magnitude)
        {
            push(value, decimals: decimals)
            if time.value < 0 { push("-") }
        } else {
            let text = time.seconds.description
            for byte in (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8.reversed() {
                push(byte)
            }
        }
    }

    var count: Int { text.count - start }

    subscript(offset: Int) -> UInt8 { text[start + offset] }

    /// Prepends `number / 10^decimals`, without trailing zeros in the fraction.
    private mutating func push(_ number: UInt64, decimals: Int = 0) {
        var (rest, decimals) = (number, decimals)
        while decimals > 0 && rest % 10 == 0 {
            rest /= 10
            decimals -= 1
        }
        for _ in 0..<decimals { pushDigit(of: &rest) }
        if decimals > 0 { push(".") }
        repeat { pushDigit(of: &rest) } while rest > 0
    }

    private mutating func pushDigit(of number: inout UInt64) {
        push(UInt8(ascii: "0") + UInt8(number % 10))
        number /= 10
    }

    private mutating func push(_ character: Unicode.Scalar) { push(UInt8(ascii: character)) }

    private mutating func push(_ byte: UInt8) {
        start -= 1
        text[start] = byte
    }
}

/// The arguments of a command, and their meanings.
struct MPDArguments: Equatable, Sendable {
    private let texts: [String]

    init(_ texts: [String]) { self.texts = texts }

    /// The number of arguments.
    var count: Int { texts.count }
    /// All arguments.
    var all: [String] { texts }

    /// The argument at an index that exists.
    subscript(index: Int) -> String { texts[index] }

    /// The argument at an index; nil if there are fewer.
    func text(at index: Int) -> String? { index < texts.count ? texts[index] : nil }

    /// The arguments from an index on.
    func dropFirst(_ count: Int) -> MPDArguments { MPDArguments(Array(texts.dropFirst(count))) }

    /// The number at an index, from 0 to `most`.
    func unsigned(_ index: Int, most: Int = Int(UInt32.max)) throws(MPDError) -> Int {
        try Self.unsigned(texts[index], most: most)
    }

    /// The number in a text, from 0 to `most`.
    static func unsigned(_ text: String, most: Int = Int(UInt32.max)) throws(MPDError) -> Int {
        let number = try integer(text)
        // `most` is below 0 where nothing fits.
        guard number >= 0, number <= most else {
            throw MPDError(.argument, "Number too large: \(text)")
        }
        return number
    }

    /// The number at an index, of either sign, within `range`.
    func integer(_ index: Int, in range: ClosedRange<Int>) throws(MPDError) -> Int {
        let number = try Self.integer(texts[index])
        guard range ~= number else {
            throw MPDError(.argument, "Number too large: \(texts[index])")
        }
        return number
    }

    private static func integer(_ text: String) throws(MPDError) -> Int {
        guard let number = number(text[...]) else {
            throw MPDError(.argument, "Integer expected: \(text)")
        }
        return number
    }

    /// The version at an index; the highest one if it is out of range.
    func version(_ index: Int) throws(MPDError) -> Int {
        let number = try Self.integer(texts[index])
        return 0...Int(UInt32.max) ~= number ? number : Int(UInt32.max)
    }

    /// The decimal number of a text that is nothing else but for blanks before it; the nearest one
    /// that can be represented.
    private static func number(_ text: Substring) -> Int? {
        let text = text.drop(while: \.isWhitespace)
        let digits = ["-", "+"].contains(text.first) ? text.dropFirst() : text
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text) ?? (text.first == "-" ? Int.min : Int.max)
    }

    /// The flag at an index: 1 or 0.
    func flag(_ index: Int) throws(MPDError) -> Bool {
        switch Self.number(texts[index][...]) {
        case 0: return false
        case 1: return true
        default: throw MPDError(.argument, "Boolean (0/1) expected: \(texts[index])")
        }
    }

    /// The number of seconds, or another number with decimals, at an index; also infinity and what
    /// is not a number, unless it `isFinite`.
    func float(_ index: Int, isFinite: Bool = true) throws(MPDError) -> Double {
        let text = texts[index]
        guard let number = Double(text.drop(while: \.isWhitespace)),
            number.isFinite || !isFinite
        else {
            throw MPDError(.argument, "Float expected: \(text)")
        }
        return number
    }

    /// The time at an index, in seconds from 0 on.
    func time(_ index: Int) throws(MPDError) -> Double {
        let seconds = try float(index)
        guard seconds >= 0 else {
            throw MPDError(.argument, "Negative value not allowed: \(texts[index])")
        }
        return seconds
    }

    /// The positions at an index: `4`, `4:7`, `4:`, or `-1` for all; nil for all if there is none.
    func range(_ index: Int) throws(MPDError) -> MPDRange {
        guard let text = text(at: index) else { return .all }
        return try MPDRange(text)
    }

    fileprivate static func position(_ part: Substring, of text: String) throws(MPDError) -> Int {
        guard let number = number(part) else {
            throw MPDError(.argument, "Integer or range expected: \(text)")
        }
        guard number >= 0 else { throw MPDError(.argument, "Number is negative: \(text)") }
        guard number <= Int(Int32.max) else {
            throw MPDError(.argument, "Number too large: \(text)")
        }
        return number
    }
}

/// A half-open range of positions, with or without an end.
struct MPDRange: Equatable, Sendable {
    /// All positions.
    static let all = MPDRange(start: 0, end: nil)

    /// The first position.
    var start: Int
    /// The position after the last one; nil for the end of the list.
    var end: Int?
    /// True for a position without a colon.
    var isSingle = false

    init(start: Int, end: Int?) {
        self.start = start
        self.end = end
    }

    /// Parses a position or a range.
    init(_ text: String) throws(MPDError) {
        guard text != "-1" else {
            self = .all
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        start = try MPDArguments.position(parts[0], of: text)
        guard parts.count > 1 else {
            (end, isSingle) = (start + 1, true)
            return
        }
        end = parts[1].isEmpty ? nil : try MPDArguments.position(parts[1], of: text)
        if let end, end < start { throw MPDError(.argument, "Malformed range: \(text)") }
    }

    /// The positions that a list of `count` entries has; nil if the range begins after its end.
    func clipped(to count: Int) -> Range<Int>? {
        guard start <= count else { return nil }
        return start..<max(start, min(end ?? count, count))
    }
}

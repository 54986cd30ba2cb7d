import UndersongBase

/// The reason why a value is not one of its field.
package struct QueryValueError: Error, Hashable, Sendable {
    package var reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The bounds of a range, `from..to`, as they are written; nil if a text is none.
struct RangeText {
    /// Nil if it has no start.
    let start: String?
    /// Nil if it has no end.
    let end: String?

    init?(_ text: String) {
        guard let dots = text.firstRange(of: "..") else { return nil }
        let (start, end) = (text[..<dots.lowerBound], text[dots.upperBound...])
        self.start = start.isEmpty ? nil : String(start)
        self.end = end.isEmpty ? nil : String(end)
    }
}

extension Int {
    /// Parses at most so many digits, and nothing else.
    init?(digits: some StringProtocol, at most: Int) {
        guard 1...most ~= digits.utf8.count, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        self.init(digits)
    }
}

extension LibraryQuery.NumberField {
    /// Parses `4`, `4..`, `..4` or `2..4`.
    ///
    /// - Throws: The reason why it is not one of them.
    func range(_ text: String) throws(QueryValueError) -> ClosedRange<Double> {
        guard let bounds = RangeText(text) else {
            if let hint = Self.hint(text) {
                throw QueryValueError("a range is written as \(hint)")
            }
            let number = try number(text)
            return number...number
        }
        let start = try bounds.start.map { text throws(QueryValueError) in try number(text) }
        let end = try bounds.end.map { text throws(QueryValueError) in try number(text) }
        guard (start ?? -.infinity) <= (end ?? .infinity) else {
            throw QueryValueError("\(text) ends before it begins")
        }
        return (start ?? -.infinity)...(end ?? .infinity)
    }

    /// The written form of a range.
    func text(_ range: ClosedRange<Double>) -> String {
        if range.lowerBound == range.upperBound { return text(range.lowerBound) }
        let start = range.lowerBound == -.infinity ? "" : text(range.lowerBound)
        return start + ".." + (range.upperBound == .infinity ? "" : text(range.upperBound))
    }

    /// The right form of a range that is written as in other languages; nil if a text is none.
    private static func hint(_ text: String) -> String? {
        for (sign, form) in [(">=", "FROM.."), ("<=", "..TO"), (">", "FROM.."), ("<", "..TO")]
        where text.hasPrefix(sign) {
            let number = text.dropFirst(sign.count)
            return form.replacing("FROM", with: number).replacing("TO", with: number)
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty ? "\(parts[0])..\(parts[1])" : nil
    }

    private func text(_ number: Double) -> String {
        guard self == .length else { return String(Int(number)) }
        let seconds = Int(number)
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }

    private func number(_ text: String) throws(QueryValueError) -> Double {
        switch self {
        case .length:
            if let seconds = Self.seconds(text) { return seconds }
            throw QueryValueError("\(text) is not a length such as 3:30, 3m or 210")
        case .rating:
            if let number = Int(digits: text, at: 1), number <= 5 { return Double(number) }
            throw QueryValueError("\(text) is not a rating from 0, which is none, to 5")
        case .samplerate, .bitrate:
            if let number = Self.thousands(text) {
                // A bit rate is in thousands.
                return text.lowercased().hasSuffix("k") && self == .samplerate
                    ? (number * 1000).rounded() : number.rounded()
            }
            throw QueryValueError(
                "\(text) is not a rate such as \(self == .bitrate ? "320k" : "44.1k")")
        case .year, .disc, .track, .plays, .skips, .channels:
            if let number = Int(digits: text, at: 9) { return Double(number) }
            throw QueryValueError("\(text) is not a number or a range such as 4..")
        }
    }

    /// `44100`, `44.1k`
    private static func thousands(_ text: String) -> Double? {
        let digits = text.lowercased().hasSuffix("k") ? text.dropLast() : text[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, parts.allSatisfy({ Int(digits: $0, at: 9) != nil }) else {
            return nil
        }
        return Double(digits)
    }

    /// `210`, `210s`, `3m`, `1h30m`, `3:30`, `1:03:30`
    private static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count > 1 {
            var seconds = 0
            for (index, part) in parts.enumerated() {
                guard index < 3, let number = Int(digits: part, at: index == 0 ? 6 : 2),
                    index == 0 || number < 60
                else { return nil }
                seconds = seconds * 60 + number
            }
            return Double(seconds)
        }
        if let seconds = Int(digits: text, at: 9) { return Double(seconds) }
        var (rest, seconds) = (text.lowercased()[...], 0)
        for (unit, factor): (Character, Int) in [("h", 3600), ("m", 60), ("s", 1)] {
            guard let end = rest.firstIndex(of: unit) else { continue }
            guard let number = Int(digits: rest[..<end], at: 6) else { return nil }
            seconds += number * factor
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty && !text.isEmpty ? Double(seconds) : nil
    }
}

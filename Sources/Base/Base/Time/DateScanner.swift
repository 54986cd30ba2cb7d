/// Reads the parts of a date in ASCII.
package struct DateScanner {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let zones: [String: Double] = [
        "gmt": 0, "ut": 0, "utc": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7,
        "mdt": -6, "pst": -8, "pdt": -7, "cet": 1, "cest": 2, "bst": 1,
    ]

    let isStrict: Bool
    private var rest: ArraySlice<UInt8>

    init(_ text: some StringProtocol, isStrict: Bool) {
        rest = Array(text.utf8)[...]
        self.isStrict = isStrict
    }

    /// The number of a day of the week, from 0 for Sunday on.
    package static func weekday(_ name: String) -> Int? {
        weekdays.firstIndex(of: String(name.lowercased().prefix(3)))
    }

    /// The number of a month, from 1 on.
    static func month(_ name: String) -> Int? {
        months.firstIndex(of: String(name.lowercased().prefix(3))).map { $0 + 1 }
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func accept(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func skip(_ characters: String) {
        rest = rest.drop { characters.utf8.contains($0) }
    }

    mutating func number(_ count: ClosedRange<Int>) -> Int? {
        let digits = digits()
        return count ~= digits.utf8.count ? Int(digits) : nil
    }

    mutating func letters() -> String {
        pop { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }
    }

    /// Seconds since midnight.
    mutating func time() -> Double? {
        let digits = isStrict ? 2...2 : 1...2
        guard let hour = number(digits), 0...(isStrict ? 23 : 24) ~= hour, accept(":"),
            let minute = number(digits), 0...59 ~= minute
        else { return nil }
        let minutes = Double(hour * 60 + minute)
        guard accept(":") else { return isStrict ? nil : minutes * 60 }
        guard let second = number(digits), 0...60 ~= second else { return nil }
        guard accept(".") else { return minutes * 60 + Double(second) }
        let fraction = self.digits()
        guard !fraction.isEmpty else { return nil }
        return Double("\(second).\(fraction)").map { minutes * 60 + $0 }
    }

    /// Seconds east of Greenwich; 0 at the end.
    mutating func zone() -> Double? {
        guard !isAtEnd else { return 0 }
        let name = letters().lowercased()
        guard name.isEmpty else {
            return isStrict && name != "z" ? nil : Self.zones[name].map { $0 * 3600 }
        }
        let isWest = rest.first == UInt8(ascii: "-")
        guard accept(isWest ? "-" : "+") else { return nil }
        let digits = digits()
        guard [2, isStrict ? 2 : 4].contains(digits.utf8.count), let hours = Int(digits.prefix(2))
        else { return nil }
        var minutes = Int(digits.dropFirst(2)) ?? 0
        if digits.utf8.count == 2, accept(":") {
            guard let number = number(2...2) else { return nil }
            minutes = number
        } else if isStrict {
            return nil
        }
        guard hours <= 24, minutes < 60 else { return nil }
        return Double((isWest ? -60 : 60) * (hours * 60 + minutes))
    }

    private mutating func digits() -> String { pop { 0x30...0x39 ~= $0 } }

    private mutating func pop(_ isPart: (UInt8) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return String(decoding: part, as: UTF8.self)
    }
}

/// Dates of ISO 8601 in UTC, as in GPX and in the reports of gpsd, and days of the Gregorian
/// calendar.
package enum UTCDate {
    /// Seconds since 1970 of `2026-11-24T22:56:34.25Z`, also with an offset such as `+01:00`; nil if
    /// it is no such date.
    package static func seconds(_ text: some StringProtocol) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes[4] == dash, bytes[7] == dash, bytes[10] == letterT,
            bytes[13] == colon, bytes[16] == colon, let year = number(bytes[0..<4]),
            let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19]), let days = days(year, month, day),
            0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second
        else { return nil }
        let rest = bytes[19...]
        let digits = rest.first == point ? rest.dropFirst().prefix(while: isDigit) : []
        guard rest.first != point || !digits.isEmpty else { return nil }
        let zone = rest.first == point ? rest.dropFirst(1 + digits.count) : rest
        guard let offset = offset(zone) else { return nil }
        let fraction = digits.isEmpty ? 0 : Double("0." + String(decoding: digits, as: UTF8.self))
        let whole = days * 86400 + hour * 3600 + minute * 60 + second - offset
        return fraction.map { Double(whole) + $0 }
    }

    /// `2026-11-24T22:56:34.250Z`, rounded to milliseconds; a date before the year 1 or after 9999
    /// becomes the first or the last one.
    package static func text(_ seconds: Double) -> String {
        let limited = min(max(seconds, -62_135_596_800), 253_402_300_799.999)
        let milliseconds = Int((limited * 1000).rounded())
        let (day, rest) = floorDivision(milliseconds, 86_400_000)
        let date = date(of: day)
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { padded($0, 2) }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
            + "\(time.joined(separator: ":")).\(padded(rest % 1000, 3))Z"
    }

    /// Days since 1970; nil for a day that the calendar does not have.
    package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        guard 1...9999 ~= year, 1...12 ~= month, 1...lengths(year)[month - 1] ~= day else {
            return nil
        }
        let before = year - 1
        let years = before * 365 + before / 4 - before / 100 + before / 400
        return years + lengths(year)[..<(month - 1)].reduce(0, +) + day - 1 - 719_162
    }

    // MARK: Inside

    private static let dash = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")
    private static let point = UInt8(ascii: ".")
    private static let letterT = UInt8(ascii: "T")

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.allSatisfy(isDigit) else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self))
    }

    /// Seconds east of Greenwich of `Z`, `+01:00` or nothing; nil for anything else.
    private static func offset(_ zone: ArraySlice<UInt8>) -> Int? {
        if zone.isEmpty || zone.elementsEqual([UInt8(ascii: "Z")]) { return 0 }
        let bytes = Array(zone)
        guard bytes.count == 6, bytes[0] == dash || bytes[0] == UInt8(ascii: "+"),
            bytes[3] == colon, let hours = number(bytes[1..<3]), let minutes = number(bytes[4..<6]),
            hours <= 24, minutes < 60
        else { return nil }
        return (bytes[0] == dash ? -60 : 60) * (hours * 60 + minutes)
    }

    private static func lengths(_ year: Int) -> [Int] {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }

    private static func date(of days: Int) -> (year: Int, month: Int, day: Int) {
        // A year that is not too late.
        var year = 1970 + floorDivision(days, days < 0 ? 365 : 366).quotient
        while let next = self.days(year + 1, 1, 1), next <= days { year += 1 }
        var rest = days - (self.days(year, 1, 1) ?? 0)
        var month = 1
        for length in lengths(year) {
            guard rest >= length else { break }
            rest -= length
            month += 1
        }
        return (year, month, rest + 1)
    }

    private static func floorDivision(_ number: Int, _ divisor: Int) -> (
        quotient: Int, remainder: Int
    ) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

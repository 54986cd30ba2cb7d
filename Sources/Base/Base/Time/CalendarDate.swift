/// A date of the Gregorian calendar from the year 1 to 9999, and a time of day in UTC.
package struct CalendarDate: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Double

    private static let earliest = -62_135_596_800
    private static let latest = 253_402_300_799.999

    /// Creates the date of a time in seconds since 1970. A time before the year 1 or after 9999
    /// becomes the first or the last one.
    package init(secondsSince1970 seconds: Double) {
        let limited = max(Double(Self.earliest), min(seconds, Self.latest))
        let whole = Int(limited.rounded(.down))
        let (days, rest) = (whole - Self.earliest).quotientAndRemainder(dividingBy: 86400)
        // Counted from 1 March 0000, every 400 years have the same number of days.
        let (era, dayOfEra) = (days + 306).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthOfYear = (5 * dayOfYear + 2) / 153
        month = monthOfYear < 10 ? monthOfYear + 3 : monthOfYear - 9
        year = 400 * era + yearOfEra + (month > 2 ? 0 : 1)
        day = dayOfYear - (153 * monthOfYear + 2) / 5 + 1
        (hour, minute) = (rest / 3600, rest / 60 % 60)
        second = Double(rest % 60) + (limited - Double(whole))
    }

    /// Creates the date of `seconds` after midnight; nil for a day that the calendar does not have.
    package init?(year: Int, month: Int, day: Int, seconds: Double = 0) {
        guard 1...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
        let midnight = Double(Self.days(year, month, day) * 86400)
        // In a shorter month it is a day of the next one.
        guard Self(secondsSince1970: midnight).day == day else { return nil }
        self.init(secondsSince1970: midnight + seconds)
    }

    package var secondsSince1970: Double {
        Double(days * 86400 + hour * 3600 + minute * 60) + second
    }

    /// Days since 1970.
    package var days: Int { Self.days(year, month, day) }

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years begin in March, so that a leap day is the last of its year.
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}

// MARK: - Texts

extension CalendarDate {
    /// `2026-11-24 08:30:05`
    package var text: String { "\(dateText) \(timeText)" }

    /// `2026-11-24T22:56:34.250Z`, rounded to milliseconds.
    package var iso8601: String {
        let rounded = Self(secondsSince1970: (secondsSince1970 * 1000).rounded() / 1000)
        let milliseconds = Int((rounded.second * 1000).rounded()) % 1000
        return "\(rounded.dateText)T\(rounded.timeText).\(Self.digits(milliseconds, 3))Z"
    }

    private var dateText: String {
        "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
    }

    private var timeText: String {
        "\(Self.digits(hour, 2)):\(Self.digits(minute, 2)):\(Self.digits(Int(second), 2))"
    }

    private static func digits(_ number: Int, _ count: Int) -> Substring {
        String(10_000 + number).suffix(count)
    }

    /// Parses a date of ISO 8601 as in GPX and in the reports of gpsd: `2026-11-24T22:56:34.25Z`, also
    /// with an offset such as `+01:00` or without a zone.
    package init?(iso8601 text: some StringProtocol) {
        var scanner = DateScanner(text, isStrict: true)
        self.init(iso8601: &scanner)
    }

    /// Parses a date of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`, but not the two obsolete forms.
    package init?(http text: String) {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[3].count == 4, words[3] >= "1970",
            words[5] == "GMT"
        else { return nil }
        var scanner = DateScanner(words[1...].joined(separator: " "), isStrict: true)
        self.init(rfc822: &scanner)
    }

    /// Parses a date of RFC 822 or ISO 8601 with the usual faults of feeds. Without a zone it is in
    /// UTC.
    package init?(feed text: String) {
        let scanner = DateScanner(text, isStrict: false)
        var (iso8601, rfc822) = (scanner, scanner)
        guard let date = Self(iso8601: &iso8601) ?? Self(rfc822: &rfc822) else { return nil }
        self = date
    }

    /// Leniently also without the time, or its seconds, the zone, or the colon in it.
    private init?(iso8601 scanner: inout DateScanner) {
        let digits = scanner.isStrict ? 2...2 : 1...2
        guard let year = scanner.number(4...4), scanner.accept("-"),
            let month = scanner.number(digits), scanner.accept("-"),
            let day = scanner.number(digits)
        else { return nil }
        if scanner.isStrict {
            guard scanner.accept("T") else { return nil }
        } else {
            scanner.skip("Tt ")
            if scanner.isAtEnd {
                self.init(year: year, month: month, day: day)
                return
            }
        }
        guard let time = scanner.time() else { return nil }
        scanner.skip(" ")
        guard let offset = scanner.zone(), scanner.isAtEnd else { return nil }
        self.init(year: year, month: month, day: day, seconds: time - offset)
    }

    /// Leniently also without the day of the week, the time, its seconds or the zone, with a year of
    /// two digits or the month's whole name.
    private init?(rfc822 scanner: inout DateScanner) {
        let space = " ,\t\r\n"
        let name = scanner.letters()
        guard name.isEmpty || DateScanner.weekday(name) != nil else { return nil }
        scanner.skip(space)
        guard let day = scanner.number(1...2) else { return nil }
        scanner.skip(space)
        guard let month = DateScanner.month(scanner.letters()) else { return nil }
        scanner.skip(space)
        guard let digits = scanner.number(1...4) else { return nil }
        let year = digits >= 100 ? digits : digits < 70 ? digits + 2000 : digits + 1900
        scanner.skip(space)
        guard !scanner.isAtEnd || scanner.isStrict else {
            self.init(year: year, month: month, day: day)
            return
        }
        guard let time = scanner.time() else { return nil }
        scanner.skip(space)
        self.init(year: year, month: month, day: day, seconds: time - (scanner.zone() ?? 0))
    }
}

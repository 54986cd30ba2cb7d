/// Dates in feeds: those of RFC 822 with their usual faults, and of ISO 8601.
enum FeedDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let zones = [
        "gmt": 0, "ut": 0, "utc": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7,
        "mdt": -6, "pst": -8, "pdt": -7, "cet": 1, "cest": 2, "bst": 1,
    ]

    /// Seconds since 1970; nil if it is not a date. Without a zone it is taken as UTC.
    static func seconds(_ text: String) -> Double? { ofISO8601(text) ?? ofRFC822(text) }

    /// The number of a day of the week, from Sunday on.
    static func weekday(_ name: String) -> Int? {
        weekdays.firstIndex(of: String(name.lowercased().prefix(3)))
    }

    // MARK: Forms

    /// `2026-11-24T22:56:34Z`, also without time, fraction, zone or the colon in it.
    private static func ofISO8601(_ text: String) -> Double? {
        let date = text.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 3, date[0].count == 4, let year = Int(date[0]),
            let month = Int(date[1]),
            let day = Int(date[2]), let days = days(year, month, day)
        else { return nil }
        let rest = text.dropFirst(10).drop { $0 == "T" || $0 == "t" || $0 == " " }
        guard !rest.isEmpty else { return Double(days) * 86400 }
        let isClock: (Character) -> Bool = { $0.isNumber || $0 == ":" || $0 == "." }
        guard let time = clock(rest.prefix(while: isClock)) else { return nil }
        let zone = rest.drop(while: isClock).drop { $0 == " " }
        guard let offset = zone.isEmpty ? 0 : offset(zone) else { return nil }
        return Double(days) * 86400 + time - Double(offset)
    }

    /// `Tue, 24 Nov 2026 22:56:34 GMT`, also without the day of the week, the seconds or the zone,
    /// with a year of two digits or a month's whole name.
    private static func ofRFC822(_ text: String) -> Double? {
        var words = text.split { $0.isWhitespace || $0 == "," }[...]
        if let first = words.first, first.first?.isLetter ?? false, weekday(String(first)) != nil,
            words.count > 1, words[words.startIndex + 1].first?.isNumber ?? false
        {
            words.removeFirst()
        }
        guard words.count >= 3, let day = Int(words.removeFirst()),
            let month = months.firstIndex(of: String(words.removeFirst().lowercased().prefix(3))),
            let year = Int(words.removeFirst()), let days = days(century(year), month + 1, day)
        else { return nil }
        var seconds = Double(days) * 86400
        guard let word = words.popFirst() else { return seconds }
        guard let time = clock(word) else { return nil }
        seconds += time
        guard let zone = words.first, let offset = offset(zone) else { return seconds }
        return seconds - Double(offset)
    }

    private static func century(_ year: Int) -> Int {
        year >= 100 ? year : year < 70 ? year + 2000 : year + 1900
    }

    /// Seconds since midnight.
    private static func clock(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let hour = Int(parts[0]), let minute = Int(parts[1]),
            let second = parts.count == 3 ? Double(parts[2]) : 0, 0...24 ~= hour,
            0...59 ~= minute, second >= 0, second < 61
        else { return nil }
        return Double(hour * 3600 + minute * 60) + second
    }

    /// Seconds east of Greenwich.
    private static func offset(_ text: Substring) -> Int? {
        if let hours = zones[text.lowercased()] { return hours * 3600 }
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard digits.count == 4 || digits.count == 2, let number = Int(digits) else { return nil }
        let minutes = digits.count == 2 ? number * 60 : number / 100 * 60 + number % 100
        guard minutes <= 24 * 60 else { return nil }
        return (sign == "-" ? -60 : 60) * minutes
    }

    /// Days since 1970 in the Gregorian calendar; nil for a day that it does not have.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        guard 1...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[month - 1] else { return nil }
        let before = year - 1
        let years = before * 365 + before / 4 - before / 100 + before / 400
        return years + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_162
    }
}

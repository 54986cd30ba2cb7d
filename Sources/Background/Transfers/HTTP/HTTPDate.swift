/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970; nil for any other text, and for the two obsolete forms.
    package static func seconds(_ text: String) -> Double? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", words[0].hasSuffix(","),
            let day = Int(words[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(words[2])),
            let year = Int(words[3]), (1970...9999).contains(year)
        else { return nil }
        let clock = words[4].split(separator: ":").map { Int($0) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        let days = days(year: year, month: month + 1, day: day)
        return Double(((days * 24 + hour) * 60 + minute) * 60 + second)
    }

    /// Days from 1970-01-01 to a date of the Gregorian calendar.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        // Years begin in March, so that a leap day is the last of its year.
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}

package import UndersongBase

/// A range of times in the past: `30d`, `2026-01..2026-03`, `..1y`.
package struct TimeRange: Hashable, Sendable {
    /// Its first moment; nil if it has no start.
    package var start: Moment?
    /// Its last moment, which a date includes as a whole; nil if it has no end.
    package var end: Moment?

    package init(from start: Moment? = nil, to end: Moment? = nil) {
        self.start = start
        self.end = end
    }

    /// A date of the local calendar, or a time.
    package enum Moment: Hashable, Sendable {
        /// `2026`, `2026-01` or `2026-01-31`, by local time.
        case date(year: Int, month: Int? = nil, day: Int? = nil)
        /// `30d`: so long ago.
        case ago(Int, AgeUnit)
        /// `2026-01-31T12:30:05Z`, in seconds since 1970.
        case time(Int)
    }

    /// A unit of ages.
    package enum AgeUnit: String, CaseIterable, Sendable {
        case hours = "h"
        case days = "d"
        case weeks = "w"
        /// Of 30 days.
        case months = "m"
        /// Of 365 days.
        case years = "y"

        fileprivate var seconds: Double {
            switch self {
            case .hours: 3600
            case .days: 86400
            case .weeks: 7 * 86400
            case .months: 30 * 86400
            case .years: 365 * 86400
            }
        }
    }

    /// The range in seconds since 1970; nil if it is empty.
    package func seconds(now: Double, zone: LocalZone) -> ClosedRange<Double>? {
        let first = start.map { $0.seconds(now: now, zone: zone).lowerBound } ?? -.infinity
        let last = end.map { $0.seconds(now: now, zone: zone).upperBound } ?? .infinity
        return first <= last ? first...last : nil
    }
}

extension TimeRange.Moment {
    /// The moment in seconds since 1970; of a date, all of it.
    fileprivate func seconds(now: Double, zone: LocalZone) -> ClosedRange<Double> {
        switch self {
        case .time(let seconds): return Double(seconds)...Double(seconds)
        case .ago(let count, let unit):
            let seconds = now - Double(count) * unit.seconds
            return seconds...seconds
        case .date(let year, let month, let day):
            let next: (Int, Int, Int) =
                if let month, let day {
                    day < 31 && CalendarDate(year: year, month: month, day: day + 1) != nil
                        ? (year, month, day + 1)
                        : month < 12 ? (year, month + 1, 1) : (year + 1, 1, 1)
                } else if let month, month < 12 {
                    (year, month + 1, 1)
                } else {
                    (year + 1, 1, 1)
                }
            func start(_ year: Int, _ month: Int, _ day: Int) -> Double? {
                CalendarDate(year: year, month: month, day: day).map { zone.seconds(of: $0) }
            }
            let first = start(year, month ?? 1, day ?? 1) ?? -.infinity
            let end = start(next.0, next.1, next.2) ?? .infinity
            return first...max(first, end.nextDown)
        }
    }
}

// MARK: - The written form

extension TimeRange: CustomStringConvertible {
    /// The written form.
    package var description: String {
        if case .ago = start, end == nil, let start { return start.description }
        if let start, start == end, !start.isAge { return start.description }
        return (start?.description ?? "") + ".." + (end?.description ?? "")
    }

    /// Parses `30d`, which is from then on, `2026-01`, which is all of it, or a range of both.
    ///
    /// - Throws: The reason why it is not one.
    package init(_ text: String) throws(QueryValueError) {
        guard let bounds = RangeText(text) else {
            let moment = try Moment(text)
            self = moment.isAge ? Self(from: moment) : Self(from: moment, to: moment)
            return
        }
        start = try bounds.start.map { text throws(QueryValueError) in try Moment(text) }
        end = try bounds.end.map { text throws(QueryValueError) in try Moment(text) }
        guard let start, let end else { return }
        // Ages and dates are in an order of their own, whatever the time is; all are ages or none.
        let range = seconds(now: 0, zone: .utc)
        guard start.isAge != end.isAge || range != nil else {
            throw QueryValueError("\(text) ends before it begins")
        }
    }
}

extension TimeRange.Moment: CustomStringConvertible {
    fileprivate var isAge: Bool { if case .ago = self { true } else { false } }

    package var description: String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        switch self {
        case .ago(let count, let unit): return "\(count)\(unit.rawValue)"
        case .time(let seconds):
            let date = CalendarDate(secondsSince1970: Double(seconds))
            return date.text.replacing(" ", with: "T") + "Z"
        case .date(let year, let month, let day):
            let digits = String(10_000 + year).dropFirst()
            return digits + (month.map { "-" + two($0) } ?? "") + (day.map { "-" + two($0) } ?? "")
        }
    }

    fileprivate init(_ text: String) throws(QueryValueError) {
        if let unit = text.last.flatMap({ TimeRange.AgeUnit(rawValue: $0.lowercased()) }) {
            guard let count = Int(digits: text.dropLast(), at: 6) else { throw Self.error(text) }
            self = .ago(count, unit)
        } else if text.contains("T"), let date = CalendarDate(iso8601: text) {
            self = .time(Int(date.secondsSince1970.rounded(.down)))
        } else {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard 1...3 ~= parts.count, parts[0].count == 4,
                let year = Int(digits: parts[0], at: 4)
            else { throw Self.error(text) }
            var numbers: [Int] = []
            for part in parts.dropFirst() {
                guard let number = Int(digits: part, at: 2) else { throw Self.error(text) }
                numbers.append(number)
            }
            let (month, day) = (numbers.first, numbers.dropFirst().first)
            guard CalendarDate(year: year, month: month ?? 1, day: day ?? 1) != nil else {
                throw QueryValueError("the calendar has no \(text)")
            }
            self = .date(year: year, month: month, day: day)
        }
    }

    private static func error(_ text: String) -> QueryValueError {
        QueryValueError("\(text) is not a date such as 2026-01 or an age such as 30d")
    }
}

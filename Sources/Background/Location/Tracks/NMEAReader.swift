import UndersongBase

/// Reads the sentences of NMEA 0183 that have positions: RMC and GGA, of any system of satellites.
/// The sentences of one moment make one fix. Sentences without a correct checksum are left out.
struct NMEAReader {
    /// The most bytes of a sentence; the standard has 82.
    private static let sentenceLimit = 255

    private var builder = TrackBuilder()
    /// The fix of the sentences of one moment: its time is in seconds since midnight, and its
    /// coordinates are not numbers until a sentence has them.
    private var moment: LocationFix?
    /// Days since 1970; nil until a sentence names the date.
    private var day: Int?
    private var lastTime: Double?
    private var goodCount = 0
    private var hasDatelessFix = false
    /// The error in the first invalid sentence.
    private var problem: String?

    static func read(_ bytes: ArraySlice<UInt8>) throws(TrackError) -> Track {
        var reader = NMEAReader()
        let lines = bytes.split(omittingEmptySubsequences: false) { $0 == 0x0a }
        for (index, line) in lines.enumerated() { try reader.read(line, number: index + 1) }
        try reader.finishMoment()
        return try reader.finished()
    }

    private func finished() throws(TrackError) -> Track {
        if goodCount == 0 {
            throw TrackError(
                problem.map { "It is neither GPX nor NMEA: \($0)" }
                    ?? "It is neither GPX nor NMEA")
        }
        if builder.track.fixes.isEmpty, hasDatelessFix {
            throw TrackError("It names no date: there is no RMC sentence")
        }
        return builder.track
    }

    private mutating func read(_ line: ArraySlice<UInt8>, number: Int) throws(TrackError) {
        // Some programs write a time before each sentence.
        guard let start = line.firstIndex(of: UInt8(ascii: "$")) else {
            if line.contains(where: { $0 != 0x0d && $0 != 0x20 }) {
                skip("Line \(number) is not a sentence")
            }
            return
        }
        let sentence = line[(start + 1)...].prefix { $0 != 0x0d }
        switch Self.content(sentence) {
        case .success(let fields):
            goodCount += 1
            try parse(fields)
        case .failure(let error): skip("Line \(number): \(error.description)")
        }
    }

    private mutating func skip(_ reason: String) {
        builder.skip()
        problem = problem ?? reason
    }

    /// The fields before the checksum.
    private static func content(_ sentence: ArraySlice<UInt8>) -> Result<[Substring], TrackError> {
        guard sentence.count <= sentenceLimit else {
            return .failure(TrackError("The sentence is too long"))
        }
        guard let star = sentence.lastIndex(of: UInt8(ascii: "*")) else {
            return .failure(TrackError("The sentence has no checksum"))
        }
        let digits = String(decoding: sentence[(star + 1)...], as: UTF8.self)
        let sum = sentence[..<star].reduce(0, ^)
        guard digits.utf8.count == 2, UInt8(digits, radix: 16) == sum else {
            return .failure(TrackError("The checksum is wrong"))
        }
        let text = String(decoding: sentence[..<star], as: UTF8.self)
        return .success(text.split(separator: ",", omittingEmptySubsequences: false))
    }

    private mutating func parse(_ fields: [Substring]) throws(TrackError) {
        guard let kind = fields.first?.suffix(3) else { return }
        switch kind {
        case "RMC" where fields.count >= 10: try parseRMC(fields)
        case "GGA" where fields.count >= 10: try parseGGA(fields)
        default: break
        }
    }

    private mutating func parseRMC(_ fields: [Substring]) throws(TrackError) {
        guard fields[2] == "A", let time = Self.time(fields[1]) else { return }
        try enter(time)
        if let date = Self.date(fields[9]) { day = date }
        if moment?.coordinate.isValid == false {
            moment?.coordinate = Self.coordinate(fields[3...6])
        }
        moment?.speed = Self.number(fields[7]).map { $0 * 1852 / 3600 }
        moment?.course = Self.number(fields[8])
    }

    private mutating func parseGGA(_ fields: [Substring]) throws(TrackError) {
        guard fields[6] != "0", !fields[6].isEmpty, let time = Self.time(fields[1]) else { return }
        try enter(time)
        moment?.coordinate = Self.coordinate(fields[2...5])
        moment?.horizontalAccuracy = TrackDefaults.accuracy(dilution: Self.number(fields[8]))
        moment?.altitude = Self.number(fields[9])
    }

    private mutating func enter(_ time: Double) throws(TrackError) {
        guard moment?.time != time else { return }
        try finishMoment()
        moment = LocationFix(
            Coordinate(latitude: .nan, longitude: .nan),
            horizontalAccuracy: TrackDefaults.accuracy, time: time, source: .replay)
        // Midnight has passed since the last date.
        if let lastTime, let day, time + 43200 < lastTime { self.day = day + 1 }
        lastTime = time
    }

    private mutating func finishMoment() throws(TrackError) {
        guard var fix = moment.take() else { return }
        guard fix.coordinate.isValid else { return builder.skip() }
        guard let day else {
            hasDatelessFix = true
            return builder.skip()
        }
        fix.time += Double(day) * 86400
        try builder.add(fix)
    }

    // MARK: Fields

    private static func number(_ text: Substring) -> Double? {
        guard let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// Seconds since midnight of `hhmmss.ss`.
    private static func time(_ text: Substring) -> Double? {
        let whole = text.prefix { $0 != "." }
        guard whole.utf8.count == 6, let digits = Int(whole), digits >= 0,
            let fraction = text.count > 6 ? Double("0" + text.dropFirst(6)) : 0
        else { return nil }
        let (hour, minute, second) = (digits / 10000, digits / 100 % 100, digits % 100)
        guard hour < 24, minute < 60, second < 61 else { return nil }
        return Double(hour * 3600 + minute * 60 + second) + fraction
    }

    /// Days since 1970 of `ddmmyy`, from 1980 to 2079.
    private static func date(_ text: Substring) -> Int? {
        guard text.utf8.count == 6, let digits = Int(text), digits >= 0 else { return nil }
        let year = digits % 100
        return CalendarDate(
            year: year < 80 ? 2000 + year : 1900 + year, month: digits / 100 % 100,
            day: digits / 10000)?.days
    }

    /// The place in four fields: latitude, longitude, and the direction after each.
    private static func coordinate(_ fields: ArraySlice<Substring>) -> Coordinate {
        let first = fields.startIndex
        return Coordinate(
            latitude: angle(fields[first], fields[first + 1], 90) ?? .nan,
            longitude: angle(fields[first + 2], fields[first + 3], 180) ?? .nan)
    }

    /// Degrees of `ddmm.mmmm` or `dddmm.mmmm` and a letter for the direction.
    private static func angle(_ text: Substring, _ direction: Substring, _ limit: Double) -> Double?
    {
        guard let number = number(text), number >= 0 else { return nil }
        let degrees = (number / 100).rounded(.down)
        // Read again, since a difference would lose digits.
        let whole = text.prefix { $0 != "." }.suffix(2) + text.drop { $0 != "." }
        guard let minutes = Self.number(whole) else { return nil }
        let sum = degrees + minutes / 60
        guard minutes < 60, sum <= limit else { return nil }
        switch direction {
        case "N" where limit == 90, "E" where limit == 180: return sum
        case "S" where limit == 90, "W" where limit == 180: return -sum
        default: return nil
        }
    }
}

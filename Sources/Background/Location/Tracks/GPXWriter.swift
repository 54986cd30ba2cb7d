import UndersongBase

/// Writes fixes as a track of GPX 1.1.
package enum GPXWriter {
    /// The file's text.
    package static func text(_ fixes: [LocationFix]) -> String {
        let head = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Undersong" xmlns="http://www.topografix.com/GPX/1/1">
            <trk><trkseg>

            """
        return head + fixes.map(point).joined() + "</trkseg></trk>\n</gpx>\n"
    }

    private static func point(_ fix: LocationFix) -> String {
        let altitude = fix.altitude.map { "<ele>\(decimal($0, 3))</ele>" } ?? ""
        let dilution = fix.horizontalAccuracy / TrackDefaults.metersPerDilution
        let position = "lat=\"\(decimal(fix.latitude, 8))\" lon=\"\(decimal(fix.longitude, 8))\""
        let time = CalendarDate(secondsSince1970: fix.time).iso8601
        return "<trkpt \(position)>\(altitude)<time>\(time)</time>"
            + "<hdop>\(decimal(dilution, 3))</hdop></trkpt>\n"
    }

    /// A number with a number of digits after the point, as XML writes decimals: without an
    /// exponent.
    static func decimal(_ number: Double, _ places: Int) -> String {
        var factor = 1.0
        for _ in 0..<places { factor *= 10 }
        let scaled = (abs(number) * factor).rounded()
        guard scaled < 9e18 else { return "0" }
        let digits = String(Int64(scaled))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let whole = padded.dropLast(places)
        return (number < 0 && scaled > 0 ? "-" : "") + whole + "." + padded.suffix(places)
    }
}

import UndersongBase
import UndersongLocation

/// A line of gpsd's JSON, as far as it is of use.
enum GpsdMessage: Hashable, Sendable {
    /// The greeting, with the major number of the protocol.
    case version(Int)
    /// The number of receivers.
    case devices(Int)
    /// A position, and the receiver's name. It has no time if the receiver does not say one.
    case fix(LocationFix, hasTime: Bool, device: String)
    /// A receiver reports that it has none.
    case noFix
    /// gpsd refuses something.
    case error(String)
    case other

    /// Nil for a line that is not a JSON object, such as one that was cut.
    init?(_ line: [UInt8]) {
        guard let object = JSONObject(line) else { return nil }
        switch object.string("class") {
        case "VERSION":
            let number = object.number("proto_major").flatMap { Int(exactly: $0.rounded(.down)) }
            self = .version(number ?? 0)
        case "DEVICES": self = .devices(object.elements("devices")?.count ?? 0)
        case "ERROR": self = .error(object.string("message") ?? "")
        case "TPV": self = Self.fix(object) ?? .noFix
        default: self = .other
        }
    }

    /// gpsd's errors hold with a probability of 95 %, those of fixes with one of 68 %.
    private static let errorFactor = 0.62
    /// Meters, of a receiver that does not say.
    private static let usualAccuracy = 30.0

    /// Nil if the mode says that there is none, or it is nowhere: an old position may still be there.
    private static func fix(_ object: JSONObject) -> GpsdMessage? {
        guard let mode = object.number("mode"), mode >= 2,
            let latitude = object.number("lat"), abs(latitude) <= 90,
            let longitude = object.number("lon"), abs(longitude) <= 180
        else { return nil }
        let time = object.string("time").flatMap { CalendarDate(iso8601: $0)?.secondsSince1970 }
        let error = object.error("eph", else: "epx", "epy")
        var fix = LocationFix(
            Coordinate(latitude: latitude, longitude: longitude),
            horizontalAccuracy: error.map { $0 * errorFactor } ?? usualAccuracy,
            speed: object.number("speed").flatMap { $0 >= 0 ? $0 : nil },
            course: object.number("track").flatMap { 0...360 ~= $0 ? $0 : nil }, time: time ?? 0,
            source: .gpsd)
        if mode >= 3, let altitude = object.number("altMSL") ?? object.number("alt") {
            fix.altitude = altitude
            fix.verticalAccuracy = object.error("epv").map { $0 * errorFactor } ?? 2 * usualAccuracy
        }
        return .fix(fix, hasTime: time != nil, device: object.string("device") ?? "")
    }
}

extension JSONObject {
    /// A distance that is not negative: this one, or the largest of the others.
    fileprivate func error(_ key: String, else others: String...) -> Double? {
        let number = number(key) ?? others.compactMap(self.number).max()
        return number.flatMap { $0 >= 0 ? $0 : nil }
    }
}

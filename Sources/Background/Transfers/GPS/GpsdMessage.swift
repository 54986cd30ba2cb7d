import UndersongBase

/// A position as gpsd reports it.
package struct GpsdFix: Hashable, Sendable {
    /// When it was, in gpsd's words: `2026-11-22T20:59:15.000Z`; nil if the receiver does not say.
    package var time: String?
    /// Degrees north.
    package var latitude: Double
    /// Degrees east.
    package var longitude: Double
    /// Meters above the sea; nil without a fix in three dimensions.
    package var altitude: Double?
    /// Meters per second.
    package var speed: Double?
    /// Degrees clockwise from true north.
    package var course: Double?
    /// The radius in meters within which the position is with a probability of 95 %.
    package var horizontalError: Double?
    /// The same of the altitude.
    package var verticalError: Double?

    package init(time: String?, latitude: Double, longitude: Double) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A line of gpsd's JSON, as far as it is of use.
enum GpsdMessage: Hashable, Sendable {
    /// The greeting, with the major number of the protocol.
    case version(Int)
    /// How many receivers there are.
    case devices(Int)
    /// A position, and the receiver's name.
    case fix(GpsdFix, device: String)
    /// A receiver reports that it has none.
    case noFix
    /// gpsd refuses something.
    case error(String)
    case other

    /// Nil for a line that is not a JSON object, such as one that was cut.
    init?(_ line: [UInt8]) {
        guard let object = JSONObject(line) else { return nil }
        switch object.string("class") {
        case "VERSION": self = .version(object.number("proto_major").map { Int($0) } ?? 0)
        case "DEVICES": self = .devices(object.elements("devices")?.count ?? 0)
        case "ERROR": self = .error(object.string("message") ?? "")
        case "TPV":
            self =
                Self.fix(object).map { .fix($0, device: object.string("device") ?? "") } ?? .noFix
        default: self = .other
        }
    }

    /// Nil if the mode says that there is none, or it is nowhere: an old position may still be there.
    private static func fix(_ object: JSONObject) -> GpsdFix? {
        guard let mode = object.number("mode"), mode >= 2,
            let latitude = object.number("lat"), abs(latitude) <= 90,
            let longitude = object.number("lon"), abs(longitude) <= 180
        else { return nil }
        var fix = GpsdFix(
            time: object.string("time"), latitude: latitude, longitude: longitude)
        if mode >= 3 { fix.altitude = object.number("altMSL") ?? object.number("alt") }
        fix.speed = object.number("speed").flatMap { $0 >= 0 ? $0 : nil }
        fix.course = object.number("track").flatMap { 0...360 ~= $0 ? $0 : nil }
        fix.horizontalError = object.error("eph", else: "epx", "epy")
        fix.verticalError = object.error("epv")
        return fix
    }
}

extension JSONObject {
    /// A distance that is not negative: this one, or the largest of the others.
    fileprivate func error(_ key: String, else others: String...) -> Double? {
        let number = number(key) ?? others.compactMap(self.number).max()
        return number.flatMap { $0 >= 0 ? $0 : nil }
    }
}

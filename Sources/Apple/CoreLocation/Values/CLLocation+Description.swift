import Foundation

extension CLLocation {
    func description(in timeZone: TimeZone) -> String {
        let place = String(
            format: "<%+.8f,%+.8f> +/- %.2fm", coordinate.latitude, coordinate.longitude,
            horizontalAccuracy)
        let movement = String(format: "(speed %.2f mps / course %.2f)", speed, course)
        return "\(place) \(movement) @ \(Self.text(timestamp, in: timeZone))"
    }

    /// `12/21/14, 8:05:13 PM Pacific Standard Time`, with ordinary spaces in every version of the
    /// locale data.
    private static func text(_ date: Date, in timeZone: TimeZone) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US")
        formatter.timeZone = timeZone
        formatter.dateFormat = "M/d/yy, h:mm:ss a zzzz"
        return formatter.string(from: date)
    }
}

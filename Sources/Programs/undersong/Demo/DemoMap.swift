import Glibc
import UndersongDemoScreen

/// The projection of a map: metres from the middle of its pins, at one scale in both directions.
struct DemoMap: Equatable {
    /// A point in dots from the upper left.
    struct Point: Equatable {
        var x: Double
        var y: Double
    }

    /// The metres of a degree of latitude.
    private static let degree = 111_195.0
    /// The part of the map that is left free at each side.
    private static let margin = 0.08
    /// The least metres that a map shows.
    private static let least = 50.0

    private let latitude: Double
    private let longitude: Double
    /// The metres of a degree of longitude.
    private let degreeOfLongitude: Double
    private let middle: Point
    /// Dots per metre.
    let scale: Double

    /// Creates the map that shows all pins in this many dots, and the accuracy of the newest as far as
    /// that is not much wider. Nil without pins, or without room.
    init?(_ pins: [DemoScreen.Pin], width: Int, height: Int) {
        guard let newest = pins.last(where: \.isOnEarth), width >= 2, height >= 2 else {
            return nil
        }
        let (latitude, longitude) = (newest.latitude, newest.longitude)
        let degreeOfLongitude = Self.degree * max(cos(latitude * .pi / 180), 0.01)
        let offsets = pins.filter(\.isOnEarth).map { pin in
            Self.metres(pin, latitude, longitude, degreeOfLongitude)
        }
        let xs = offsets.map(\.x).sorted()
        let ys = offsets.map(\.y).sorted()
        let (spanX, spanY) = (xs[xs.count - 1] - xs[0], ys[ys.count - 1] - ys[0])
        let circle = newest.accuracy.isFinite ? max(newest.accuracy, 0) * 2 : 0
        let least = max(Self.least, min(circle, max(spanX, spanY, 1000)))
        let room = 1 - 2 * Self.margin
        self.latitude = latitude
        self.longitude = longitude
        self.degreeOfLongitude = degreeOfLongitude
        scale = min(
            Double(width - 1) * room / max(spanX, least),
            Double(height - 1) * room / max(spanY, least))
        middle = Point(
            x: Double(width - 1) / 2 - (xs[0] + spanX / 2) * scale,
            y: Double(height - 1) / 2 + (ys[0] + spanY / 2) * scale)
    }

    /// The point of a pin; nil if its coordinates are none.
    func point(_ pin: DemoScreen.Pin) -> Point? {
        guard pin.isOnEarth else { return nil }
        let metres = Self.metres(pin, latitude, longitude, degreeOfLongitude)
        return Point(x: middle.x + metres.x * scale, y: middle.y - metres.y * scale)
    }

    /// The longest round number of metres that takes at most this many dots.
    func length(within dots: Double) -> Double {
        let most = dots / scale
        guard most.isFinite, most > 0 else { return 0 }
        let power = pow(10, log10(most).rounded(.down))
        return [5, 2, 1].map { $0 * power }.first { $0 <= most } ?? power
    }

    /// The metres of a pin east and north of a place, by the shorter way around the earth.
    private static func metres(
        _ pin: DemoScreen.Pin, _ latitude: Double, _ longitude: Double, _ degreeOfLongitude: Double
    ) -> Point {
        let turn = (pin.longitude - longitude).remainder(dividingBy: 360)
        return Point(x: turn * degreeOfLongitude, y: (pin.latitude - latitude) * degree)
    }
}

extension DemoScreen.Pin {
    /// True if its coordinates are those of a place on the earth.
    fileprivate var isOnEarth: Bool {
        latitude.magnitude <= 90 && longitude.magnitude <= 180
    }
}

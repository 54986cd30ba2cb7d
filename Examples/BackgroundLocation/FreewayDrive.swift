import CoreLocation

/// Places on a freeway in California, a second apart.
enum FreewayDrive {
    static let locations: [CLLocation] = [
        (37.33482105, -122.03350886, 15.90, 255.94),
        (37.33477977, -122.03369603, 17.21, 255.59),
        (37.33474691, -122.03389325, 18.27, 257.34),
        (37.33470894, -122.03411085, 19.27, 257.70),
    ].enumerated().map { second, place in
        CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: place.0, longitude: place.1),
            altitude: 0, horizontalAccuracy: 5, verticalAccuracy: -1, course: place.3,
            speed: place.2, timestamp: Date(timeIntervalSince1970: 1_419_221_113 + Double(second)))
    }
}

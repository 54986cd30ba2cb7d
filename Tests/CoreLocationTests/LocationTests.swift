import TestSupport
import Testing

@testable import UndersongCoreLocation

@Suite struct `A location` {
    /// The tutorial's drive, and how it was logged.
    private static let drive: [(CLLocation, String)] = [
        (
            (37.33482105, -122.03350886, 15.90, 255.94),
            "<+37.33482105,-122.03350886> +/- 5.00m (speed 15.90 mps / course 255.94) @ 12/21/14, 8:05:13 PM Pacific Standard Time"
        ),
        (
            (37.33477977, -122.03369603, 17.21, 255.59),
            "<+37.33477977,-122.03369603> +/- 5.00m (speed 17.21 mps / course 255.59) @ 12/21/14, 8:05:14 PM Pacific Standard Time"
        ),
        (
            (37.33474691, -122.03389325, 18.27, 257.34),
            "<+37.33474691,-122.03389325> +/- 5.00m (speed 18.27 mps / course 257.34) @ 12/21/14, 8:05:15 PM Pacific Standard Time"
        ),
        (
            (37.33470894, -122.03411085, 19.27, 257.70),
            "<+37.33470894,-122.03411085> +/- 5.00m (speed 19.27 mps / course 257.70) @ 12/21/14, 8:05:16 PM Pacific Standard Time"
        ),
    ].enumerated().map { second, fix in
        let ((latitude, longitude, speed, course), text) = fix
        let location = CLLocation(
            coordinate: CLLocationCoordinate2DMake(latitude, longitude), altitude: 0,
            horizontalAccuracy: 5, verticalAccuracy: -1, course: course, speed: speed,
            timestamp: Date(timeIntervalSince1970: 1_419_221_113 + Double(second)))
        return (location, text)
    }

    @Test(.rule("D7")) func `A location is written as the tutorial has logged it, to the digit`()
        throws
    {
        let pacific = try #require(TimeZone(identifier: "America/Los_Angeles"))

        for (location, text) in Self.drive { #expect(location.description(in: pacific) == text) }
    }

    @Test
    func `A location is written with signs for hemispheres, and minus where nothing is known`()
        throws
    {
        let location = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: -33.5, longitude: 151.25), altitude: 0,
            horizontalAccuracy: 65, verticalAccuracy: -1,
            timestamp: Date(timeIntervalSince1970: 0))

        let utc = try #require(TimeZone(identifier: "GMT"))
        #expect(
            location.description(in: utc)
                == "<-33.50000000,+151.25000000> +/- 65.00m (speed -1.00 mps / course -1.00) @ 1/1/70, 12:00:00 AM Greenwich Mean Time"
        )
        #expect("\(location)" == location.description(in: .current))
    }

    @Test(.rule("N8")) func `Two locations are as far from each other as on the ellipsoid`() {
        let locations = Self.drive.map(\.0)

        let distances = zip(locations, locations.dropFirst()).map { $1.distance(from: $0) }

        #expect(distances.map { ($0 * 100).rounded() / 100 } == [17.21, 17.85, 19.74])
    }

    @Test func `A location of a latitude and a longitude knows nothing else`() {
        let before = Date()
        let location = CLLocation(latitude: 1, longitude: 2)

        #expect(location.coordinate.latitude == 1 && location.coordinate.longitude == 2)
        #expect(location.horizontalAccuracy == 0 && location.verticalAccuracy == -1)
        #expect(location.speed == -1 && location.course == -1)
        #expect(location.speedAccuracy == -1 && location.courseAccuracy == -1)
        #expect(location.timestamp >= before - 1 && location.timestamp <= Date() + 1)
        #expect(location.sourceInformation == nil && location.floor == nil)
    }

    @Test(.rule("D3")) func `A location has Apple's constants`() {
        let accuracies = [
            kCLLocationAccuracyBestForNavigation, kCLLocationAccuracyBest,
            kCLLocationAccuracyNearestTenMeters, kCLLocationAccuracyHundredMeters,
            kCLLocationAccuracyKilometer, kCLLocationAccuracyThreeKilometers,
            kCLLocationAccuracyReduced,
        ]

        #expect(accuracies == [-2, -1, 10, 100, 1000, 3000, 6_380_000])
        #expect(kCLDistanceFilterNone == -1)
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
        #expect(
            CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: 90, longitude: -180)))
        #expect(
            !CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: .nan, longitude: 0)))
    }

    @Test func `A location is in a circular region as far as its radius`() {
        let region = CLCircularRegion(
            center: Stage.home, radius: 100, identifier: "home")

        #expect(region.contains(Stage.place(99)))
        #expect(!region.contains(Stage.place(101)))
        #expect(region.notifyOnEntry && region.notifyOnExit)
        let other = CLCircularRegion(center: Stage.place(5), radius: 1, identifier: "home")
        #expect(region == other && region.hash == other.hash)
    }
}

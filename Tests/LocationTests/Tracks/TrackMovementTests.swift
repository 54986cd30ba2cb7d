import Testing

@testable import UndersongLocation

@Suite struct `The movement along a track` {
    /// Fixes at times, as meters east and north of a place.
    private func fixes(
        _ way: [(time: Double, east: Double, north: Double)], at latitude: Double = 52.5,
        _ longitude: Double = 13.4
    ) -> [LocationFix] {
        // Meters for each degree on the ellipsoid at 52.5° north.
        way.map { time, east, north in
            let turned = longitude + east / 67_915
            return LocationFix(
                Coordinate(
                    latitude: latitude + north / 111_268,
                    longitude: turned > 180 ? turned - 360 : turned),
                horizontalAccuracy: 5, time: 1_419_221_113 + time, source: .replay)
        }
    }

    private func isClose(_ value: Double?, _ expected: Double, _ tolerance: Double = 0.02) -> Bool {
        value.map { abs($0 - expected) <= tolerance } ?? false
    }

    @Test(
        .rule("LO16"),
        arguments: [
            (0.0, 10.0, 0.0), (10, 0, 90), (0, -10, 180), (-10, 0, 270), (6, 8, 36.87),
            (-3, 4, 323.13),
        ])
    func `A straight way has its speed and its course at each fix`(
        east: Double, north: Double, course: Double
    ) {
        let way = (0..<10).map { (Double($0), Double($0) * east, Double($0) * north) }
        let speed = (east * east + north * north).squareRoot()

        let result = TrackMovement.complete(fixes(way))

        #expect(result.allSatisfy { isClose($0.speed, speed) })
        #expect(
            result.allSatisfy { fix in
                isClose(fix.course, course, 0.1) || course == 0 && isClose(fix.course, 360, 0.1)
            }, "\(result.map(\.course))")
        #expect(result.allSatisfy { $0.speedAccuracy == 0.1 })
        #expect(result.allSatisfy { isClose($0.courseAccuracy, 0.1 / speed * 180 / .pi) })
    }

    @Test(.rule("LO16"))
    func `A way across the date line, and past the pole, is as fast as others`() {
        let acrossLine = fixes(
            (0..<6).map { (Double($0), Double($0) * 10, 0) }, at: 52.5, 179.9997)
        let pastPole = [-2.0, -1, 0, 1, 2].map { step in
            LocationFix(
                Coordinate(
                    latitude: 90 - abs(step) * 10 / 111_694, longitude: step < 0 ? 0 : 180),
                horizontalAccuracy: 5, time: step, source: .replay)
        }

        let across = TrackMovement.complete(acrossLine)
        let past = TrackMovement.complete(pastPole)

        #expect(across.contains { $0.longitude < 0 } && across.contains { $0.longitude > 0 })
        #expect(across.allSatisfy { isClose($0.speed, 10) && isClose($0.course, 90, 0.1) })
        #expect(past.allSatisfy { isClose($0.speed, 10) })
        #expect(isClose(past[1].course, 0) && isClose(past[3].course, 180))
    }

    @Test(.rule("LO16")) func `A machine that stands has a speed and no course`() {
        let way = (0..<10).map { (Double($0), Double($0) * 0.49, 0.0) }
        let faster = (0..<10).map { (Double($0), Double($0) * 0.52, 0.0) }

        let slow = TrackMovement.complete(fixes(way))
        let fast = TrackMovement.complete(fixes(faster))

        #expect(slow.allSatisfy { isClose($0.speed, 0.49) })
        #expect(slow.allSatisfy { $0.course == nil && $0.courseAccuracy == nil })
        #expect(fast.allSatisfy { isClose($0.course, 90, 0.5) })
    }

    @Test(.rule("LO16")) func `Noise is smoothed over four seconds, and shows in the accuracy`() {
        let noise = [0.4, -0.5, 0.1, 0.5, -0.4, -0.2, 0.3, 0.0, -0.3, 0.2]
        let way = noise.enumerated().map { (Double($0), Double($0) * 10 + $1, -$1) }

        let result = TrackMovement.complete(fixes(way))

        // From one fix to the next it is up to 1.1 m/s off.
        #expect(result[2...7].allSatisfy { isClose($0.speed, 10, 0.25) }, "\(result.map(\.speed))")
        #expect(result[2...7].allSatisfy { isClose($0.course, 90, 1.5) })
        #expect(result[2...5].allSatisfy { ($0.speedAccuracy ?? 0) > 0.11 })
        #expect(result[2...7].allSatisfy { ($0.speedAccuracy ?? 9) < 0.3 })
    }

    @Test(.rule("LO16")) func `A turn has the course of its middle`() {
        // A quarter of a circle of 100 m at 10 m/s.
        let way = stride(from: 0.0, through: 15, by: 1).map { time in
            let angle = time * 0.1
            return (time, 100 * (1 - TestAngle.cos(angle)), 100 * TestAngle.sin(angle))
        }

        let result = TrackMovement.complete(fixes(way))

        for index in 2..<14 {
            let expected = Double(index) * 0.1 * 180 / .pi
            #expect(isClose(result[index].course, expected, 0.2))
            #expect(isClose(result[index].speed, 10, 0.1))
        }
    }

    @Test(.rule("LO16")) func `Fixes that are rare have the movement to their neighbors`() {
        let regular = TrackMovement.complete(
            fixes([(0, 0, 0), (30, 300, 0), (60, 300, 150), (121, 300, 300)]))
        let uneven = TrackMovement.complete(fixes([(0, 0, 0), (3, 30, 0), (43, 30, 40)]))

        #expect(isClose(regular[0].speed, 10) && isClose(regular[0].course, 90, 0.1))
        #expect(regular[0].speedAccuracy == nil && regular[0].courseAccuracy == nil)
        #expect(isClose(regular[1].course, 63.43, 0.1) && isClose(regular[1].speed, 5.59))
        #expect(isClose(regular[2].course, 0, 0.1) && isClose(regular[2].speed, 5))
        #expect(regular[3].speed == nil && regular[3].course == nil)
        // The neighbor that is 40 s away says nothing beside one that is 3 s away.
        #expect(isClose(uneven[1].speed, 10) && isClose(uneven[1].course, 90, 0.1))
    }

    @Test(.rule("LO16")) func `A jump and a single fix have no movement`() {
        let jump = TrackMovement.complete(fixes([(0, 0, 0), (1, 10, 0), (2, 311, 0), (3, 321, 0)]))
        let single = fixes([(0, 0, 0)])

        #expect(isClose(jump[1].speed, 10) && isClose(jump[2].speed, 10))
        #expect(TrackMovement.complete(single) == single)
        #expect(TrackMovement.complete([]) == [])
    }

    @Test(.rule("LO16")) func `What a file says of the movement remains`() {
        var way = fixes((0..<5).map { (Double($0), Double($0) * 10, 0) })
        (way[1].speed, way[1].course) = (3, 45)
        way[2].speed = 4
        way[3].course = 46
        way[4].speed = 0

        let result = TrackMovement.complete(way)

        #expect(result[1] == way[1])
        #expect(result[2].speed == 4 && result[2].speedAccuracy == nil)
        #expect(isClose(result[2].course, 90, 0.1))
        #expect(isClose(result[3].speed, 10) && result[3].course == 46)
        #expect(result[4].speed == 0 && result[4].course == nil)
    }

    @Test func `Fixes that are close in time cost no more than others`() {
        let way = (0..<20_000).map { (Double($0) / 1e5, Double($0) / 1e4, 0.0) }
        let start = ContinuousClock.now

        let result = TrackMovement.complete(fixes(way))

        #expect(isClose(result[10_000].speed, 10, 0.5))
        // Each with all that are within two seconds would be 400 million.
        #expect(start.duration(to: .now) < .seconds(10))
    }
}

/// The functions of angles, by their series: the module is tested without another one's.
private enum TestAngle {
    static func sin(_ angle: Double) -> Double {
        var (sum, term) = (angle, angle)
        for step in 1...12 {
            term *= -angle * angle / Double(2 * step * (2 * step + 1))
            sum += term
        }
        return sum
    }

    static func cos(_ angle: Double) -> Double { sin(.pi / 2 - angle) }
}

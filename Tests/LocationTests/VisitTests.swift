import TestSupport
import Testing

@testable import UndersongLocation

@Suite struct `A visit` {
    private func visits(_ fixes: [LocationFix]) -> [Visit] {
        var detector = VisitDetector()
        return fixes.flatMap { detector.receive($0) }
    }

    /// Comes from 3 km away, stays from 1000 s on for `stay` seconds, and moves away.
    private func journey(
        _ speed: Double, stay: Double, noise: Double, interval: Double = 1, seed: UInt64 = 1
    ) -> [LocationFix] {
        var way = Way(noise: noise, accuracy: max(5, noise), interval: interval, seed: seed)
        return way.fixes(for: 2000 + stay) { time in
            let before = max(0, 1000 - time)
            let after = max(0, time - 1000 - stay)
            return Spot(east: -before * speed, north: after * speed)
        }
    }

    @Test(.rule("LO13"), arguments: [1.4, 10, 30], 0..<5)
    func `A visit of twelve minutes is reported at its arrival and its departure`(
        speed: Double, seed: Int
    )
        throws
    {
        let visits = visits(journey(speed, stay: 720, noise: 20, seed: UInt64(seed)))

        try #require(visits.count == 2)
        let (arrival, departure) = (visits[0], visits[1])
        #expect(arrival.departure == nil)
        #expect(abs(arrival.arrival - 1000) <= 60)
        #expect(departure.arrival == arrival.arrival)
        #expect(abs((departure.departure ?? 0) - 1720) <= 60)
        let middle = Spot(east: 0, north: 0).coordinate
        #expect(departure.coordinate.distance(to: middle) < 30)
    }

    @Test(arguments: [5.0, 20, 40]) func `A visit is found by rare fixes, too`(interval: Double)
        throws
    {
        let visits = visits(journey(5, stay: 900, noise: 10, interval: interval))

        try #require(visits.count == 2)
        #expect(abs(visits[0].arrival - 1000) <= 60)
        #expect(abs((visits[1].departure ?? 0) - 1900) <= 60)
    }

    @Test(.rule("LO13")) func `A stay of nine minutes is not a visit`() {
        #expect(visits(journey(10, stay: 540, noise: 5)).isEmpty)
    }

    @Test(.rule("LO13")) func `A visit is not ended by a minute around the corner`() {
        var way = Way(noise: 5)
        let fixes = way.fixes(for: 2400) { time in
            Spot(east: (1500..<1590).contains(time) ? 300 : 0, north: 0)
        }

        let visits = visits(fixes)

        #expect(visits.count == 1)
        #expect(visits.first?.departure == nil)
    }

    @Test func `A visit is found by silence`() {
        var detector = VisitDetector()

        #expect(detector.receive(fix(Spot(east: 0, north: 0), at: 100)) == [])
        #expect(detector.nextDue == 700)
        #expect(detector.advance(to: 699) == [])
        let visits = detector.advance(to: 700)
        #expect(visits.map(\.arrival) == [100])
        #expect(detector.nextDue == nil)
        #expect(detector.receive(fix(Spot(east: 500, north: 0), at: 9000)) == [])
        var ended: [Visit] = []
        while let due = detector.nextDue, ended.isEmpty { ended = detector.advance(to: due) }
        #expect(ended.map(\.departure) == [9000])
    }

    @Test func `A visit is not made of fixes that say too little`() {
        let fixes = (0..<1200).map { fix(Spot(east: 0, north: 0), at: Double($0), accuracy: 3000) }

        #expect(visits(fixes).isEmpty)
    }

    @Test func `A visit needs the source to be open`() {
        var detector = VisitDetector()
        _ = detector.receive(fix(Spot(east: 0, north: 0), at: 0))

        detector.interrupt()

        #expect(detector.nextDue == nil)
        #expect(detector.receive(fix(Spot(east: 0, north: 0), at: 9000)) == [])
        #expect(detector.advance(to: 9010) == [])
    }
}

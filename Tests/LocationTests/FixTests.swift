import Foundation
import TestSupport
import Testing

@testable import UndersongLocation

@Suite struct `Distances` {
    @Test func `Distances of the tutorial's drive are those of the ellipsoid`() {
        let places = FreewayDrive.coordinates

        let distances = zip(places, places.dropFirst()).map { $0.distance(to: $1) }
        let courses = zip(places, places.dropFirst()).map { $0.course(to: $1) }

        #expect(distances.map { ($0 * 100).rounded() / 100 } == [17.21, 17.85, 19.74])
        #expect(courses.map { ($0 * 10).rounded() / 10 } == [254.5, 258.2, 257.6])
    }

    @Test func `Distances around a square of kilometers add up`() {
        let corners = [(0, 0), (1000, 0), (1000, 1000), (0, 1000), (0, 0)]
            .map { Spot(east: $0.0, north: $0.1).coordinate }

        let sum = zip(corners, corners.dropFirst()).map { $0.distance(to: $1) }.reduce(0, +)

        // Parallels are shorter in the north.
        #expect(abs(sum - 4000) < 0.5)
    }

    @Test func `Distances across the Earth are right to a few meters`() {
        func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
            Coordinate(latitude: latitude, longitude: longitude)
        }
        // Along the equator, along a meridian to the pole, between antipodes, and at the pole.
        let ways: [(Coordinate, Coordinate, meters: Double)] = [
            (place(0, 179.5), place(0, -179.5), 111_319.491),
            (place(0, 10), place(90, 10), 10_001_965.729),
            (place(90, 10), place(-90, 10), 20_003_931.459),
            (place(90, 10), place(90, 100), 0),
        ]
        for (first, second, meters) in ways {
            #expect(abs(first.distance(to: second) - meters) <= 2e-5 * meters + 1e-6)
            #expect(first.distance(to: second) == second.distance(to: first))
            #expect(first.distance(to: first) == 0)
        }
    }

    @Test func `Distances of means do not break at the date line or at the poles`() {
        var dateLine = CoordinateMean()
        dateLine.add(Coordinate(latitude: 10, longitude: 179.9), weight: 1)
        dateLine.add(Coordinate(latitude: 10, longitude: -179.9), weight: 1)
        var pole = CoordinateMean()
        for longitude in [0.0, 90, 180, -90] {
            pole.add(Coordinate(latitude: 89.9, longitude: longitude), weight: 1)
        }

        #expect(abs(abs(dateLine.coordinate.longitude) - 180) < 1e-9)
        #expect(abs(pole.coordinate.latitude - 90) < 1e-6)
    }
}

@Suite struct `Validation` {
    private static let here = Spot(east: 0, north: 0)

    private func verdicts(_ fixes: [LocationFix]) -> [FixFault?] {
        var validation = FixValidation()
        return fixes.map { fix in
            let now = LocationTime(fix.arrival)
            if case .refused(let fault) = validation.judge(fix, at: now) { return fault }
            return nil
        }
    }

    @Test func `Validation refuses what is nowhere, with the reason`() {
        let wrong: [(WritableKeyPath<LocationFix, Double>, Double, FixFault)] = [
            (\.coordinate.latitude, .nan, .notANumber),
            (\.coordinate.longitude, .infinity, .notANumber),
            (\.horizontalAccuracy, .nan, .notANumber),
            (\.time, .nan, .notANumber),
            (\.coordinate.latitude, 90.001, .latitude),
            (\.coordinate.latitude, -91, .latitude),
            (\.coordinate.longitude, 180.001, .longitude),
            (\.horizontalAccuracy, -1, .noPlace),
        ]
        for (value, number, fault) in wrong {
            var fix = fix(Self.here, at: 1)
            fix[keyPath: value] = number

            #expect(verdicts([fix, LocationTests.fix(Self.here, at: 2)]) == [fault, nil])
        }
    }

    @Test func `Validation accepts the edges of the ranges`() {
        let corners = [(90.0, 180.0), (-90, -180)]
            .map { Coordinate(latitude: $0.0, longitude: $0.1) }

        for corner in corners { #expect(verdicts([fix(corner, at: 1, accuracy: 0)]) == [nil]) }
    }

    @Test func `Validation refuses repetitions and times that run backward`() {
        let times = [10.0, 11, 11, 10.5, 12]

        #expect(
            verdicts(times.map { fix(Self.here, at: $0) })
                == [nil, nil, .repeated, .timeBackward, nil])
    }

    @Test func `Validation begins again when a source's clock was set back for a minute`() {
        var fixes = [fix(Self.here, at: 1000)]
        for second in 1...63 {
            var late = fix(Self.here, at: 400 + Double(second))
            late.arrival = 1000 + Double(second)
            fixes.append(late)
        }

        let verdicts = verdicts(fixes)

        #expect(verdicts[1...60].allSatisfy { $0 == .timeBackward })
        #expect(verdicts[61...] == [.stale, nil, nil])
    }

    @Test func `Validation refuses old fixes, but not those of a wrong clock that runs`() {
        var cached = fix(Self.here, at: 1000)
        cached.time = 900
        #expect(verdicts([cached]) == [.stale])

        let wrongClock = (0..<4).map { second in
            var fix = fix(Self.here, at: 5000 + Double(second))
            fix.time -= 3600
            return fix
        }
        #expect(verdicts(wrongClock) == [.stale, nil, nil, nil])

        let backlog = (0..<4).map { second in
            var fix = fix(Self.here, at: 5000 + Double(second))
            (fix.time, fix.arrival) = (fix.time - 600, 5000)
            return fix
        }
        #expect(verdicts(backlog) == [.stale, .stale, .stale, .stale])

        // Sent faster than a clock can be seen to run.
        let burst = (0..<4).map { number in
            var fix = fix(Self.here, at: 5000 + Double(number) / 10)
            fix.time -= 600
            return fix
        }
        #expect(verdicts(burst) == [.stale, .stale, .stale, .stale])

        let future = (0..<2).map { second in
            var fix = fix(Self.here, at: 5000 + Double(second))
            fix.time += 3600
            return fix
        }
        #expect(verdicts(future) == [nil, nil])
    }

    /// A fast receiver's fixes of a quarter of a second count as its newest.
    @Test(.rule("LO14"), arguments: [(0.05, 6), (1, 1), (5, 1), (10, 1)])
    func `Of fixes that waited together the newest is accepted, and no older one`(
        seconds: Double, places: Int
    ) {
        // The program is stopped from 100 to 190, and reads the rest 0.9 of an interval later.
        let fixes = (0..<Int(300 / seconds)).map { number in
            let time = Double(number) * seconds
            let isWaiting = 100...190 ~= time
            return measured(at: time, arriving: (isWaiting ? 190 + 0.9 * seconds : time) + 0.5)
        }

        let verdicts = zip(fixes, verdicts(fixes))
        let waiting = verdicts.filter { 100...190 ~= $0.0.time }.map(\.1)
        let others = verdicts.filter { !(100...190 ~= $0.0.time) }.map(\.1)

        #expect(waiting.dropLast(places).allSatisfy { $0 == .stale })
        #expect(waiting.suffix(places).allSatisfy { $0 == nil })
        #expect(others.allSatisfy { $0 == nil })
    }

    @Test(.rule("LO14"))
    func `The newest fix that waited is accepted, although others were left out before`() {
        let times = Array(0..<100) + [110, 140, 185, 190] + Array(191..<200)
        let fixes = times.map { time in
            measured(at: Double(time), arriving: Double(100...190 ~= time ? 190 : time) + 0.5)
        }

        let refused = zip(times, verdicts(fixes)).filter { $0.1 != nil }.map(\.0)

        #expect(refused == [110, 140, 185])
    }

    @Test(.rule("LO14"))
    func `The newest fix of a second stop that follows the first at once is accepted`() {
        let fixes = (0...160).map { second in
            let time = Double(second)
            let arrival = time < 100 ? time : time <= 130 ? 130.9 : 160.9
            return measured(at: time, arriving: arrival + 0.5)
        }

        let verdicts = verdicts(fixes)

        #expect(verdicts[100..<130].allSatisfy { $0 == .stale } && verdicts[130] == nil)
        #expect(verdicts[131..<160].allSatisfy { $0 == .stale } && verdicts[160] == nil)
    }

    @Test(.rule("LO14")) func `The only fix that has waited is accepted`() {
        let fixes = (0..<20).map { number in
            let time = Double(number) * 10
            return measured(at: time, arriving: time + (number == 10 ? 8 : 0.5))
        }

        #expect(verdicts(fixes).allSatisfy { $0 == nil })
    }

    @Test(.rule("LO14")) func `Fixes that come later and later are not accepted`() {
        let delays = [0.5, 0.5, 2.4, 4.3, 2.4, 0.5]
        let fixes = delays.enumerated().map { second, delay in
            measured(at: Double(second), arriving: Double(second) + delay)
        }

        #expect(verdicts(fixes) == [nil, nil, nil, .stale, .stale, nil])
    }

    @Test(.rule("LO14"))
    func `Fixes that come later from now on are accepted when their clock is seen to run`() {
        let fixes = (0..<20).map { second in
            measured(at: Double(second), arriving: Double(second) + (second < 10 ? 0.5 : 30))
        }

        let verdicts = verdicts(fixes)

        #expect(verdicts.enumerated().filter { $0.element != nil }.map(\.offset) == [10])
        #expect(verdicts[10] == .stale)
    }

    @Test func `The clock of a fast receiver is seen to run within half a second`() {
        let fixes = (0..<60).map { number in
            measured(at: 1400 + Double(number) / 20, arriving: 5000 + Double(number) / 20)
        }

        let verdicts = verdicts(fixes)

        #expect(verdicts[..<10].allSatisfy { $0 == .stale })
        #expect(verdicts[10...].allSatisfy { $0 == nil })
    }

    private func measured(at time: Double, arriving: Double) -> LocationFix {
        var fix = fix(Self.here, at: time)
        fix.arrival = arriving
        return fix
    }

    @Test func `The times of recordings are accepted as they are`() {
        var old = fix(Self.here, at: 1_700_000_000)
        (old.time, old.source) = (1_419_221_113, .replay)

        #expect(verdicts([old]) == [nil])
    }

    @Test func `A single jump is dropped, and one that the next fix confirms is believed`() {
        let far = Spot(east: 5000, north: 0)

        let spike = verdicts([
            fix(Self.here, at: 0), fix(far, at: 1), fix(Self.here, at: 2), fix(far, at: 3),
            fix(Self.here, at: 4),
        ])
        let move = verdicts([
            fix(Self.here, at: 0), fix(far, at: 1), fix(far, at: 2), fix(far, at: 3),
        ])

        let noise = verdicts([
            fix(Self.here, at: 0), fix(far, at: 1), fix(Spot(east: -5000, north: 0), at: 2),
            fix(Self.here, at: 3),
        ])

        #expect(spike == [nil, .jump, nil, .jump, nil])
        #expect(noise == [nil, .jump, .jump, nil])
        #expect(move == [nil, .jump, nil, nil])
    }

    @Test func `A speed of 299 m/s is accepted, and what an accuracy explains`() {
        let airliner = (0..<10).map { fix(Spot(east: 299 * Double($0), north: 0), at: Double($0)) }
        let city = [
            fix(Self.here, at: 0), fix(Spot(east: 8000, north: 0), at: 1, accuracy: 25000),
            fix(Self.here, at: 2),
        ]

        #expect(verdicts(airliner).allSatisfy { $0 == nil })
        #expect(verdicts(city) == [nil, nil, nil])
    }

    @Test func `Details of a fix that make no sense count as unknown`() {
        var odd = fix(Self.here, at: 1)
        (odd.speed, odd.course, odd.altitude, odd.verticalAccuracy) = (.nan, 400, .infinity, 3)
        var validation = FixValidation()

        let verdict = validation.judge(odd, at: LocationTime(1))

        guard case .believed(let fix) = verdict else { return #expect(verdict == .believed(odd)) }
        #expect(fix.speed == nil && fix.course == nil)
        #expect(fix.altitude == nil && fix.verticalAccuracy == nil)
    }
}

@Suite struct `Filters` {
    /// A fix on the equator, where meters are degrees exactly.
    private func fix(east meters: Double, accuracy: Double = 5, at time: Double = 0) -> LocationFix
    {
        let degrees = meters / 6_378_137 * 180 / .pi
        return LocationTests.fix(
            Coordinate(latitude: 0, longitude: degrees), at: time, accuracy: accuracy)
    }

    private func taken(_ fixes: [LocationFix], _ distance: Double) -> [Int] {
        var filter = LocationFilter(distance: distance)
        return fixes.indices.filter { filter.accepts(fixes[$0]) }.map { $0 + 1 }
    }

    @Test func `A filter passes what is far enough of the tutorial's drive`() {
        let fixes = FreewayDrive.coordinates.enumerated()
            .map { LocationTests.fix($1, at: Double($0)) }

        #expect(taken(fixes, 18) == [1, 3, 4])
        #expect(taken(fixes, 20) == [1, 3])
        #expect(taken(fixes, -1) == [1, 2, 3, 4])
        #expect(taken(fixes, 0) == [1, 2, 3, 4])
    }

    @Test func `A filter measures to the centimeter, from the last fix that it passed`() {
        #expect(taken([fix(east: 0), fix(east: 24.99), fix(east: 25.01)], 25) == [1, 3])
        #expect(
            taken([fix(east: 0), fix(east: 20), fix(east: 30), fix(east: 50)], 25) == [1, 3])
    }

    @Test func `A filter passes what is more exact although nothing moves`() {
        let fixes = [50.0, 50, 10, 10, 20].map { fix(east: 0, accuracy: $0) }

        #expect(taken(fixes, 100) == [1, 3])
    }

    @Test func `A filter passes 40 fixes around a square of four kilometers`() {
        var way = Way()
        let fixes = way.fixes(for: 400) { seconds in
            let meters = seconds * 10
            let side = meters.truncatingRemainder(dividingBy: 1000)
            return switch Int(meters / 1000) {
            case 0: Spot(east: side, north: 0)
            case 1: Spot(east: 1000, north: side)
            case 2: Spot(east: 1000 - side, north: 1000)
            case 3: Spot(east: 0, north: 1000 - side)
            default: Spot(east: 0, north: 0)
            }
        }
        let sum = zip(fixes, fixes.dropFirst()).map { $1.distance(from: $0) }.reduce(0, +)

        #expect(abs(sum - 4000) < 1)
        // A corner is nearer than the way around it.
        #expect(abs(taken(fixes, 99.99).count - 41) <= 1)
    }

    @Test(.rule("LO13")) func `A filter of significant changes needs 500 m and five minutes, both`()
    {
        var filter = SignificantChangeFilter()

        let taken = [
            (0.0, 0.0), (600, 299), (499, 400), (501, 400), (1100, 699), (1100, 700),
        ].filter { filter.accepts(fix(east: $0.0, at: $0.1)) }

        #expect(taken.map(\.1) == [0, 400, 700])
    }

    @Test func `The newest hundred of a million fixes are kept`() {
        var recent = RecentFixes()

        for number in 0..<1_000_000 { recent.append(fix(east: 0, at: Double(number))) }

        #expect(recent.fixes.map(\.time) == (999_900..<1_000_000).map(Double.init))
        #expect(recent.last?.time == 999_999)
        #expect(recent.count == 100)
    }

    @Test func `The first fix is dropped when the hundred and first comes`() {
        var recent = RecentFixes()

        for number in 1...100 { recent.append(fix(east: 0, at: Double(number))) }
        #expect(recent.fixes.first?.time == 1)
        recent.append(fix(east: 0, at: 101))

        #expect(recent.fixes.map(\.time) == (2...101).map(Double.init))
    }
}

import TestSupport
import Testing

@testable import UndersongLocation

@Suite struct `A monitored region` {
    private static let home = CircularRegion(
        identifier: "home", center: Spot(east: 0, north: 0).coordinate, radius: 150)

    private func events(
        _ fixes: [LocationFix], _ region: CircularRegion = home, _ state: RegionState = .unknown
    ) -> [(event: RegionEvent, time: Double)] {
        var monitor = RegionMonitor([WatchedRegion(region: region, state: state)])
        return fixes.flatMap { fix in monitor.receive(fix).map { ($0, fix.time) } }
    }

    /// Passes through the middle, from 1 km before it to 1 km after it.
    private func pass(_ speed: Double, noise: Double, seed: UInt64) -> [LocationFix] {
        var way = Way(noise: noise, accuracy: max(5, noise), seed: seed)
        return way.fixes(for: 2000 / speed) { Spot(east: $0 * speed - 1000, north: 0) }
    }

    @Test(.rule("LO11"), arguments: [1.0, 10, 30], 0..<40)
    func `A region is entered once and left once by each pass, whatever the noise`(
        speed: Double, seed: Int
    ) {
        let events = events(pass(speed, noise: 30, seed: UInt64(seed)))

        #expect(
            events.map(\.event) == [
                .determined("home", .outside), .entered("home"), .exited("home"),
            ])
        let crossings = [850 / speed, 1150 / speed]
        for (event, crossing) in zip(events.dropFirst(), crossings) {
            #expect(event.time >= crossing + 20 - 100 / speed)
            #expect(event.time <= crossing + 30 + 150 / speed)
        }
    }

    /// Seconds between fixes, meters per second, and how many of 40 passes are noticed at least.
    @Test(
        arguments: [
            (2.0, 10.0, 40), (2, 30, 40), (5, 10, 39), (5, 30, 39), (10, 10, 38), (15, 3, 40),
            (30, 3, 38), (45, 3, 38), (60, 3, 35), (90, 1, 37), (120, 1, 38), (120, 3, 12),
        ])
    func `A region is entered and left by passes between rare fixes`(
        interval: Double, speed: Double, least: Int
    ) {
        let noticed = (0..<40).count { seed in
            var way = Way(noise: 30, accuracy: 30, interval: interval, seed: UInt64(seed))
            let start = Double(seed) / 40 * interval * speed
            let fixes = way.fixes(for: 2000 / speed) {
                Spot(east: $0 * speed - 1000 - start, north: 0)
            }
            let events = replayed(fixes, speed: 1)
            #expect(events.count <= 3)
            return Array(events.dropFirst()) == [.entered("home"), .exited("home")]
        }

        #expect(noticed >= least)
    }

    @Test(arguments: [3.0, 5, 7, 10, 15, 20, 30, 45, 60, 90, 120])
    func `A region is not crossed by noise in an hour on its edge, however rare the fixes`(
        interval: Double
    ) {
        let crossed = (0..<30).count { seed in
            var way = Way(noise: 30, accuracy: 30, interval: interval, seed: UInt64(seed))
            let fixes = way.fixes(for: 3600) { _ in Spot(east: 150, north: 0) }
            return !replayed(fixes, speed: 1).dropFirst().isEmpty
        }

        #expect(crossed == 0)
    }

    @Test(.rule("LO11")) func `A region reports a crossing no sooner than 20 s after it`() {
        for speed in [1.0, 10, 30] {
            let events = events(pass(speed, noise: 0, seed: 1))

            #expect(events.count == 3)
            #expect(events[1].time >= 850 / speed + 20)
            #expect(events[2].time >= 1150 / speed + 20)
        }
    }

    @Test(arguments: 0..<40)
    func `A region has one event at most while the machine stays an hour on its edge`(seed: Int) {
        var way = Way(noise: 30, accuracy: 30, seed: UInt64(seed))

        let events = events(way.fixes(for: 3600) { _ in Spot(east: 150, north: 0) })

        #expect(
            events.filter { $0.event == .entered("home") || $0.event == .exited("home") }.count <= 1
        )
    }

    @Test(arguments: [1.0, 5, 30])
    func `A region has one event at most on its edge, however often a fix comes`(interval: Double) {
        var crossings = 0
        for seed in 0..<20 {
            var way = Way(noise: 20, accuracy: 20, interval: interval, seed: UInt64(seed))
            let events = events(way.fixes(for: 3600) { _ in Spot(east: 150, north: 0) })
            crossings = max(
                crossings,
                events.filter {
                    $0.event != .determined("home", .outside)
                        && $0.event != .determined("home", .inside)
                }.count)
        }

        #expect(crossings <= 1)
    }

    /// The events of one who stays at distances in meters from the middle, a minute at each, with a fix
    /// each second.
    private func stays(_ distances: [Double]) -> [RegionEvent] {
        let fixes = distances.enumerated().flatMap { minute, distance in
            (0..<60).map { fix(Spot(east: distance, north: 0), at: Double(minute * 60 + $0)) }
        }
        return events(fixes).dropFirst().map(\.event)
    }

    @Test(.rule("LO11")) func `A region is crossed only by those who are clearly beyond its edge`()
    {
        #expect(stays([0, 160, 195, 140]) == [])
        #expect(stays([0, 205]) == [.exited("home")])
        #expect(stays([300, 140, 105, 160]) == [])
        #expect(stays([300, 95]) == [.entered("home")])
    }

    /// Fixes outside, then inside in a distance of 70 m, then outside again.
    private func rareFixes(_ count: Int, interval: Double) -> [RegionEvent] {
        let distances =
            [300.0, 300] + Array(repeating: 70, count: count)
            + Array(repeating: 300, count: 8)
        let fixes = distances.enumerated().map { index, distance in
            fix(Spot(east: distance, north: 0), at: Double(index) * interval, accuracy: 30)
        }
        return events(fixes).dropFirst().map(\.event)
    }

    @Test(.rule("LO11"))
    func `A region is not crossed by two rare fixes, but by three that agree for 20 s`() {
        #expect(rareFixes(2, interval: 30) == [])
        #expect(rareFixes(3, interval: 30).first == .entered("home"))
        #expect(rareFixes(2, interval: 4) == [])
        #expect(rareFixes(2, interval: 6) == [])
        #expect(rareFixes(4, interval: 9).first == .entered("home"))
    }

    @Test(.rule("LO11"))
    func `A region's state is determined by the first fix, which is not a crossing`() {
        let inside = events([fix(Spot(east: 20, north: 0), at: 0)])
        let outside = events([fix(Spot(east: 400, north: 0), at: 0)])
        let nobodyKnows = events([fix(Spot(east: 20, north: 0), at: 0, accuracy: 5000)])

        #expect(inside.map(\.event) == [.determined("home", .inside)])
        #expect(outside.map(\.event) == [.determined("home", .outside)])
        #expect(nobodyKnows.isEmpty)
    }

    @Test func `A region's state is determined on its edge after some seconds`() {
        var way = Way(noise: 5, accuracy: 30)

        let events = events(way.fixes(for: 30) { _ in Spot(east: 149, north: 0) })

        #expect(events.count == 1)
        #expect(
            [.determined("home", .inside), .determined("home", .outside)].contains(
                events.first?.event))
    }

    @Test func `A region continues from what an earlier monitor has reported`() {
        let fixes = (0..<60).map { fix(Spot(east: 1000, north: 0), at: Double($0)) }

        #expect(events(fixes, Self.home, .inside).map(\.event) == [.exited("home")])
        #expect(events(fixes, Self.home, .outside).isEmpty)
    }

    @Test func `A region reports only the crossings that are wanted`() {
        var entries = Self.home
        entries.notifiesOnExit = false
        var exits = Self.home
        exits.notifiesOnEntry = false
        let fixes = pass(10, noise: 0, seed: 1)

        #expect(events(fixes, entries, .outside).map(\.event) == [.entered("home")])
        #expect(events(fixes, exits, .outside).map(\.event) == [.exited("home")])
    }

    @Test func `A region is entered by one fix that leaves no doubt, after 20 s of silence`() throws
    {
        var monitor = RegionMonitor([WatchedRegion(region: Self.home, state: .outside)])

        #expect(monitor.nextDue == nil)
        #expect(monitor.receive(fix(Spot(east: 10, north: 0), at: 100, accuracy: 10)) == [])
        #expect(monitor.nextDue == 120)
        #expect(monitor.advance(to: 119.9) == [])
        #expect(monitor.advance(to: 120) == [.entered("home")])
        #expect(monitor.nextDue == nil)
    }

    @Test func `A region is entered by a doubtful fix only after minutes of silence`() {
        var monitor = RegionMonitor([WatchedRegion(region: Self.home, state: .outside)])

        _ = monitor.receive(fix(Spot(east: 60, north: 0), at: 100, accuracy: 50))

        #expect(monitor.nextDue == 220)
        #expect(monitor.advance(to: 219) == [])
        #expect(monitor.advance(to: 220) == [.entered("home")])
    }

    @Test func `A region gives the same events at any speed of a recording`() {
        for interval in [1.0, 7, 45, 130] {
            let fixes = stride(from: 0, to: 1200.0, by: interval).map { time in
                fix(Spot(east: time < 600 ? 1000 - time * 2 : time * 2 - 1400, north: 0), at: time)
            }
            let slow = replayed(fixes, speed: 1)

            #expect(!slow.isEmpty)
            for speed in [10.0, 60, 1000] { #expect(replayed(fixes, speed: speed) == slow) }
        }
    }

    private func replayed(_ fixes: [LocationFix], speed: Double) -> [RegionEvent] {
        var monitor = RegionMonitor([WatchedRegion(region: Self.home, state: .unknown)])
        var events: [RegionEvent] = []
        for fix in fixes {
            var fix = fix
            fix.arrival = fix.time / speed
            while let due = monitor.nextDue, due <= fix.arrival {
                events += monitor.advance(to: due)
            }
            events += monitor.receive(fix)
        }
        while let due = monitor.nextDue { events += monitor.advance(to: due) }
        return events
    }

    @Test func `A region is refused if it is nowhere, has no size, is too large or one too many`() {
        var monitor = RegionMonitor()
        func region(_ identifier: String, radius: Double = 100, latitude: Double = 0)
            -> CircularRegion
        {
            CircularRegion(
                identifier: identifier, center: Coordinate(latitude: latitude, longitude: 0),
                radius: radius)
        }

        #expect(monitor.start(region("a", latitude: 91)) == .center)
        #expect(monitor.start(region("a", latitude: .nan)) == .center)
        #expect(monitor.start(region("a", radius: 0)) == .radius)
        #expect(monitor.start(region("a", radius: .nan)) == .radius)
        #expect(monitor.start(region("a", radius: 2_000_000)) == .tooLarge)
        for number in 1...20 { #expect(monitor.start(region("\(number)")) == nil) }
        #expect(monitor.start(region("21")) == .tooMany)
        #expect(monitor.start(region("20", radius: 50)) == nil)
        #expect(monitor.region("20")?.radius == 50)
        #expect(monitor.regions.count == 20)
        monitor.stop("1")
        #expect(monitor.start(region("21")) == nil)
    }

    @Test func `A region started again keeps its state, and loses it when it is another one`() {
        var monitor = RegionMonitor([WatchedRegion(region: Self.home, state: .inside)])
        var quiet = Self.home
        quiet.notifiesOnEntry = false
        let moved = CircularRegion(
            identifier: "home", center: Spot(east: 5000, north: 0).coordinate, radius: 150)

        #expect(monitor.start(quiet) == nil)
        #expect(monitor.state(of: "home") == .inside)
        #expect(monitor.start(moved) == nil)
        #expect(monitor.state(of: "home") == .unknown)
    }
}

import Foundation
import TestSupport
import Testing
import UndersongLocation

@Suite struct `The routes that come with the program` {
    private func track(_ route: Route) throws -> (track: Track, size: Int) {
        let file = URL(filePath: #filePath)
            .appending(path: "../../../../Resources/\(route.file)").standardizedFileURL
        let bytes = try Data(contentsOf: file)
        return (try Track.read(Array(bytes)), bytes.count)
    }

    @Test(.rule("D14"), arguments: Route.allCases)
    func `A route is short, smooth and complete`(route: Route) throws {
        let (track, size) = try track(route)
        let fixes = track.fixes

        #expect(size < 150_000)
        #expect(8 * 60...20 * 60 ~= track.duration)
        #expect(track.skippedCount == 0)
        #expect(fixes.allSatisfy { $0.altitude != nil && $0.speed != nil })
        let steps = zip(fixes, fixes.dropFirst())
        #expect(steps.allSatisfy { 1...3 ~= $1.time - $0.time })
        let changes = steps.map { abs(($1.speed ?? 0) - ($0.speed ?? 0)) / ($1.time - $0.time) }
        #expect(changes.allSatisfy { $0 < 2 }, "\(changes.max() ?? 0) m/s²")
        #expect(steps.allSatisfy { abs(($1.altitude ?? 0) - ($0.altitude ?? 0)) < 5 })
        // Where it moves, it has a course, and turns no more than at a corner.
        #expect(fixes.allSatisfy { ($0.speed ?? 0) < 0.5 || $0.course != nil })
    }

    @Test(
        .rule("D14"),
        arguments: [
            (Route.drive, 25.0...32.0, 20_000.0...25_000.0), (.run, 2.4...3.3, 2500...3500),
            (.ride, 5.0...7.0, 5000...6000),
        ])
    func `A route is as fast and as long as its title says`(
        route: Route, speeds: ClosedRange<Double>, lengths: ClosedRange<Double>
    ) throws {
        let (track, _) = try track(route)
        let sorted = track.fixes.compactMap(\.speed).sorted()

        #expect(speeds ~= sorted[sorted.count / 2])
        #expect(lengths ~= track.length, "\(track.length)")
    }

    @Test(.rule("D14")) func `The drive slows down, and the ride stops`() throws {
        let drive = try track(.drive).track.fixes
        let ride = try track(.ride).track.fixes

        let slow = drive.filter { 15...18 ~= ($0.speed ?? 0) }
        #expect(slow.count > 60)
        let stops = ride.filter { ($0.speed ?? 9) < 0.1 && $0.course == nil }
        #expect(stops.count > 20)
    }

    @Test(arguments: Route.allCases)
    func `Each fix of a route is believed`(route: Route) throws {
        var validation = FixValidation()

        for fix in try track(route).track.fixes {
            let verdict = validation.judge(fix, at: LocationTime(boot: fix.time, wall: fix.time))
            #expect(verdict == .believed(fix))
        }
    }

    @Test func `The routes have names`() {
        #expect(Route.names == "drive, run and ride")
        #expect(Set(Route.allCases.map(\.title)).count == 3)
    }
}

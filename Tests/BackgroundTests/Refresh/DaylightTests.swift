import Testing
import UndersongBackground

/// Daylight saving time begins and ends.
struct DaylightTests {
    private static let day = RefreshStage.day
    /// Sunday, 7 June 2026, 2:00 UTC, the end of the first week of a stage.
    private static let change = RefreshStage.monday + 6 * day + 7200

    /// A zone that is an hour ahead of UTC before `change`, and `hours` from then on.
    private static func zone(_ hours: Double) -> (Double) -> Double {
        { $0 < change ? 3600 : hours * 3600 }
    }

    @Test(arguments: [0.0, 2])
    func `The time of a clock change is found to the second`(hours: Double) throws {
        let zone = Self.zone(hours)

        for before in [1, 3600, 13 * Self.day] {
            let found = try #require(
                ScheduleTime.OffsetChange(after: Self.change - before - 0.5, zone))
            #expect(found.wall == Self.change && found.utcOffset == hours * 3600)
        }
        #expect(ScheduleTime.OffsetChange(after: Self.change, zone) == nil)
        #expect(ScheduleTime.OffsetChange(after: Self.change - 30 * Self.day, zone) == nil)
    }

    @Test(arguments: [0.0, 2])
    func `The first opening after a clock change finds a fetch like those before it`(hours: Double)
    {
        var stage = RefreshStage()
        // Nothing but the openings is learned from.
        stage.answer = { _, _ in (RefreshCompletion(.done), 2) }
        stage.utcOffset = Self.zone(hours)
        stage.setClock(by: 0)
        stage.send(.setInterval(.minimum))
        var ages: [Double] = []
        for day in 0..<9 {
            // At 9:00 local time, on every day of the week.
            let opening =
                RefreshStage.monday + Double(day) * Self.day + 9 * 3600
                - Self.zone(hours)(RefreshStage.monday + Double(day) * Self.day + 8 * 3600)
            stage.pass(opening - stage.now.wall)
            let last = stage.ends.last { $0.cause == .schedule }
            ages.append(stage.now.wall - (last?.began ?? 0))
            stage.open()
        }

        // The week before was enough to learn from; on Sunday the clocks are changed.
        #expect(ages.suffix(4).allSatisfy { $0 <= 3600 }, "\(ages)")
    }

    @Test func `A time after a clock change is shown as the clock will show it`() {
        let now = ScheduleTime(
            boot: 0, wall: Self.change - 3600, in: Self.zone(2))

        #expect(now.clockFace(Self.change - 60) == "02:59")
        #expect(now.clockFace(Self.change) == "04:00")
    }
}

import TestSupport
import Testing
import UndersongBackground
import UndersongBase
import UndersongPlayback

/// The habits that the scheduler learns, in simulated months.
struct RefreshHabitTests {
    private static let day = RefreshStage.day

    @Test(.rule("F7"))
    func `A fetch precedes the hour at which the player is opened, twelve a day at most`() {
        var (hits, evenHits, opens) = (0, 0.0, 0)
        for seed in 0..<40 as Range<UInt64> {
            var listener = Listener(seed: seed)
            for _ in 0..<14 { listener.spendDay(opening: 9) }
            #expect(listener.mostInADay <= 12, "seed \(seed)")
            for opening in listener.openings.suffix(7) {
                opens += 1
                if listener.isFresh(opening) { hits += 1 }
                evenHits += listener.evenChance
            }
        }

        let share = Double(hits) / Double(opens)
        let even = evenHits / Double(opens)
        #expect(share >= 0.9, "\(share) of \(opens)")
        #expect(even <= 0.6, "\(even)")
    }

    @Test(.rule("F7")) func `What was learned counts half as much after 14 days`() throws {
        var stage = RefreshStage()
        stage.pass(9 * 3600)
        stage.open()
        let first = try #require(stage.scheduler.usage.entries.first)

        for _ in 0..<14 {
            stage.pass(Self.day)
            stage.send(.timePassed)
        }

        let last = try #require(stage.scheduler.usage.entries.first)
        #expect(first.halfHour == 18 && last.halfHour == 18)
        #expect(first.opens == 1)
        #expect(abs(last.opens - 0.5) < 1e-6)
    }

    @Test(.rule("F7"))
    func `The learned hours are those of a usual day of the same kind, in local time`() throws {
        var stage = RefreshStage()
        stage.utcOffset = { _ in 3600 }
        stage.pass(9 * 3600)
        stage.open()
        let monday = LearnedHours(stage.scheduler, at: stage.now)
        let stranger = LearnedHours(RefreshScheduler(seed: 1), at: stage.now)

        let opened = monday.opens.indices.filter { monday.opens[$0] > 0 }
        #expect(monday.opens.count == 48 && monday.news.count == 48)
        #expect(opened == [20])
        #expect(monday.opens.allSatisfy { (0...1).contains($0) })
        #expect(monday.news.allSatisfy { $0 == 0 })
        #expect(stranger == LearnedHours())
    }

    @Test func `A habit that moves is followed within a week`() {
        var (hits, opens) = (0, 0)
        for seed in 0..<20 as Range<UInt64> {
            var listener = Listener(seed: seed)
            for _ in 0..<28 { listener.spendDay(opening: 9) }
            for _ in 0..<14 { listener.spendDay(opening: 13) }
            for opening in listener.openings.suffix(7) {
                opens += 1
                if listener.isFresh(opening) { hits += 1 }
            }
        }

        let share = Double(hits) / Double(opens)
        #expect(share >= 0.9, "\(share)")
    }

    @Test(.rule("F7"), arguments: [true, false], [0, 2, 4, 6])
    func `What appears on Mondays at six is known within the hour`(isDated: Bool, day: Int) {
        for seed in 0..<2 as Range<UInt64> {
            var listener = Listener(seed: seed, startingOn: day)
            listener.publishes(every: 7 * Self.day, at: 6 * 3600, isDated: isDated)
            for _ in 0..<21 { listener.spendDay(opening: nil) }
            let (before, found) = (listener.stage.launches.count, listener.news.count)

            for _ in 0..<28 { listener.spendDay(opening: nil) }

            let perDay = Double(listener.stage.launches.count - before) / 28
            #expect(perDay <= 3, "\(perDay) a day, seed \(seed)")
            let delays = listener.news.dropFirst(found)
            #expect(delays.count == 4)
            #expect(delays.allSatisfy { $0 <= 3600 }, "\(delays), seed \(seed)")
        }
    }
}

/// Somebody who opens the player once a day at about the same time, with feeds that appear now and
/// then.
private struct Listener {
    var stage: RefreshStage
    private(set) var openings: [Double] = []
    private let feed = Feed()
    private var generator: SeededGenerator

    /// The news to find.
    private final class Feed {
        var isDated = true
        var schedule: (every: Double, at: Double)?
        var known: Double?
        /// The age of each piece of news when it was found.
        var delays: [Double] = []
        var generator: SeededGenerator
        init() { generator = SeededGenerator(seed: 5) }

        func completion(_ now: ScheduleTime) -> RefreshCompletion {
            guard let schedule else {
                return RefreshCompletion(generator.next() % 4 == 0 ? .newData : .noData)
            }
            let since = now.wall - RefreshStage.monday - schedule.at
            let latest =
                RefreshStage.monday + schedule.at
                + (since / schedule.every).rounded(.down) * schedule.every
            defer { known = latest }
            guard since >= 0, known != latest else { return RefreshCompletion(.noData) }
            delays.append(now.wall - latest)
            return RefreshCompletion(.newData, new: 1, published: isDated ? latest : nil)
        }
    }

    /// Begins on a day of the week, from Monday on, at midnight.
    init(seed: UInt64, startingOn day: Int = 0) {
        generator = SeededGenerator(seed: seed)
        stage = RefreshStage(
            seed: seed, wall: RefreshStage.monday + Double(day) * RefreshStage.day)
        let feed = feed
        stage.answer = { _, now in (feed.completion(now), 5) }
        stage.send(.setInterval(.minimum))
    }

    /// Something new appears so often, first on Monday at so many seconds of the day.
    func publishes(every seconds: Double, at time: Double, isDated: Bool) {
        feed.schedule = (seconds, time)
        feed.isDated = isDated
    }

    var news: [Double] { feed.delays }

    /// Passes a day, from midnight to midnight.
    mutating func spendDay(opening hour: Double?) {
        let end = stage.now.boot + RefreshStage.day
        if let hour {
            stage.pass(hour * 3600 + Double.random(in: -600...600, using: &generator))
            openings.append(stage.now.boot)
            stage.open()
        }
        stage.pass(end - stage.now.boot)
    }

    /// True if a fetch had ended within the hour before.
    func isFresh(_ opening: Double) -> Bool {
        stage.ends.contains { run in
            let end = run.beganBoot + (run.seconds ?? 0)
            return end <= opening && opening - end <= 3600
        }
    }

    /// The share of moments that have a fetch in the hour before, if as many were spread evenly.
    var evenChance: Double {
        let perDay = Double(stage.launches.count) / Double(openings.count)
        return min(1, perDay / 24)
    }

    var mostInADay: Int {
        let begins = stage.launches.map(\.at.boot)
        return begins.map { begin in
            begins.count { $0 <= begin && $0 > begin - RefreshStage.day }
        }.max() ?? 0
    }
}

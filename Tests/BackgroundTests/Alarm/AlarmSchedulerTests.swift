import Testing
import UndersongPlayback

@testable import UndersongBackground

/// The scheduler of alarms, with the time and a disk that accepts everything, or nothing.
private struct Stage {
    var scheduler: AlarmScheduler
    var now: ScheduleTime
    var isDiskFull = false
    /// The alarms that rang or were missed, with local times.
    var log: [String] = []
    var kept: [PlayAlarm] = []
    private let utcOffset: (Double) -> Double

    /// 2026-11-23 00:00, a Monday, in a zone without daylight saving time, unless another is given.
    static let monday = 1_795_392_000.0

    init(
        _ alarms: [PlayAlarm] = [], at local: Double = monday,
        in utcOffset: @escaping (Double) -> Double = { _ in 0 }
    ) {
        scheduler = AlarmScheduler(alarms)
        self.utcOffset = utcOffset
        now = ScheduleTime(boot: 0, wall: local, in: utcOffset)
    }

    mutating func handle(_ input: AlarmScheduler.Input) {
        for effect in scheduler.handle(input, at: now) {
            switch effect {
            case .keep(let alarm, let old):
                if isDiskFull {
                    handle(.notKept(alarm.number, was: old))
                } else {
                    kept.append(alarm)
                }
            case .forget(let alarm):
                if isDiskFull { handle(.notKept(alarm.number, was: alarm)) }
            case .keepRung(let alarm): if !isDiskFull { kept.append(alarm) }
            case .ring(let alarm): log.append("\(alarm.number) \(now.date(now.wall))")
            case .missed(let alarm, let time):
                log.append("missed \(alarm.number) \(now.date(time))")
            }
        }
    }

    /// Adds an alarm, and returns its number.
    mutating func add(_ hour: Int, _ minute: Int, _ days: [Weekday]? = nil) -> Int {
        let number = scheduler.nextNumber
        handle(.added(PlayAlarm(number, AlarmSettings(hour: hour, minute: minute, days: days))))
        return number
    }

    /// Sets the time without anything being done meanwhile, as while the service does not run.
    mutating func sleep(until wall: Double) {
        now = ScheduleTime(boot: now.boot + wall - now.wall, wall: wall, in: utcOffset)
    }

    /// Lets time pass, with `timePassed` whenever something is due.
    mutating func run(until wall: Double) {
        while let due = scheduler.nextDue(at: now).wall, due <= wall {
            sleep(until: max(due, now.wall))
            handle(.timePassed)
        }
        sleep(until: wall)
    }
}

private let hours = 3600.0
private let days = 86400.0

@Suite struct `The scheduler of alarms` {
    @Test func `An alarm without days rings once, at its next time`() {
        var stage = Stage(at: Stage.monday + 8 * hours)
        _ = stage.add(7, 30)
        _ = stage.add(9, 0)

        stage.run(until: Stage.monday + 5 * days)

        #expect(stage.log == ["2 2026-11-23 09:00", "1 2026-11-24 07:30"])
        #expect(stage.scheduler.alarms.map(\.on) == [false, false])
        #expect(stage.scheduler.nextDue(at: stage.now) == .never)
    }

    @Test func `An alarm with days rings on each of them`() {
        var stage = Stage()
        _ = stage.add(7, 30, [.mon, .tue, .sat])

        stage.run(until: Stage.monday + 8 * days)

        #expect(
            stage.log == [
                "1 2026-11-23 07:30", "1 2026-11-24 07:30", "1 2026-11-28 07:30",
                "1 2026-11-30 07:30",
            ])
        #expect(stage.kept.last == stage.scheduler.alarms.first)
    }

    @Test(
        arguments: [
            (899.0, ["1 2026-11-23 07:44"]), (901, ["missed 1 2026-11-23 07:30"]),
        ] as [(Double, [String])])
    func `An alarm that was missed rings up to a quarter of an hour late`(
        lateness: Double, log: [String]
    ) {
        var stage = Stage()
        _ = stage.add(7, 30, Weekday.allCases)

        stage.sleep(until: Stage.monday + 7.5 * hours + lateness)
        stage.handle(.timePassed)

        #expect(stage.log == log)
        let next = stage.scheduler.next(stage.scheduler.alarms[0], at: stage.now)
        #expect(next == Stage.monday + days + 7.5 * hours)
    }

    @Test func `Alarms that were missed for days are reported once, and the last one rings`() {
        var first = Stage()
        _ = first.add(7, 30, Weekday.allCases)
        _ = first.add(6, 0)

        // Another service continues from what was kept.
        var stage = Stage(first.kept)
        stage.sleep(until: Stage.monday + 20 * days + 7.5 * hours + 60)
        stage.handle(.timePassed)
        stage.handle(.timePassed)

        #expect(
            stage.log == [
                "missed 1 2026-12-12 07:30", "1 2026-12-13 07:31", "missed 2 2026-11-23 06:00",
            ])
        #expect(stage.scheduler.alarms.map(\.on) == [true, false])
    }

    @Test func `An alarm rings by local time when daylight saving time begins and ends`() {
        // In Berlin it begins on 2027-03-28 at 01:00 UTC, and ends on 2027-10-31 at 01:00 UTC.
        let (spring, autumn) = (1_806_195_600.0, 1_824_944_400.0)
        let berlin = { (wall: Double) in spring <= wall && wall < autumn ? 7200.0 : 3600 }
        for change in [spring, autumn] {
            var stage = Stage(at: change - 30 * hours, in: berlin)
            _ = stage.add(7, 30, Weekday.allCases)
            stage.run(until: change + 30 * hours)

            #expect(stage.log.count == 3)
            #expect(stage.log.allSatisfy { $0.hasSuffix(" 07:30") })
        }
    }

    @Test func `An alarm at a time that is skipped rings at the change, and a doubled one once`() {
        let (spring, autumn) = (1_806_195_600.0, 1_824_944_400.0)
        let berlin = { (wall: Double) in spring <= wall && wall < autumn ? 7200.0 : 3600 }
        var inSpring = Stage(at: spring - 5 * hours, in: berlin)
        var inAutumn = Stage(at: autumn - 5 * hours, in: berlin)
        _ = inSpring.add(2, 30)
        _ = inAutumn.add(2, 30, Weekday.allCases)

        inSpring.run(until: spring + 5 * hours)
        inAutumn.run(until: autumn + 5 * hours)

        #expect(inSpring.log == ["1 2027-03-28 03:00"])
        #expect(inAutumn.log == ["1 2027-10-31 02:30"])
        #expect(inAutumn.scheduler.alarms[0].lastDay == HalfHour.day(autumn))
    }

    @Test func `An alarm that is skipped or off does not ring, and then rings again`() {
        var stage = Stage()
        let number = stage.add(7, 30, Weekday.allCases)

        stage.handle(.skipped(number))
        stage.run(until: Stage.monday + 2 * days)
        stage.handle(.switched(number, on: false))
        stage.run(until: Stage.monday + 3 * days + 8 * hours)
        // What has passed today is not missed.
        stage.handle(.switched(number, on: true))
        stage.run(until: Stage.monday + 5 * days)

        #expect(stage.log == ["1 2026-11-24 07:30", "1 2026-11-27 07:30"])
    }

    @Test func `An alarm that rings once is off after it was skipped`() {
        var stage = Stage()
        let number = stage.add(7, 30)

        stage.handle(.skipped(number))
        stage.run(until: Stage.monday + 3 * days)

        #expect(stage.log == [] && !stage.scheduler.alarms[0].on)
    }

    @Test func `A change that the disk does not accept is undone`() {
        var stage = Stage()
        let first = stage.add(7, 30, Weekday.allCases)
        _ = stage.add(8, 30, Weekday.allCases)
        let before = stage.scheduler.alarms

        stage.isDiskFull = true
        _ = stage.add(9, 30)
        stage.handle(.removed(first))
        stage.handle(.switched(first, on: false))
        stage.handle(.skipped(first))

        #expect(stage.scheduler.alarms == before)
        // What has rung does not ring again because of it.
        stage.run(until: Stage.monday + 8 * hours)
        #expect(stage.log == ["1 2026-11-23 07:30"])
    }

    @Test func `A removed alarm does not ring, and its number is used again`() {
        var stage = Stage()
        let number = stage.add(7, 30)

        stage.handle(.removed(number))
        stage.run(until: Stage.monday + days)

        #expect(stage.log == [] && stage.scheduler.nextNumber == 1)
    }

    @Test func `A clock that was wrong by years does not silence an alarm`() {
        var stage = Stage(at: Stage.monday + 3000 * days)
        _ = stage.add(7, 30, Weekday.allCases)
        stage.run(until: Stage.monday + 3001 * days)

        stage.sleep(until: Stage.monday)
        stage.run(until: Stage.monday + 1.5 * days)

        #expect(stage.log.last == "1 2026-11-24 07:30")
    }

    @Test func `An alarm keeps its time of the day when the time zone changes`() {
        var first = Stage()
        _ = first.add(7, 30, Weekday.allCases)

        var stage = Stage(first.kept, at: Stage.monday, in: { _ in -5 * hours })
        stage.run(until: Stage.monday + days)

        #expect(stage.log == ["1 2026-11-23 07:30"])
    }

    @Test func `A request for an alarm is refused with the reason`() {
        func problem(_ change: (inout AlarmSettings) -> Void) -> String? {
            var settings = AlarmSettings(hour: 7, minute: 30)
            change(&settings)
            return settings.problem
        }

        #expect(problem { _ in } == nil)
        #expect(problem { $0.hour = 24 } == "a time is from 00:00 to 23:59")
        #expect(problem { $0.minute = -1 } == "a time is from 00:00 to 23:59")
        #expect(problem { $0.days = [] } == "it has no days")
        #expect(problem { $0.fadeIn = 0 } == "a fade-in takes above 0, at most 3600 seconds")
        #expect(problem { $0.volume = 101 } == "a volume is from 0 to 100")
        #expect(problem { $0.files = Files(["-"]) } == "standard input will be gone then")
        #expect(
            problem { ($0.queue, $0.files) = ("a", Files(["/b.mp3"])) }
                == "it plays a saved queue or files, not both")
    }
}

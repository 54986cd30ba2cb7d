package import UndersongBase

/// The alarms of a service: decides when each one rings, by local time.
///
/// An alarm that was missed rings up to a quarter of an hour late; after that it is reported, and its
/// next day comes. A time that daylight saving skips is the moment of the change; of a time that comes
/// twice, the first counts. A change is undone if the disk does not accept it.
package struct AlarmScheduler: Machine {
    package enum Input: MachineInput {
        /// An alarm with the next number is added.
        case added(PlayAlarm)
        case removed(Int)
        case switched(Int, on: Bool)
        /// The next time of this alarm is skipped.
        case skipped(Int)
        /// A change of the alarm with this number could not be written: it is again as it was; nil if it
        /// was not there.
        case notKept(Int, was: PlayAlarm?)
        /// `nextDue` is reached.
        case timePassed
    }

    /// Something to do.
    package enum Effect: Hashable, Sendable {
        /// Write the alarm, or report `notKept` with what it was.
        case keep(PlayAlarm, was: PlayAlarm?)
        /// Write the alarm, which has rung or was missed, whatever the disk says.
        case keepRung(PlayAlarm)
        /// Remove the alarm from the disk, or report `notKept`.
        case forget(PlayAlarm)
        /// Begin the sound.
        case ring(PlayAlarm)
        /// Report that the alarm did not ring at this time, in seconds since 1970.
        case missed(PlayAlarm, Double)
    }

    /// The seconds by which an alarm may be late and still ring.
    static let latest = 900.0
    /// The most days ahead that are skipped.
    private static let horizon = 31

    /// The alarms, by number.
    package private(set) var alarms: [PlayAlarm]
    /// The moments for which the alarms waited after the latest input, in seconds since 1970: once
    /// daylight saving has skipped a time of the day, nothing else shows when it would have come.
    private var awaited: [Int: Double] = [:]

    /// Creates a scheduler with the alarms that were kept.
    package init(_ alarms: [PlayAlarm] = []) {
        self.alarms = alarms.sorted { $0.number < $1.number }
    }

    /// The number for a new alarm.
    package var nextNumber: Int { (alarms.last?.number ?? 0) + 1 }

    /// The time when an alarm rings next, in seconds since 1970; nil if it is off. One that was missed
    /// has a time in the past until `timePassed`.
    package func next(_ alarm: PlayAlarm, at now: ScheduleTime) -> Double? {
        occurrence(of: alarm, at: now)?.wall
    }

    package func nextDue(at now: ScheduleTime) -> Due {
        Due(wall: alarms.compactMap { next($0, at: now) }.min())
    }

    package mutating func handle(_ input: Input, at now: ScheduleTime) -> [Effect] {
        let effects = apply(input, at: now)
        awaited = [:]
        for alarm in alarms { awaited[alarm.number] = next(alarm, at: now) }
        return effects
    }

    private mutating func apply(_ input: Input, at now: ScheduleTime) -> [Effect] {
        let scheduler = self
        switch input {
        case .added(let alarm):
            let alarm = beginning(alarm, at: now)
            alarms.append(alarm)
            return [.keep(alarm, was: nil)]
        case .removed(let number):
            guard let index = index(of: number) else { return [] }
            return [.forget(alarms.remove(at: index))]
        case .switched(let number, let on):
            return change(number) { alarm in
                guard alarm.on != on else { return }
                alarm.on = on
                if on { alarm = scheduler.beginning(alarm, at: now) }
            }
        case .skipped(let number):
            return change(number) { alarm in
                guard let day = scheduler.occurrence(of: alarm, at: now)?.day else { return }
                alarm.lastDay = day
                if alarm.settings.days == nil { alarm.on = false }
            }
        case .notKept(let number, let old):
            alarms.removeAll { $0.number == number }
            if let old {
                let index = alarms.firstIndex { $0.number > number } ?? alarms.endIndex
                alarms.insert(old, at: index)
            }
            return []
        case .timePassed: return alarms.map(\.number).flatMap { advance($0, at: now) }
        }
    }

    private func index(of number: Int) -> Int? { alarms.firstIndex { $0.number == number } }

    private mutating func change(
        _ number: Int, _ change: (inout PlayAlarm) -> Void
    ) -> [Effect] {
        guard let index = index(of: number) else { return [] }
        var new = alarms[index]
        change(&new)
        guard new != alarms[index] else { return [] }
        defer { alarms[index] = new }
        return [.keep(new, was: alarms[index])]
    }

    /// Rings an alarm that is due, and reports one that is too late.
    private mutating func advance(_ number: Int, at now: ScheduleTime) -> [Effect] {
        guard let index = index(of: number) else { return [] }
        var effects: [Effect] = []
        var missed: Double?
        let awaited = awaited[number].flatMap { $0 <= now.wall ? $0 : nil } ?? -.infinity
        while let (day, wall) = occurrence(of: alarms[index], at: now), wall <= now.wall {
            alarms[index].lastDay = day
            if alarms[index].settings.days == nil { alarms[index].on = false }
            if now.wall - max(wall, awaited) <= Self.latest {
                effects.append(.ring(alarms[index]))
            } else {
                missed = wall
            }
        }
        if let missed { effects.insert(.missed(alarms[index], missed), at: 0) }
        if !effects.isEmpty { effects.append(.keepRung(alarms[index])) }
        return effects
    }

    /// The alarm as of now: it does not ring for a time that has passed.
    private func beginning(_ alarm: PlayAlarm, at now: ScheduleTime) -> PlayAlarm {
        var alarm = alarm
        let today = HalfHour.day(now.local(now.wall))
        alarm.lastDay = wall(of: alarm, today, now) <= now.wall ? today : today - 1
        return alarm
    }

    /// The first time after the last day of an alarm, which may have passed; nil if it is off.
    private func occurrence(
        of alarm: PlayAlarm, at now: ScheduleTime
    ) -> (day: Int, wall: Double)? {
        guard alarm.on else { return nil }
        let today = HalfHour.day(now.local(now.wall))
        // A clock that was wrong by more than a month silences no alarm.
        let last = alarm.lastDay.flatMap { $0 > today + Self.horizon ? nil : $0 } ?? today - 1
        let day = (last + 1...last + 7).first { day in
            alarm.settings.days?.contains(Weekday.allCases[HalfHour.weekday(day)]) ?? true
        }
        return day.map { ($0, wall(of: alarm, $0, now)) }
    }

    private func wall(of alarm: PlayAlarm, _ day: Int, _ now: ScheduleTime) -> Double {
        now.wall(
            ofLocal: Double(day) * 86400 + Double(alarm.settings.hour * 60 + alarm.settings.minute)
                * 60)
    }
}

extension ScheduleTime {
    /// The seconds since 1970 at a time that is given in seconds of local time since 1970.
    fileprivate func wall(ofLocal local: Double) -> Double {
        let early = local - utcOffset
        guard let offsetChange, early >= offsetChange.wall else { return early }
        return max(offsetChange.wall, local - offsetChange.utcOffset)
    }

    /// The local date and time at `wall`: `2026-11-30 07:30`.
    package func date(_ wall: Double) -> String {
        String(CalendarDate(secondsSince1970: local(wall)).text.prefix(16))
    }
}

import UndersongBase
package import UndersongPlayback

/// A day of the week.
package enum Weekday: String, Codable, Hashable, Sendable, CaseIterable {
    case mon, tue, wed, thu, fri, sat, sun
}

/// The time at which an alarm rings, and what it plays.
package struct AlarmSettings: Codable, Hashable, Sendable {
    /// The hour of local time, 0 to 23.
    package var hour: Int
    /// The minute of the hour, 0 to 59.
    package var minute: Int
    /// The days on which it rings; nil for once, on the next day on which that is possible.
    package var days: [Weekday]?
    /// The seconds over which the sound fades in, above 0, 3600 at most; nil for no fade.
    package var fadeIn: Double?
    /// The name of the saved queue to play; nil for none.
    package var queue: String?
    /// The files to play; nil, if there is no saved queue either, for the queue as it is.
    package var files: Files?
    /// The volume to set, 0 to 100; nil to leave it.
    package var volume: Double?

    package init(hour: Int, minute: Int, days: [Weekday]? = nil) {
        self.hour = hour
        self.minute = minute
        self.days = days
    }

    /// The time of the day: `07:30`.
    package var time: String {
        [hour, minute].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
    }

    /// The reason why there cannot be such an alarm; nil if there can.
    package var problem: String? {
        if !(0...23 ~= hour && 0...59 ~= minute) { return "a time is from 00:00 to 23:59" }
        if days?.isEmpty == true { return "it has no days" }
        if let fadeIn, !(fadeIn > 0 && fadeIn <= 3600) {
            return "a fade-in takes above 0, at most 3600 seconds"
        }
        if let volume, !(0...100 ~= volume) { return "a volume is from 0 to 100" }
        if queue != nil, files != nil { return "it plays a saved queue or files, not both" }
        if files?.paths.contains(.standardStream) == true {
            return "standard input will be gone then"
        }
        return nil
    }
}

/// An alarm: begins the queue at a time of the day.
package struct PlayAlarm: Codable, Hashable, Sendable {
    /// The alarm's number, from 1.
    package var number: Int
    /// The time at which it rings, and what it plays.
    package var settings: AlarmSettings
    /// True if it is going to ring.
    package var on = true
    /// The last day, in days of local time since 1970, on which it has rung, was missed or is skipped.
    package var lastDay: Int?

    package init(_ number: Int, _ settings: AlarmSettings) {
        self.number = number
        self.settings = settings
    }
}

/// The alarms.
package struct AlarmStatus: Codable, Hashable, Sendable {
    /// An alarm, and when it rings.
    package struct Entry: Codable, Hashable, Sendable {
        /// The alarm.
        package var alarm: PlayAlarm
        /// The time when it rings next, in seconds since 1970; nil if it is off.
        package var next: Double?
        /// The local date and time of that: `2026-11-30 07:30`.
        package var nextLocal: String?

        package init(_ alarm: PlayAlarm, next: Double?, local: String?) {
            self.alarm = alarm
            self.next = next
            nextLocal = local
        }
    }

    /// The alarms by number.
    package var alarms: [Entry]
    /// True if they do not sound in the background, because the mode `audio` is not declared.
    package var silentInBackground: Bool

    package init(_ alarms: [Entry], silentInBackground: Bool) {
        self.alarms = alarms
        self.silentInBackground = silentInBackground
    }
}

/// Returns the alarms.
package struct GetAlarms: ControlCall {
    package typealias Reply = AlarmStatus
    package static let method = "alarm.list"

    package init() {}
}

/// Adds an alarm. The reply comes when it is on the disk.
package struct AddAlarm: ControlCall {
    package typealias Reply = AlarmStatus
    package static let method = "alarm.add"
    /// The time at which it rings, and what it plays.
    package var settings: AlarmSettings

    package init(_ settings: AlarmSettings) { self.settings = settings }
}

/// Removes an alarm.
package struct RemoveAlarm: ControlCall {
    package typealias Reply = AlarmStatus
    package static let method = "alarm.remove"
    /// The alarm's number.
    package var number: Int

    package init(_ number: Int) { self.number = number }
}

/// Switches an alarm on or off.
package struct SwitchAlarm: ControlCall {
    package typealias Reply = AlarmStatus
    package static let method = "alarm.switch"
    /// The alarm's number.
    package var number: Int
    /// True if it is to ring.
    package var on: Bool

    package init(_ number: Int, on: Bool) {
        self.number = number
        self.on = on
    }
}

/// Skips the next time of an alarm. One that rings once is switched off.
package struct SkipAlarm: ControlCall {
    package typealias Reply = AlarmStatus
    package static let method = "alarm.skip"
    /// The alarm's number.
    package var number: Int

    package init(_ number: Int) { self.number = number }
}

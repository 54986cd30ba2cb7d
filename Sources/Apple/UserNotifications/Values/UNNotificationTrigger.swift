public import Foundation

/// The condition on which a notification is delivered: one of its subclasses.
public class UNNotificationTrigger: NSObject, @unchecked Sendable {
    // Unchecked: a class that is inherited from. Its stored properties are constant and Sendable.

    let record: TriggerRecord
    /// The date on which the pending request that this belongs to is due, in seconds since 1970.
    fileprivate let due: Double?

    fileprivate init(_ record: TriggerRecord, due: Double?) {
        (self.record, self.due) = (record, due)
    }

    /// True if the notification is delivered each time that the condition is met.
    public var repeats: Bool { record.repeats }

    /// The object for a record, of a request that is due on `due` if it is pending.
    static func make(_ record: TriggerRecord, due: Double?) -> UNNotificationTrigger {
        switch record {
        case .interval: UNTimeIntervalNotificationTrigger(record, due: due)
        case .calendar: UNCalendarNotificationTrigger(record, due: due)
        }
    }

    fileprivate var nextDate: Date? {
        let date = due ?? record.date(after: NotificationDesk.clock.secondsSinceEpoch)
        return date.map(Date.init(timeIntervalSince1970:))
    }
}

/// Delivers a notification after a time.
public final class UNTimeIntervalNotificationTrigger: UNNotificationTrigger,
    @unchecked Sendable
{
    /// The seconds from the request on.
    public var timeInterval: TimeInterval {
        switch record {
        case .interval(let seconds, _): seconds
        case .calendar: 0
        }
    }

    /// Creates a trigger for so many seconds after the request: more than 0, and at least 60 if it
    /// repeats, or the program ends.
    public init(timeInterval: TimeInterval, repeats: Bool) {
        precondition(
            timeInterval > 0 && timeInterval.isFinite, "time interval must be greater than 0")
        precondition(
            !repeats || timeInterval >= 60, "time interval must be at least 60 if repeating")
        super.init(.interval(timeInterval, repeats: repeats), due: nil)
    }

    fileprivate override init(_ record: TriggerRecord, due: Double?) {
        super.init(record, due: due)
    }

    /// The date on which the notification is due: that of a pending request, otherwise as if the request
    /// were made now.
    public func nextTriggerDate() -> Date? { nextDate }
}

/// Delivers a notification on the next date with certain components.
public final class UNCalendarNotificationTrigger: UNNotificationTrigger,
    @unchecked Sendable
{
    /// The components: those that are not set may be anything.
    public var dateComponents: DateComponents {
        switch record {
        case .calendar(let components, _): components
        case .interval: DateComponents()
        }
    }

    /// Creates a trigger for the next date that has these components, in their calendar and time zone or
    /// else the user's, or for each such date.
    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        super.init(.calendar(dateComponents, repeats: repeats), due: nil)
    }

    fileprivate override init(_ record: TriggerRecord, due: Double?) {
        super.init(record, due: due)
    }

    /// The next date on which the notification is due; nil if there is none.
    public func nextTriggerDate() -> Date? { nextDate }
}

import Foundation
import UndersongBackground

/// The content of a notification, as it is kept.
struct ContentRecord: Codable, Hashable, Sendable {
    var title = ""
    var subtitle = ""
    var body = ""
    var badge: Int?
    /// True if it makes a sound.
    var hasSound = false
    var userInfo = PropertyValue.dictionary([:])
    var categoryIdentifier = ""
    var threadIdentifier = ""

    /// True if there is something to read.
    var hasText: Bool { !(title.isEmpty && subtitle.isEmpty && body.isEmpty) }
}

/// The condition on which a notification is delivered.
enum TriggerRecord: Codable, Hashable, Sendable {
    case interval(Double, repeats: Bool)
    case calendar(DateComponents, repeats: Bool)

    var repeats: Bool {
        switch self {
        case .interval(_, let repeats), .calendar(_, let repeats): repeats
        }
    }

    /// The first date after `date`, in seconds since 1970, on which it is met; nil if there is none.
    func date(after date: Double) -> Double? {
        switch self {
        case .interval(let seconds, _): date + seconds
        case .calendar(let components, _):
            components.nextDate(after: Date(timeIntervalSince1970: date))?.timeIntervalSince1970
        }
    }

    /// The first date after `now` on which it is met again, if it was on `due`; nil if it does not repeat.
    func repetition(of due: Double, after now: Double) -> Double? {
        guard repeats else { return nil }
        switch self {
        case .interval(let seconds, _):
            // The dates that were missed are left out.
            let missed = max(0, ((now - due) / seconds).rounded(.down))
            return due + (missed + 1) * seconds
        case .calendar: return date(after: max(now, due))
        }
    }
}

extension DateComponents {
    private static let units: Set<Calendar.Component> = [
        .era, .year, .month, .day, .hour, .minute, .second, .weekday, .weekdayOrdinal, .quarter,
        .weekOfMonth, .weekOfYear, .yearForWeekOfYear, .nanosecond,
    ]

    /// The first date after `date` that has these components, in their calendar and time zone; nil if
    /// there is none, or no component is set.
    func nextDate(after date: Date) -> Date? {
        guard Self.units.contains(where: { value(for: $0) != nil }) else { return nil }
        var calendar = calendar ?? .current
        if let timeZone { calendar.timeZone = timeZone }
        var components = self
        (components.calendar, components.timeZone) = (nil, nil)
        return calendar.nextDate(after: date, matching: components, matchingPolicy: .nextTime)
    }
}

/// A request, as it is kept, and later the notification that it has led to.
struct NotificationRecord: Codable, Hashable, Sendable {
    var identifier: String
    var content: ContentRecord
    var trigger: TriggerRecord?
    /// The date on which it is due, or was delivered, in seconds since 1970.
    var date: Double

    /// The notification for the service, with as much as `options` permit, under the name of the app if
    /// it has no title.
    func notification(
        of app: String?, _ options: UNNotificationPresentationOptions,
        actions: [UserNotification.Action]
    ) -> UserNotification {
        UserNotification(
            identifier, title: content.title.isEmpty ? app ?? "" : content.title,
            subtitle: content.subtitle.isEmpty ? nil : content.subtitle, body: content.body,
            badge: options.contains(.badge) ? content.badge : nil,
            hasSound: content.hasSound && options.contains(.sound), actions: actions)
    }

    /// The record of a notification that this process knows nothing about, delivered on `date`.
    init(_ notification: UserNotification, date: Double) {
        self.init(identifier: notification.identifier, content: ContentRecord(), date: date)
        content.title = notification.title
        content.subtitle = notification.subtitle ?? ""
        content.body = notification.body
        content.badge = notification.badge
        content.hasSound = notification.hasSound
    }

    init(
        identifier: String, content: ContentRecord, trigger: TriggerRecord? = nil, date: Double
    ) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
        self.date = date
    }
}

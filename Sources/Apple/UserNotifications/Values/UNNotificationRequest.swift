public import Foundation

/// A request for a notification.
public final class UNNotificationRequest: NSObject, @unchecked Sendable {
    // Unchecked: the content is a copy, and cannot be changed.

    /// Identifies it: a later request with the same identifier replaces it, and its notification.
    public let identifier: String
    /// A copy of the content.
    public let content: UNNotificationContent
    /// The condition on which it is delivered; nil for at once.
    public let trigger: UNNotificationTrigger?

    /// Creates a request, to be made by `UNUserNotificationCenter.add(_:)`.
    public init(
        identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?
    ) {
        self.identifier = identifier
        self.content = UNNotificationContent(copying: content)
        self.trigger = trigger
    }

    /// The request of a record, which is due on its date if it is pending.
    init(_ record: NotificationRecord, isPending: Bool) {
        identifier = record.identifier
        content = UNNotificationContent(record.content)
        trigger = record.trigger.map { .make($0, due: isPending ? record.date : nil) }
    }
}

/// A notification that was delivered, or is about to be.
public final class UNNotification: NSObject, Sendable {
    /// The date of its delivery.
    public let date: Date
    /// The request that has led to it.
    public let request: UNNotificationRequest

    init(_ record: NotificationRecord) {
        date = Date(timeIntervalSince1970: record.date)
        request = UNNotificationRequest(record, isPending: false)
    }
}

/// The user's answer to a notification.
public final class UNNotificationResponse: NSObject, Sendable {
    /// The notification.
    public let notification: UNNotification
    /// The identifier of the action that the user has chosen; `UNNotificationDefaultActionIdentifier` for
    /// the notification itself, `UNNotificationDismissActionIdentifier` if it was closed.
    public let actionIdentifier: String

    init(_ record: NotificationRecord, action: String) {
        notification = UNNotification(record)
        actionIdentifier = action
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action of a click on the notification itself.
public let UNNotificationDefaultActionIdentifier =
    "com.apple.UNNotificationDefaultActionIdentifier"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The action of closing the notification, which categories with `customDismissAction` get.
public let UNNotificationDismissActionIdentifier =
    "com.apple.UNNotificationDismissActionIdentifier"

/// The ways to present a notification while the application is in the foreground.
public struct UNNotificationPresentationOptions: OptionSet, Hashable, Sendable {
    /// Apple's value.
    public let rawValue: UInt

    /// Creates a set of any value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Sets the badge of the content.
    public static let badge = UNNotificationPresentationOptions(rawValue: 1)
    /// Makes the sound of the content, with the notification.
    public static let sound = UNNotificationPresentationOptions(rawValue: 2)
    /// Shows the notification; the same as `banner` and `list`.
    public static let alert = UNNotificationPresentationOptions(rawValue: 4)
    /// Leaves the notification in the server's list. Shows it, as that is up to the server.
    public static let list = UNNotificationPresentationOptions(rawValue: 8)
    /// Shows the notification.
    public static let banner = UNNotificationPresentationOptions(rawValue: 16)

    /// Everything, as in the background.
    static let all: UNNotificationPresentationOptions = [.badge, .sound, .list, .banner]

    /// True if the notification is shown.
    var isShown: Bool { !isDisjoint(with: [.alert, .list, .banner]) }
}

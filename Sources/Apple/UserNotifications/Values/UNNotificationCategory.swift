public import Foundation
import UndersongBackground

/// A button of a notification.
public final class UNNotificationAction: NSObject, Sendable {
    /// Identifies the action in its category.
    public let identifier: String
    /// The text of the button.
    public let title: String
    /// The options, none of which has an effect here.
    public let options: UNNotificationActionOptions

    /// Creates an action.
    public init(
        identifier: String, title: String, options: UNNotificationActionOptions = []
    ) {
        self.identifier = identifier
        self.title = title
        self.options = options
    }

    /// True for an action with the same values.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UNNotificationAction else { return false }
        return (identifier, title, options) == (other.identifier, other.title, other.options)
    }

    /// The same for equal actions.
    public override var hash: Int { identifier.hashValue }
}

/// The options of an action.
public struct UNNotificationActionOptions: OptionSet, Hashable, Sendable {
    /// Apple's value.
    public let rawValue: UInt

    /// Creates a set of any value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Needs the device to be unlocked.
    public static let authenticationRequired = UNNotificationActionOptions(rawValue: 1)
    /// Destroys something.
    public static let destructive = UNNotificationActionOptions(rawValue: 2)
    /// Brings the application to the foreground.
    public static let foreground = UNNotificationActionOptions(rawValue: 4)
}

/// A kind of notification, with its actions.
public final class UNNotificationCategory: NSObject, Sendable {
    /// Identifies the category in the content of notifications.
    public let identifier: String
    /// The actions, in order.
    public let actions: [UNNotificationAction]
    /// The intents that the notifications are about. Not used here.
    public let intentIdentifiers: [String]
    /// The options.
    public let options: UNNotificationCategoryOptions

    /// Creates a category.
    public init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        self.identifier = identifier
        self.actions = actions
        self.intentIdentifiers = intentIdentifiers
        self.options = options
    }

    /// True for a category with the same values.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UNNotificationCategory else { return false }
        return identifier == other.identifier && actions == other.actions
            && intentIdentifiers == other.intentIdentifiers && options == other.options
    }

    /// The same for equal categories.
    public override var hash: Int { identifier.hashValue }

    /// The buttons for the service.
    var buttons: [UserNotification.Action] {
        actions.map { UserNotification.Action($0.identifier, title: $0.title) }
    }
}

/// The options of a category.
public struct UNNotificationCategoryOptions: OptionSet, Hashable, Sendable {
    /// Apple's value.
    public let rawValue: UInt

    /// Creates a set of any value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Lets the delegate know when the user closes a notification.
    public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1)
    /// Has no effect here: there is no CarPlay.
    public static let allowInCarPlay = UNNotificationCategoryOptions(rawValue: 2)
    /// Has no effect here: notification servers hide no titles.
    public static let hiddenPreviewsShowTitle = UNNotificationCategoryOptions(rawValue: 4)
    /// Has no effect here: notification servers hide no subtitles.
    public static let hiddenPreviewsShowSubtitle = UNNotificationCategoryOptions(rawValue: 8)
}

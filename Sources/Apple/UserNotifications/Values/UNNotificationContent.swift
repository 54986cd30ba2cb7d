public import Foundation

/// The content of a notification.
public class UNNotificationContent: NSObject, NSCopying, NSMutableCopying {
    fileprivate var record: ContentRecord
    fileprivate var information: [AnyHashable: Any]

    /// Creates an empty content.
    public override init() {
        (record, information) = (ContentRecord(), [:])
        super.init()
    }

    init(_ record: ContentRecord) {
        (self.record, information) = (record, record.userInfo.userInfo)
        super.init()
    }

    init(copying content: UNNotificationContent) {
        (record, information) = (content.record, content.information)
        super.init()
    }

    /// The title; the name of the app is shown if it is empty.
    public var title: String { record.title }
    /// The subtitle.
    public var subtitle: String { record.subtitle }
    /// The text.
    public var body: String { record.body }
    /// The badge that the app gets with it: 0 for none, and nil leaves it.
    public var badge: NSNumber? { record.badge.map { NSNumber(value: $0) } }
    /// The sound; nil for none.
    public var sound: UNNotificationSound? { record.hasSound ? .default : nil }
    /// Values for the app itself: those of a property list, with strings as keys.
    public var userInfo: [AnyHashable: Any] { information }
    /// Names the category, which has the actions; empty for none.
    public var categoryIdentifier: String { record.categoryIdentifier }
    /// Groups notifications. Not used here, as notification servers have no groups.
    public var threadIdentifier: String { record.threadIdentifier }

    /// An immutable copy.
    public func copy(with zone: NSZone? = nil) -> Any { UNNotificationContent(copying: self) }

    /// A mutable copy.
    public func mutableCopy(with zone: NSZone? = nil) -> Any {
        UNMutableNotificationContent(copying: self)
    }

    /// The content as it is kept.
    ///
    /// - Throws: A property list cannot have the user information.
    func checkedRecord() throws(UNError) -> ContentRecord {
        guard let userInfo = PropertyValue(dictionary: information) else {
            throw UNError(
                .notificationInvalidNoContent,
                reason: "the userInfo has a value that a property list cannot have")
        }
        var checked = record
        checked.userInfo = userInfo
        return checked
    }
}

/// The content of a notification, while it is put together.
public final class UNMutableNotificationContent: UNNotificationContent {
    /// Creates an empty content.
    public override init() { super.init() }

    override init(copying content: UNNotificationContent) {
        super.init(copying: content)
    }

    /// The title; the name of the app is shown if it is empty.
    public override var title: String {
        get { record.title }
        set { record.title = newValue }
    }

    /// The subtitle.
    public override var subtitle: String {
        get { record.subtitle }
        set { record.subtitle = newValue }
    }

    /// The text.
    public override var body: String {
        get { record.body }
        set { record.body = newValue }
    }

    /// The badge that the app gets with it: 0 for none, and nil leaves it.
    public override var badge: NSNumber? {
        get { super.badge }
        set { record.badge = newValue.map { max(0, $0.intValue) } }
    }

    /// The sound; nil for none.
    public override var sound: UNNotificationSound? {
        get { super.sound }
        set { record.hasSound = newValue != nil }
    }

    /// Values for the app itself: those of a property list, with strings as keys.
    public override var userInfo: [AnyHashable: Any] {
        get { information }
        set { information = newValue }
    }

    /// Names the category, which has the actions; empty for none.
    public override var categoryIdentifier: String {
        get { record.categoryIdentifier }
        set { record.categoryIdentifier = newValue }
    }

    /// Groups notifications. Not used here, as notification servers have no groups.
    public override var threadIdentifier: String {
        get { record.threadIdentifier }
        set { record.threadIdentifier = newValue }
    }
}

/// The sound of a notification. The notification server chooses it.
public final class UNNotificationSound: NSObject, Sendable {
    /// The notification server's own sound.
    public static let `default` = UNNotificationSound()
}

package import UndersongBase

// MARK: For users

/// Returns what is known of notifications.
package struct GetNotificationStatus: ControlCall {
    package typealias Reply = NotificationStatus
    package static let method = "notification.status"

    package init() {}
}

/// Turns notifications of a kind on or off. The reply comes when that is on the disk.
package struct SetNotifications: ControlCall {
    package typealias Reply = NotificationStatus
    package static let method = "notification.set"
    package var kind: NotificationKind
    package var isOn: Bool

    package init(_ kind: NotificationKind, isOn: Bool) {
        self.kind = kind
        self.isOn = isOn
    }
}

/// Allows an app to notify the user, or forbids it. The reply comes when that is on the disk.
package struct AuthorizeNotifications: ControlCall {
    package typealias Reply = NotificationStatus
    package static let method = "notification.authorize"
    package var app: String
    package var isAllowed: Bool

    package init(_ app: String, isAllowed: Bool) {
        self.app = app
        self.isAllowed = isAllowed
    }
}

// MARK: For apps

/// Asks for the permission to notify the user: an app that nobody has allowed or forbidden yet is
/// allowed, as there is no dialogue, and the user may forbid it.
package struct RequestNotifications: ControlCall {
    package typealias Reply = NotificationPermission
    package static let method = "notification.request"

    package init() {}
}

/// Returns the permission of the app that asks, without asking for it, and its badge. It does not wait
/// for the notification server.
package struct GetNotificationPermission: ControlCall {
    package typealias Reply = NotificationPermission
    package static let method = "notification.permission"

    package init() {}
}

/// The permission of an app to notify the user, and its badge.
package struct NotificationPermission: Codable, Hashable, Sendable {
    package var authorization: Open<NotificationAuthorization>
    /// The number; 0 for none.
    package var badge: Int

    package init(_ authorization: NotificationAuthorization, badge: Int) {
        self.authorization = .known(authorization)
        self.badge = badge
    }
}

/// Shows a notification of the app that asks. The reply comes when the notification server has it, or
/// with the reason why it does not.
package struct AddNotification: ControlCall {
    package typealias Reply = Nothing
    package static let method = "notification.add"
    package var notification: UserNotification

    package init(_ notification: UserNotification) { self.notification = notification }
}

/// Removes notifications of the app that asks: those named, or all.
package struct RemoveNotifications: ControlCall {
    package typealias Reply = Nothing
    package static let method = "notification.remove"
    /// The identifiers; nil for all.
    package var identifiers: [String]?

    package init(_ identifiers: [String]?) { self.identifiers = identifiers }
}

/// The notifications of an app that the server still shows.
package struct DeliveredNotifications: Codable, Hashable, Sendable {
    package var notifications: [UserNotification]

    package init(_ notifications: [UserNotification]) { self.notifications = notifications }
}

/// Returns the notifications of the app that asks which the server still shows.
package struct GetNotifications: ControlCall {
    package typealias Reply = DeliveredNotifications
    package static let method = "notification.list"

    package init() {}
}

/// Sets the badge of the app that asks. It is kept, also while the app does not run.
package struct SetBadge: ControlCall {
    package typealias Reply = Nothing
    package static let method = "notification.badge"
    /// The number; 0 for none.
    package var number: Int

    package init(_ number: Int) { self.number = number }
}

// MARK: Notices

/// The user has clicked a notification of the app, or a button of it.
package struct NotificationAnswered: ControlNotice, Hashable {
    package static let method = "notification.answered"
    package var identifier: String
    /// The button's identifier; nil for the notification itself.
    package var action: String?
    /// True if the user has only closed it.
    package var isDismissed: Bool
    /// The token by which the app may raise its window (xdg-activation); nil if the server gives none.
    package var token: String?

    package init(_ identifier: String, action: String? = nil, isDismissed: Bool = false) {
        self.identifier = identifier
        self.action = action
        self.isDismissed = isDismissed
    }
}

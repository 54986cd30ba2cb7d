package import UndersongBase

/// A notification for the user of the desktop, by the service itself or by an app.
package struct UserNotification: Codable, Hashable, Sendable {
    /// A button of a notification.
    package struct Action: Codable, Hashable, Sendable {
        /// The identifier by which the owner knows it.
        package var identifier: String
        /// The text of the button.
        package var title: String

        package init(_ identifier: String, title: String) {
            self.identifier = identifier
            self.title = title
        }
    }

    /// The identifier, unique for its owner: a new notification replaces the one that has the same.
    package var identifier: String
    package var title: String
    package var subtitle: String?
    package var body: String
    /// The badge that its owner gets with it; nil leaves the badge.
    package var badge: Int?
    /// True if it makes a sound.
    package var hasSound: Bool
    /// Its buttons, where the notification server has buttons.
    package var actions: [Action]

    package init(
        _ identifier: String, title: String, subtitle: String? = nil, body: String = "",
        badge: Int? = nil, hasSound: Bool = false, actions: [Action] = []
    ) {
        self.identifier = identifier
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.badge = badge
        self.hasSound = hasSound
        self.actions = actions
    }
}

/// The file in which an app keeps its notifications that are not due, beside the service's state.
package enum NotificationFile {
    /// The path for an app, in the folder of a session's state.
    package static func path(of app: String, in folder: String) -> String {
        "\(folder)/notifications/\(app)"
    }
}

/// A subject of the notifications of the service itself.
package enum NotificationKind: String, Codable, CaseIterable, Sendable {
    /// New episodes of a feed.
    case episode
    /// A push with an alert.
    case push
    /// A download that has finished or failed.
    case download
    /// An item that begins to play.
    case item
}

/// The permission of an app to notify the user.
package enum NotificationAuthorization: String, Codable, CaseIterable, Sendable {
    /// The user has not been asked.
    case notDetermined
    case denied
    case authorized
}

/// The notification server of the desktop, the permissions and the badges.
package struct NotificationStatus: Codable, Hashable, Sendable {
    /// The name and version of the server; nil if none answers.
    package var server: String?
    /// The reason why notifications are not shown; nil if they are.
    package var problem: String?
    /// The capabilities of the server, as it names them (`actions`, `body`, `persistence` ...).
    package var capabilities: [String]
    /// The subjects of the service's own notifications that are turned on.
    package var kinds: [Open<NotificationKind>]
    /// The badges that are not 0, by the apps' identifiers; the service's own is `undersong`.
    package var badges: [String: Int]
    /// The permissions of apps that have asked, or whose user has decided.
    package var apps: [String: Open<NotificationAuthorization>]

    package init(
        server: String? = nil, problem: String? = nil, capabilities: [String] = [],
        kinds: [NotificationKind] = [], badges: [String: Int] = [:],
        apps: [String: NotificationAuthorization] = [:]
    ) {
        self.server = server
        self.problem = problem
        self.capabilities = capabilities
        self.kinds = kinds.map { .known($0) }
        self.badges = badges
        self.apps = apps.mapValues { .known($0) }
    }
}

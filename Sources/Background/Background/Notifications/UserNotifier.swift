/// Identifies a notification among those of all owners.
package struct NotificationKey: Hashable, Sendable {
    /// The owner of the service's own notifications, and of its badge.
    package static let service = "undersong"

    /// The app's identifier, or `service`.
    package var owner: String
    /// The notification's identifier, unique for its owner.
    package var identifier: String

    package init(owner: String, identifier: String) {
        self.owner = owner
        self.identifier = identifier
    }
}

/// A notification as a server of the desktop is to show it.
package struct DesktopNotification: Hashable, Sendable {
    package var key: NotificationKey
    /// The name of the program that notifies, as the desktop shows it.
    package var application: String
    package var content: UserNotification

    package init(_ key: NotificationKey, application: String, _ content: UserNotification) {
        self.key = key
        self.application = application
        self.content = content
    }
}

/// The notification server of a desktop.
package struct NotificationServer: Hashable, Sendable {
    /// Its name and version.
    package var name: String
    /// The capabilities, as it names them (`actions`, `body`, `persistence` ...).
    package var capabilities: [String]

    package init(name: String, capabilities: [String]) {
        self.name = name
        self.capabilities = capabilities
    }
}

/// The reason a notification server does not do what it should.
package struct NotifierProblem: Error, Hashable, Sendable {
    /// "no notification server is running"
    package var reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// The fate of a notification that is shown.
package enum NotifierEvent: Hashable, Sendable {
    /// The user has clicked it, or the button with this identifier. `token` lets a program raise its
    /// window, if the server gives one.
    case answered(NotificationKey, action: String?, token: String?)
    /// It is not shown any longer: the user has closed it, or its time is over.
    case closed(NotificationKey, isDismissed: Bool)
    /// The server has ended, and shows nothing any longer.
    case lost
}

/// Shows notifications and a badge on a desktop. Any thread may call it, and it never blocks. It does
/// nothing before it is first needed.
package protocol UserNotifier: AnyObject, Sendable {
    /// Reports what becomes of notifications to `handler`, on any thread. Called once, before all else.
    func begin(_ handler: @escaping @Sendable (NotifierEvent) -> Void)

    /// Calls `answer` once, on any thread, with the server, which is started if it can be: at once if
    /// it is known, or has not answered before, otherwise within a moment.
    func findServer(
        _ answer: @escaping @Sendable (Result<NotificationServer, NotifierProblem>) -> Void)

    /// Shows a notification in place of one with the same key, and calls `answer` once, on any thread,
    /// with the reason if it is not shown.
    func show(
        _ notification: DesktopNotification,
        _ answer: @escaping @Sendable (NotifierProblem?) -> Void)

    /// Removes a notification, if it is shown or about to be.
    func close(_ key: NotificationKey)

    /// Shows a number at the player's icon; 0 for none.
    func setBadge(_ number: Int)

    /// Ends, and calls nobody any longer.
    func end()
}

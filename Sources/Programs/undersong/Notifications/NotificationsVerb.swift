import ArgumentParser
import UndersongBackground
import UndersongBase
import UndersongCommandOptions

/// `undersong notifications`: what reaches the user on the desktop.
struct NotificationsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Choose what is shown on the desktop, and which apps may do so.",
        discussion: """
            The service shows new episodes, pushes with an alert, and downloads of episodes that have \
            finished or failed. Items that begin are shown if you turn them on, or by 'undersong play \
            --notify'. An app may show its own once it has asked, unless you forbid it.

            Examples:
              undersong notifications
              undersong notifications on item
              undersong notifications forbid net.example.player
            """,
        subcommands: [Status.self, On.self, Off.self, Allow.self, Forbid.self],
        defaultSubcommand: Status.self)

    /// `undersong notifications status`
    struct Status: NotificationsCallVerb {
        static let purpose = "show the state of notifications"
        static let configuration = described(
            "status", "Show the notification server, what is turned on, and the badges.")
        @OptionGroup var options: SessionOptions

        func call() -> GetNotificationStatus { GetNotificationStatus() }
    }

    /// `undersong notifications on`
    struct On: NotificationsCallVerb {
        static let purpose = "turn notifications on"
        static let configuration = described("on", "Turn notifications of a kind on.")
        @Argument(choice: "The kind: episode, push, download or item.") var kind: NotificationKind
        @OptionGroup var options: SessionOptions

        func call() -> SetNotifications { SetNotifications(kind, isOn: true) }
    }

    /// `undersong notifications off`
    struct Off: NotificationsCallVerb {
        static let purpose = "turn notifications off"
        static let configuration = described("off", "Turn notifications of a kind off.")
        @Argument(choice: "The kind: episode, push, download or item.") var kind: NotificationKind
        @OptionGroup var options: SessionOptions

        func call() -> SetNotifications { SetNotifications(kind, isOn: false) }
    }

    /// `undersong notifications allow`
    struct Allow: NotificationsCallVerb {
        static let purpose = "allow notifications"
        static let configuration = described("allow", "Allow an app to show notifications.")
        @Argument(help: "The app's identifier, as shown by 'undersong app list'.") var app: String
        @OptionGroup var options: SessionOptions

        func call() -> AuthorizeNotifications { AuthorizeNotifications(app, isAllowed: true) }
    }

    /// `undersong notifications forbid`
    struct Forbid: NotificationsCallVerb {
        static let purpose = "forbid notifications"
        static let configuration = described(
            "forbid", "Forbid an app to show notifications, and remove its own and its badge.")
        @Argument(help: "The app's identifier, as shown by 'undersong app list'.") var app: String
        @OptionGroup var options: SessionOptions

        func call() -> AuthorizeNotifications { AuthorizeNotifications(app, isAllowed: false) }
    }
}

extension NotificationKind: Choice {}

/// A verb that shows the state of notifications.
protocol NotificationsCallVerb: CallVerb where Call.Reply == NotificationStatus {}

extension NotificationsCallVerb {
    static func text(_ status: NotificationStatus) -> String { NotificationText.screen(status) }
}

/// Formats the state of notifications.
enum NotificationText {
    /// One line each: the server, the kinds, the apps and the badges.
    static func screen(_ status: NotificationStatus) -> String {
        var rows = [
            ("server", status.server.map(Columns.printable) ?? "none"),
            ("problem", status.problem.map(Columns.printable) ?? ""),
            ("buttons", status.server == nil || hasButtons(status) ? "" : "none on this server"),
            ("on", list(status.kinds.map(\.word))),
            (
                "off",
                list(NotificationKind.allCases.filter { !isOn($0, status) }.map(\.rawValue))
            ),
        ]
        rows += status.apps.sorted { $0.key < $1.key }.map { app, permission in
            (Columns.printable(app), words(permission))
        }
        rows += status.badges.sorted { $0.key < $1.key }.map { app, badge in
            ("badge of \(Columns.printable(app))", String(badge))
        }
        rows.removeAll { $0.1.isEmpty }
        let names = Columns.aligned(rows.map(\.0))
        return zip(names, rows).map { "\($0)  \($1.1)" }.joined(separator: "\n")
    }

    private static func hasButtons(_ status: NotificationStatus) -> Bool {
        status.capabilities.contains("actions")
    }

    private static func isOn(_ kind: NotificationKind, _ status: NotificationStatus) -> Bool {
        status.kinds.contains(.known(kind))
    }

    private static func list(_ words: [String]) -> String {
        words.isEmpty ? "nothing" : words.map(Columns.printable).joined(separator: ", ")
    }

    private static func words(_ permission: Open<NotificationAuthorization>) -> String {
        switch permission {
        case .known(.authorized): "allowed"
        case .known(.denied): "forbidden"
        case .known(.notDetermined): "has not asked"
        case .unknown(let word): Columns.printable(word)
        }
    }
}

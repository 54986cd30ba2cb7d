import UndersongBase
package import UndersongPlayback
package import UndersongPodcasts

/// An action of the service's own notifications.
package enum NotificationAction: String, CaseIterable, Sendable {
    /// Download the episode.
    case download
    /// Play the downloaded episode.
    case play
    case pause
    case next

    fileprivate var action: UserNotification.Action {
        let title =
            switch self {
            case .download: "Download"
            case .play: "Play"
            case .pause: "Pause"
            case .next: "Next"
            }
        return UserNotification.Action(rawValue, title: title)
    }
}

/// The notifications of the service itself.
extension UserNotification {
    private static let episodePrefix = "episode "

    /// Creates the notification of an episode that is new, or whose download has ended; nil for another
    /// change. The later one replaces the earlier one.
    package init?(_ report: EpisodeReport) {
        let identifier = Self.episodePrefix + String(report.episode)
        switch report.phase {
        case .available where report.isNew == true:
            self.init(
                identifier, title: report.podcast, body: report.title,
                actions: [NotificationAction.download.action])
        case .downloaded:
            self.init(
                identifier, title: report.title, subtitle: report.podcast, body: "Downloaded",
                actions: [NotificationAction.play.action])
        case .failed:
            self.init(
                identifier, title: report.title, subtitle: report.podcast,
                body: "The download has failed" + (report.problem.map { ": \($0)" } ?? ""),
                actions: [NotificationAction.download.action])
        case .available, .wanted, .removed, .notPlayable: return nil
        }
    }

    /// The episode of a notification by its identifier; nil if it is about something else.
    package static func episode(of identifier: String) -> Int? {
        guard identifier.hasPrefix(episodePrefix) else { return nil }
        return Int(identifier.dropFirst(episodePrefix.count))
    }

    /// Creates the notification of an item that begins, in place of the one before.
    package init(_ item: QueueItem, _ description: MediaDescription?) {
        let tags = description?.tags ?? [:]
        let parts = ["artist", "album"].compactMap { tags[$0] }.filter { !$0.isEmpty }
        self.init(
            "item", title: item.displayTitle, body: parts.joined(separator: " – "),
            actions: [NotificationAction.pause.action, NotificationAction.next.action])
    }

    /// Creates the notification of a push with an alert; nil if it has none, or is not for users. An
    /// alert without a title has `name` in its place.
    package init?(_ push: Push, number: Int, name: String) {
        let alert = PushAlert(push.payload)
        guard push.type != .background, alert.title != nil || alert.body != nil else { return nil }
        self.init(
            "push \(number)", title: alert.title ?? name, subtitle: alert.subtitle,
            body: alert.body ?? "", badge: alert.badge, hasSound: alert.hasSound)
    }
}

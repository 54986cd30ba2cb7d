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
        guard push.type != .background, let aps = push.payload.aps else { return nil }
        let alert = aps.object("alert")
        let body = aps.string("alert") ?? alert?.text("body", "loc-key")
        let title = alert?.text("title", "title-loc-key")
        guard title != nil || body?.isEmpty == false else { return nil }
        self.init(
            "push \(number)", title: title ?? name,
            subtitle: alert?.text("subtitle", "subtitle-loc-key"), body: body ?? "",
            badge: push.badge,
            hasSound: aps.string("sound") != nil || aps.object("sound") != nil)
    }
}

extension Push {
    /// The badge that the push sets; nil if it leaves the badge.
    package var badge: Int? {
        payload.aps?.number("badge").flatMap { Int(exactly: $0) }.map { max(0, $0) }
    }
}

extension PushPayload {
    fileprivate var aps: JSONObject? { JSONObject(bytes)?.object("aps") }
}

extension JSONObject {
    /// The text of a member, or the key of its localization where there is no text.
    fileprivate func text(_ name: String, _ key: String) -> String? {
        [string(name), string(key)].compactMap(\.self).first { !$0.isEmpty }
    }
}

/// The recent notifications of a group, such as the pushes of a topic. While it floods, one notification
/// counts the rest.
struct NotificationGroup: Hashable, Sendable {
    /// The most notifications within `floodTime` seconds that are shown one by one.
    static let floodLimit = 10
    static let floodTime = 60.0
    /// The seconds between two updates of what it shows while it floods.
    static let floodInterval = 2.0

    /// The times of the newest, at most `floodLimit`.
    private var times: [Double] = []
    /// The number that is only counted, and of those, the number that was shown last.
    private var held = 0
    private var shownHeld = 0
    /// The newest one that is only counted.
    private var newest: DesktopNotification?
    /// Newer contents of notifications that are shown, by their identifiers.
    private var replacements: [String: DesktopNotification] = [:]
    private var hasNews = false
    /// The time from which on an update may be shown; nil for at once.
    private(set) var nextUpdate: Double?

    /// True if there is nothing left to know about it.
    func isOver(at now: Double) -> Bool {
        nextUpdate == nil && (times.last ?? -.infinity) <= now - Self.floodTime
    }

    /// Adds a notification; `isPresent` says whether one with its key is shown. Returns false if it is to
    /// be shown now, and true if the next update has it.
    mutating func add(
        _ notification: DesktopNotification, isPresent: Bool, at now: Double
    ) -> Bool {
        let isFlooded = times.count == Self.floodLimit && times[0] > now - Self.floodTime
        times = (times + [now]).suffix(Self.floodLimit)
        guard isFlooded else {
            forgetHeld()
            replacements[notification.key.identifier] = nil
            return false
        }
        if isPresent {
            replacements[notification.key.identifier] = notification
        } else {
            held += 1
            newest = notification
        }
        hasNews = true
        return true
    }

    /// Returns what is to be shown of the group with this name, and allows the next update after a while;
    /// nothing without news.
    mutating func popUpdate(_ name: String, at now: Double) -> [DesktopNotification] {
        guard hasNews else {
            nextUpdate = nil
            return []
        }
        let contents = replacements.sorted { $0.key < $1.key }.map(\.value)
        let counted = held != shownHeld ? newest : nil
        replacements = [:]
        shownHeld = held
        hasNews = false
        nextUpdate = now + Self.floodInterval
        return contents + (counted.map { [Self.summary(held, $0, name)] } ?? [])
    }

    /// Removes what is to be shown of the notifications that `isMeant`. With `all`, those of an owner are
    /// not counted any longer.
    mutating func remove(
        of owner: String, all: Bool, where isMeant: (NotificationKey) -> Bool
    ) {
        replacements = replacements.filter { !isMeant($0.value.key) }
        if all, newest?.key.owner == owner { forgetHeld() }
    }

    private mutating func forgetHeld() { (held, shownHeld, newest) = (0, 0, nil) }

    /// The one notification that stands for others of its group.
    private static func summary(
        _ count: Int, _ newest: DesktopNotification, _ group: String
    ) -> DesktopNotification {
        let key = NotificationKey(
            owner: newest.key.owner, identifier: NotificationKey.summaryPrefix + group)
        let noun = count == 1 ? "notification" : "notifications"
        return DesktopNotification(
            key, application: newest.application,
            UserNotification(
                key.identifier, title: "\(count) more \(noun)", body: newest.content.title))
    }
}

extension NotificationKey {
    fileprivate static let summaryPrefix = "undersong.more."

    /// True if the notification stands for others of its group.
    var isSummary: Bool { identifier.hasPrefix(Self.summaryPrefix) }
}

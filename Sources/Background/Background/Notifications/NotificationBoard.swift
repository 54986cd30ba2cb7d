package import UndersongBase

/// Decides which notifications reach the user, and what becomes of their answers.
///
/// The service's own are shown by their kinds, those of apps by their permissions. Of a group that
/// floods, such as the pushes of a topic, one notification counts the rest.
package struct NotificationBoard: Machine {
    /// The most notifications of an owner that are shown at a time; the oldest are removed.
    package static let shownLimit = 100
    /// The most answers that wait for an app.
    package static let answerLimit = 20
    /// The kinds that are on until the user turns them off.
    package static let usualKinds: Set<NotificationKind> = [.episode, .push, .download]

    /// A notification that somebody wants to show.
    package struct Entry: Hashable, Sendable {
        package var notification: DesktopNotification
        /// The group that is counted together if it floods.
        package var group: String
        /// The kind, if it is the service's own.
        package var kind: NotificationKind?

        /// Creates the entry of one of the service's own.
        package init(
            _ content: UserNotification, kind: NotificationKind, group: String? = nil
        ) {
            let key = NotificationKey(
                owner: NotificationKey.service, identifier: content.identifier)
            notification = DesktopNotification(key, application: "Undersong", content)
            self.group = group ?? kind.rawValue
            self.kind = kind
        }

        /// Creates the entry of an app's, which users know by `name`.
        package init(_ content: UserNotification, app: String, name: String) {
            let key = NotificationKey(owner: app, identifier: content.identifier)
            notification = DesktopNotification(key, application: name, content)
            group = "app \(app)"
        }

        fileprivate var key: NotificationKey { notification.key }
    }

    package enum Input: MachineInput {
        /// The records of the last service, or that a change is not kept.
        case restored([Change])
        case set(NotificationKind, isOn: Bool)
        /// Shows a kind although it is off, until that is over.
        case override(NotificationKind, isOn: Bool)
        case permit(String, NotificationAuthorization)
        /// An app asks for its permission.
        case requested(String)
        /// The ticket is for the one who waits for it.
        case add(Entry, ticket: Int?)
        /// Removes notifications of an owner: those named, or all.
        case remove(owner: String, [String]?)
        case badge(app: String, Int)
        /// An app is not registered any longer.
        case forget(String)
        /// The show with this number has ended: a reason if it has failed.
        case shown(Int, problem: String?)
        /// The user has clicked a notification. `isConnected` says whether its app can be notified.
        case answered(NotificationKey, action: String?, token: String?, isConnected: Bool)
        case closed(NotificationKey, isDismissed: Bool, isConnected: Bool)
        /// An app can be notified.
        case connected(String)
        /// The server has ended.
        case lost
        case timePassed
    }

    package enum Effect: Hashable, Sendable {
        /// Keep a change; if that fails, `was` is how it was before.
        case keep(Change, was: Change)
        /// Show a notification; `shown` has this number.
        case show(DesktopNotification, number: Int)
        case close(NotificationKey)
        /// The notification of a ticket is shown, or one that counts it.
        case accept(Int)
        case refuse(Int, reason: String)
        /// Notify an app of an answer.
        case deliver(String, NotificationAnswered)
        /// Bring an app to the foreground.
        case open(String)
        /// Wake an app, or launch it, for an answer to this notification.
        case summon(String, notification: String)
        /// The user has chosen an action of one of the service's own notifications.
        case perform(notification: String, action: String?)
    }

    /// A change of what is kept.
    package enum Change: Codable, Hashable, Sendable {
        case kind(NotificationKind, isOn: Bool)
        case app(String, NotificationAuthorization)
        case badge(String, Int)

        /// The name of the record that keeps it, in place of the one before.
        package var key: String {
            switch self {
            case .kind(let kind, _): "kind \(kind.rawValue)"
            case .app(let app, _): "app \(app)"
            case .badge(let app, _): "badge \(app)"
            }
        }

        /// True if that record is not kept any longer, and none is in its place.
        package var isRemoval: Bool {
            switch self {
            case .kind: false
            case .app(_, let permission): permission == .notDetermined
            case .badge(_, let number): number == 0
            }
        }
    }

    /// A show that the server has not answered.
    private struct Show {
        var notification: DesktopNotification
        var ticket: Int?
        /// True if it was removed meanwhile.
        var isRemoved = false
    }

    /// The kinds that are on.
    package private(set) var kinds = Self.usualKinds
    private var overrides: Set<NotificationKind> = []
    package private(set) var permissions: [String: NotificationAuthorization] = [:]
    /// The badges of apps that are not 0.
    package private(set) var badges: [String: Int] = [:]
    /// The notifications that the server shows, oldest first.
    private var shown: [DesktopNotification] = []
    private var shows: [Int: Show] = [:]
    private var lastShow = 0
    private var groups: [String: NotificationGroup] = [:]
    private var waiting: [String: [NotificationAnswered]] = [:]
    private var effects: [Effect] = []

    package init() {}

    /// The permission of an app.
    package func permission(of app: String) -> NotificationAuthorization {
        permissions[app] ?? .notDetermined
    }

    /// The notifications of an owner that the server shows, oldest first.
    package func delivered(of owner: String) -> [UserNotification] {
        shown.filter { $0.key.owner == owner }.map(\.content)
    }

    /// True while an answer may come that somebody has to hear.
    package var expectsAnswers: Bool {
        !shows.isEmpty || !waiting.isEmpty
            || shown.contains { $0.key.owner != NotificationKey.service }
    }

    package func nextDue(at now: Double) -> Due {
        Due(boot: groups.values.compactMap(\.nextUpdate).min())
    }

    package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
        effects = []
        perform(input, at: now)
        groups = groups.filter { !$0.value.isOver(at: now) }
        return effects
    }

    private mutating func perform(_ input: Input, at now: Double) {
        switch input {
        case .restored(let changes): for change in changes { apply(change) }
        case .set(let kind, let isOn): keep(.kind(kind, isOn: isOn))
        case .override(let kind, let isOn):
            if isOn { overrides.insert(kind) } else { overrides.remove(kind) }
        case .permit(let app, let permission): permit(app, permission)
        case .requested(let app):
            if permission(of: app) == .notDetermined { permit(app, .authorized) }
        case .add(let entry, let ticket): add(entry, ticket, at: now)
        case .remove(let owner, let identifiers): remove(owner, identifiers)
        case .badge(let app, let number): keep(.badge(app, max(0, number)))
        case .forget(let app): forget(app)
        case .shown(let number, let problem): endShow(number, problem)
        case .answered(let key, let action, let token, let isConnected):
            guard removeShown(key) else { break }
            answer(key, action, token, isConnected)
        case .closed(let key, let isDismissed, let isConnected):
            guard removeShown(key), isDismissed, isConnected, !key.isSummary else { break }
            if key.owner != NotificationKey.service {
                let answer = NotificationAnswered(key.identifier, isDismissed: true)
                effects.append(.deliver(key.owner, answer))
            }
        case .connected(let app):
            effects += (waiting.removeValue(forKey: app) ?? []).map { .deliver(app, $0) }
        case .lost: shown = []
        case .timePassed:
            for (group, state) in groups.sorted(by: { $0.key < $1.key })
            where state.nextUpdate.map({ $0 <= now }) == true {
                show(groups[group]?.popUpdate(group, at: now) ?? [])
            }
        }
    }

    // MARK: Records

    private mutating func apply(_ change: Change) {
        switch change {
        case .kind(let kind, let isOn):
            if isOn { kinds.insert(kind) } else { kinds.remove(kind) }
        case .app(let app, let permission):
            permissions[app] = permission == .notDetermined ? nil : permission
        case .badge(let app, let number): badges[app] = number == 0 ? nil : number
        }
    }

    private mutating func keep(_ change: Change) {
        let old: Change =
            switch change {
            case .kind(let kind, _): .kind(kind, isOn: kinds.contains(kind))
            case .app(let app, _): .app(app, permission(of: app))
            case .badge(let app, _): .badge(app, badges[app] ?? 0)
            }
        guard change != old else { return }
        apply(change)
        effects.append(.keep(change, was: old))
    }

    private mutating func permit(_ app: String, _ permission: NotificationAuthorization) {
        keep(.app(app, permission))
        guard permission != .authorized else { return }
        keep(.badge(app, 0))
        remove(app, nil)
    }

    private mutating func forget(_ app: String) {
        permit(app, .notDetermined)
        waiting[app] = nil
    }

    // MARK: Showing

    private mutating func add(_ entry: Entry, _ ticket: Int?, at now: Double) {
        if let kind = entry.kind {
            guard kinds.contains(kind) || overrides.contains(kind) else { return }
        } else if permission(of: entry.key.owner) != .authorized {
            return refuse(ticket, "the user has not allowed it")
        } else if let badge = entry.notification.content.badge {
            keep(.badge(entry.key.owner, max(0, badge)))
        }
        var group = groups[entry.group] ?? NotificationGroup()
        defer { groups[entry.group] = group }
        guard group.add(entry.notification, isPresent: isPresent(entry.key), at: now) else {
            return show(entry.notification, ticket)
        }
        if let ticket { effects.append(.accept(ticket)) }
        if group.nextUpdate == nil { show(group.popUpdate(entry.group, at: now)) }
    }

    /// Shows the update of a group, if there is any.
    private mutating func show(_ update: [DesktopNotification]) {
        for notification in update { show(notification, nil) }
    }

    private func isPresent(_ key: NotificationKey) -> Bool {
        shown.contains { $0.key == key }
            || shows.values.contains { $0.notification.key == key && !$0.isRemoved }
    }

    private mutating func show(_ notification: DesktopNotification, _ ticket: Int?) {
        lastShow += 1
        shows[lastShow] = Show(notification: notification, ticket: ticket)
        effects.append(.show(notification, number: lastShow))
    }

    private mutating func endShow(_ number: Int, _ problem: String?) {
        guard let show = shows.removeValue(forKey: number) else { return }
        if let problem { return refuse(show.ticket, problem) }
        if let ticket = show.ticket { effects.append(.accept(ticket)) }
        guard !show.isRemoved else { return }
        let key = show.notification.key
        removeShown(key)
        shown.append(show.notification)
        let owned = shown.filter { $0.key.owner == key.owner }
        for old in owned.dropLast(Self.shownLimit) {
            removeShown(old.key)
            effects.append(.close(old.key))
        }
    }

    private mutating func refuse(_ ticket: Int?, _ reason: String) {
        if let ticket { effects.append(.refuse(ticket, reason: reason)) }
    }

    private mutating func remove(_ owner: String, _ identifiers: [String]?) {
        func isMeant(_ key: NotificationKey) -> Bool {
            key.owner == owner && identifiers.map { $0.contains(key.identifier) } ?? true
        }
        var keys = shown.map(\.key).filter(isMeant)
        shown.removeAll { isMeant($0.key) }
        for (number, show) in shows.sorted(by: { $0.key < $1.key })
        where isMeant(show.notification.key) && !show.isRemoved {
            shows[number]?.isRemoved = true
            if !keys.contains(show.notification.key) { keys.append(show.notification.key) }
        }
        effects += keys.map { .close($0) }
        groups = groups.mapValues { group in
            var group = group
            group.remove(of: owner, all: identifiers == nil, where: isMeant)
            return group
        }
    }

    /// Forgets a notification. Returns false if it was not shown.
    @discardableResult
    private mutating func removeShown(_ key: NotificationKey) -> Bool {
        guard let index = shown.firstIndex(where: { $0.key == key }) else { return false }
        shown.remove(at: index)
        return true
    }

    // MARK: Answers

    private mutating func answer(
        _ key: NotificationKey, _ action: String?, _ token: String?, _ isConnected: Bool
    ) {
        let app = key.owner
        guard app != NotificationKey.service else {
            if !key.isSummary {
                effects.append(.perform(notification: key.identifier, action: action))
            }
            return
        }
        if !key.isSummary {
            var answer = NotificationAnswered(key.identifier, action: action)
            answer.token = token
            if isConnected {
                // It is there before the app is woken for it.
                effects.append(.deliver(app, answer))
            } else {
                waiting[app] = ((waiting[app] ?? []) + [answer]).suffix(Self.answerLimit)
            }
        }
        effects.append(
            action == nil ? .open(app) : .summon(app, notification: key.identifier))
    }
}

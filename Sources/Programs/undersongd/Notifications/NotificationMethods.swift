package import UndersongBackground
import UndersongBase

extension NotificationsFeature {
    static let notificationMethods: [WireMethod] = [
        WireMethod(GetNotificationStatus.self) { frontEnd, _, _ in
            await frontEnd.player.notificationStatus
        },
        WireMethod(SetNotifications.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.setNotifications(call.kind, isOn: call.isOn)
            return await frontEnd.player.notificationStatus
        },
        WireMethod(AuthorizeNotifications.self) { frontEnd, call, _ async throws(ServiceError) in
            try await frontEnd.player.authorizeNotifications(of: call.app, call.isAllowed)
            return await frontEnd.player.notificationStatus
        },
        WireMethod(RequestNotifications.self) { frontEnd, _, origin async throws(ServiceError) in
            try await frontEnd.player.requestNotifications(of: origin.client.id)
        },
        WireMethod(GetNotificationPermission.self) {
            frontEnd, _, origin async throws(ServiceError) in
            try await frontEnd.player.notificationPermission(of: origin.client.id)
        },
        WireMethod(AddNotification.self) { frontEnd, call, origin async throws(ServiceError) in
            try await frontEnd.player.add(call.notification, of: origin.client.id)
            return Nothing()
        },
        WireMethod(RemoveNotifications.self) { frontEnd, call, origin async throws(ServiceError) in
            try await frontEnd.player.removeNotifications(
                call.identifiers, of: origin.client.id)
            return Nothing()
        },
        WireMethod(GetNotifications.self) { frontEnd, _, origin async throws(ServiceError) in
            DeliveredNotifications(
                try await frontEnd.player.notifications(of: origin.client.id))
        },
        WireMethod(SetBadge.self) { frontEnd, call, origin async throws(ServiceError) in
            try await frontEnd.player.setBadge(call.number, of: origin.client.id)
            return Nothing()
        },
    ]
}

extension NotificationBoard {
    fileprivate func permissionAndBadge(of app: String) -> NotificationPermission {
        NotificationPermission(permission(of: app), badge: badges[app] ?? 0)
    }
}

extension PlayerService {
    private var notifications: NotificationsFeature { feature(NotificationsFeature.self) }

    // MARK: For users

    /// The notification server, the permissions and the badges.
    package var notificationStatus: NotificationStatus {
        get async {
            await notifications.ready()
            let found = await notifications.findServer()
            let board = notifications.board
            var badges = board.badges
            let badge = feature(RefreshFeature.self).badge
            if badge > 0 { badges[NotificationKey.service] = badge }
            var status = NotificationStatus(
                kinds: NotificationKind.allCases.filter(board.kinds.contains), badges: badges,
                apps: board.permissions)
            switch found {
            case .success(let server):
                (status.server, status.capabilities) = (server.name, server.capabilities)
            case .failure(let problem): status.problem = problem.reason
            }
            return status
        }
    }

    /// Turns notifications of a kind on or off. Returns when that is on the disk.
    ///
    /// - Throws: The disk does not accept it.
    package func setNotifications(
        _ kind: NotificationKind, isOn: Bool
    ) async throws(ServiceError) {
        try await notifications.change(
            .set(kind, isOn: isOn),
            to: "turn notifications of the kind \(kind.rawValue) \(isOn ? "on" : "off")")
    }

    /// Allows an app to notify the user, or forbids it. Returns when that is on the disk.
    ///
    /// - Throws: There is no such app, or the disk does not accept it.
    package func authorizeNotifications(
        of app: String, _ isAllowed: Bool
    ) async throws(ServiceError) {
        let purpose = "\(isAllowed ? "allow" : "forbid") notifications of \(app)"
        let apps = feature(AppsFeature.self)
        await apps.ready()
        guard apps.apps[app] != nil else {
            throw ServiceError(.notFound, purpose, "there is no such app")
        }
        try await notifications.change(
            .permit(app, isAllowed ? .authorized : .denied), to: purpose)
    }

    // MARK: For apps

    /// Gives an app that nobody has allowed or forbidden to notify the user the permission. Returns
    /// the permission when it is on the disk.
    ///
    /// - Throws: The client is not an app, or the disk does not accept it.
    package func requestNotifications(
        of client: ClientID
    ) async throws(ServiceError) -> NotificationPermission {
        let purpose = "ask to notify the user"
        let app = try await app(of: client, to: purpose)
        try await notifications.change(.requested(app), to: purpose)
        return notifications.board.permissionAndBadge(of: app)
    }

    /// The permission of a client's app, and its badge.
    ///
    /// - Throws: The client is not an app.
    package func notificationPermission(
        of client: ClientID
    ) async throws(ServiceError) -> NotificationPermission {
        let app = try await app(of: client, to: "find the permission to notify the user")
        return notifications.board.permissionAndBadge(of: app)
    }

    /// Shows a notification of a client's app. Returns when the notification server has it.
    ///
    /// - Throws: The client is not an app or has no permission, or the server does not show it.
    package func add(
        _ notification: UserNotification, of client: ClientID
    ) async throws(ServiceError) {
        let purpose = "show the notification \(notification.identifier)"
        let app = try await app(of: client, to: purpose)
        let name = feature(AppsFeature.self).apps[app]?.name ?? app
        let entry = NotificationBoard.Entry(notification, app: app, name: name)
        if let problem = await notifications.show(entry) {
            throw ServiceError(.notPossible, purpose, problem.reason)
        }
    }

    /// Removes notifications of a client's app: those named, or all for nil.
    ///
    /// - Throws: The client is not an app.
    package func removeNotifications(
        _ identifiers: [String]?, of client: ClientID
    ) async throws(ServiceError) {
        let app = try await app(of: client, to: "remove notifications")
        await notifications.settle(.remove(owner: app, identifiers))
    }

    /// The notifications of a client's app that the server shows, oldest first.
    ///
    /// - Throws: The client is not an app.
    package func notifications(
        of client: ClientID
    ) async throws(ServiceError) -> [UserNotification] {
        notifications.board.delivered(of: try await app(of: client, to: "list notifications"))
    }

    /// Sets the badge of a client's app. Returns when that is on the disk.
    ///
    /// - Throws: The client is not an app or has no permission, or the disk does not accept it.
    package func setBadge(_ number: Int, of client: ClientID) async throws(ServiceError) {
        let purpose = "set the badge"
        let app = try await app(of: client, to: purpose)
        guard notifications.board.permission(of: app) == .authorized else {
            throw ServiceError(.notPossible, purpose, "the user has not allowed it")
        }
        try await notifications.change(.badge(app: app, number), to: purpose)
    }

    private func app(
        of client: ClientID, to purpose: String
    ) async throws(ServiceError) -> String {
        await notifications.ready()
        guard let app = feature(AppsFeature.self).app(of: client) else {
            throw ServiceError(.notPossible, purpose, "the program is not an app")
        }
        return app
    }

    // MARK: For other features

    /// Forgets the permission, the badge and the notifications of an app, also those that it keeps in
    /// its file.
    func forgetNotifications(of app: String) async {
        await notifications.ready()
        // If the disk does not accept it, the next app of that name has its permission.
        try? await notifications.change(.forget(app), to: "forget \(app)")
        if let folder = configuration.stateFolder {
            RecordFile<Nothing>(NotificationFile.path(of: app, in: folder)).remove()
        }
    }

    /// Shows the alert of a push to the user, if it has one: to the service, or to an app that is not
    /// in front.
    func showAlert(of push: Push, number: Int) async {
        await notifications.ready()
        let apps = feature(AppsFeature.self)
        let badge = PushAlert(push.payload).badge
        if let app = apps.apps[push.topic] {
            guard apps.state(of: push.topic) != .active else { return }
            if let content = UserNotification(push, number: number, name: app.name) {
                let name = app.name
                notifications.add(
                    NotificationBoard.Entry(content, app: push.topic, name: name))
            } else if let badge,
                notifications.board.permission(of: push.topic) == .authorized
            {
                await notifications.settle(.badge(app: push.topic, badge))
            }
            return
        }
        if let badge, host.state == .background {
            feature(RefreshFeature.self).handle(
                .host(.service, .scheduler(.news(badge: badge))))
        }
        let name = push.topic == Push.standardTopic ? "Undersong" : push.topic
        guard let content = UserNotification(push, number: number, name: name) else { return }
        notifications.add(
            NotificationBoard.Entry(content, kind: .push, group: "push \(push.topic)"))
    }
}

import UndersongBackground

/// The calls of a notification server, as the Desktop Notifications Specification 1.2 defines them.
enum NotificationRequest {
    static let service = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"
    /// The key of the action that stands for a click of the notification itself.
    private static let clickKey = "default"
    private static let actionPrefix = "action:"
    /// The most characters of a title and of a body: servers have shown megabytes.
    private static let titleLimit = 200
    private static let bodyLimit = 4000

    static func information() -> BusRequest { request("GetServerInformation", []) }

    static func capabilities() -> BusRequest { request("GetCapabilities", []) }

    static func close(_ id: UInt32) -> BusRequest { request("CloseNotification", [.uint32(id)]) }

    /// A request to show a notification, in place of the one with the id `old`, by a server that can do
    /// so much.
    static func show(
        _ notification: DesktopNotification, replacing old: UInt32?, capabilities: [String]
    ) -> BusRequest {
        let content = notification.content
        let lines = [content.subtitle, content.body].compactMap(\.self).filter { !$0.isEmpty }
        var (title, body) = (content.title, lines.joined(separator: "\n"))
        if !capabilities.contains("body") {
            (title, body) = (([title] + lines).joined(separator: ": "), "")
        }
        title = cleaned(title, limit: titleLimit).split(separator: "\n").joined(separator: " ")
        body = cleaned(body, limit: bodyLimit)
        if capabilities.contains("body-markup") { body = escaped(body) }
        return request(
            "Notify",
            [
                .string(cleaned(notification.application, limit: titleLimit)),
                .uint32(old ?? 0), .string("audio-x-generic"), .string(title), .string(body),
                .strings(capabilities.contains("actions") ? actions(of: notification) : []),
                .dictionary(hints(of: content)), .int32(-1),
            ])
    }

    /// The keys and texts of the buttons. An app opens when its notification is clicked.
    private static func actions(of notification: DesktopNotification) -> [String] {
        let opens = notification.key.owner != NotificationKey.service
        return (opens ? [clickKey, "Open"] : [])
            + notification.content.actions.flatMap { action in
                [actionPrefix + action.identifier, cleaned(action.title, limit: titleLimit)]
            }
    }

    /// The identifier of the action with this key, which is nil for the notification itself; nothing
    /// for a key that was not given to the server.
    static func action(ofKey key: String) -> String?? {
        if key == clickKey { return .some(nil) }
        guard key.hasPrefix(actionPrefix) else { return nil }
        return .some(String(key.dropFirst(actionPrefix.count)))
    }

    private static func hints(of content: UserNotification) -> [String: BusValue] {
        var hints: [String: BusValue] = [
            "desktop-entry": .string("net.undersong.undersong"), "urgency": .byte(1),
        ]
        if content.hasSound {
            hints["sound-name"] = .string("message-new-instant")
        } else {
            hints["suppress-sound"] = .boolean(true)
        }
        return hints
    }

    private static func request(_ member: String, _ arguments: [BusValue]) -> BusRequest {
        BusRequest(
            service: service, path: path, interface: service, member: member, arguments,
            startsService: true)
    }

    /// The text without control characters other than line feeds, which D-Bus or servers refuse.
    private static func cleaned(_ text: String, limit: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars
        where scalar == "\n" || scalar.properties.generalCategory != .control {
            scalars.append(scalar)
        }
        let cleaned = String(scalars)
        guard
            let end = cleaned.index(
                cleaned.startIndex, offsetBy: limit, limitedBy: cleaned.endIndex),
            end != cleaned.endIndex
        else { return cleaned }
        return cleaned[..<end] + "…"
    }

    private static func escaped(_ text: String) -> String {
        let escapes: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return text.map { escapes[$0] ?? String($0) }.joined()
    }
}

/// The signal by which docks show a number at a program's icon.
enum LauncherEntry {
    /// The name that docks have on the bus.
    static let dock = "com.canonical.Unity"

    static func update(badge: Int) -> BusSignal {
        BusSignal(
            path: "/net/undersong/undersong", interface: "com.canonical.Unity.LauncherEntry",
            member: "Update",
            [
                .string("application://net.undersong.undersong.desktop"),
                .dictionary([
                    "count": .int64(Int64(badge)), "count-visible": .boolean(badge > 0),
                ]),
            ])
    }
}

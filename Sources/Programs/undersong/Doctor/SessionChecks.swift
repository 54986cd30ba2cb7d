import UndersongBackground
import UndersongLocation

/// Checks what a service that is running depends on.
enum SessionCheck {
    /// The findings for a session's service; none for what it does not use.
    static func findings(_ session: String) -> [Finding] {
        guard let service = try? Service(to: "look", session: session) else { return [] }
        let pushes = service.answer(to: GetPushStatus(), within: 2)
        let locations = service.answer(to: GetLocationStatus(), within: 2)
        return [
            pushes.flatMap { PushCheck.finding($0, session: session) },
            locations.flatMap { LocationCheck.finding($0, session: session) },
        ].compactMap { $0 }
    }
}

/// Checks whether pushes can wake the services that are running.
enum PushCheck {
    /// The finding for a service; nil if it has nothing to do with pushes.
    static func finding(_ status: PushStatus, session: String) -> Finding? {
        let isUsed =
            status.provider != .known(.local) || status.programs > 0 || !status.waiting.isEmpty
            || status.counts.received > 0
        guard isUsed else { return nil }
        let subject = "pushes of \(session)"
        let option = session == SessionName.standard ? "" : " --session \(session)"
        guard status.declared else {
            return .note(
                subject, "the mode remote-notification is not declared, so that they wake nothing",
                "undersong capability remote-notification on\(option)")
        }
        if let trouble = status.subscription.flatMap({ PushText.trouble($0).first }) {
            return .note(subject, trouble, "undersong push status\(option)")
        }
        if status.subscription?.startable == false {
            return .note(
                subject,
                "the session bus cannot start undersong-transferd for them, so that some "
                    + "distributors end the registration",
                "install Resources/dbus/net.undersong.undersong.service as "
                    + "Documentation/manual/service.md says")
        }
        guard let first = status.waiting.first else {
            return .good(
                subject, "they come from \(PushText.provider(status)), and none is waiting")
        }
        return .note(subject, PushText.line(first), "undersong push status\(option)")
    }
}

/// Checks whether the services that are running get the locations that they are to follow.
enum LocationCheck {
    /// The finding for a service; nil if it has nothing to do with locations.
    static func finding(_ status: LocationStatus, session: String) -> Finding? {
        guard status.settings.isUpdating || !status.places.isEmpty else { return nil }
        let subject = "locations of \(session)"
        let option = session == SessionName.standard ? "" : " --session \(session)"
        switch status.sourceState {
        case .available, .searching: return .good(subject, LocationText.source(status))
        case .closed, .unavailable, .denied:
            return .note(
                subject, LocationText.source(status), "undersong location status\(option)")
        }
    }
}

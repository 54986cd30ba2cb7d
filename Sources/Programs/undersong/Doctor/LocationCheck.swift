import UndersongCommandOptions
import UndersongLocation

/// Checks whether the services that are running get the locations that they are to follow.
enum LocationCheck {
    /// The findings for the services of these sessions; none where locations are not used.
    static func findings(sessions: [String]) -> [Finding] {
        sessions.compactMap { session in
            guard let service = try? Service(to: "look", session: session),
                let status = service.answer(to: GetLocationStatus(), within: 2)
            else { return nil }
            return finding(status, session: session)
        }
    }

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

import UndersongCommandOptions
import UndersongControl

/// Checks whether the services that are running get the locations that they are to follow.
enum LocationCheck {
    /// The findings for the services of these sessions; none where locations are not used.
    static func findings(sessions: [String]) -> [Finding] {
        sessions.compactMap { session in
            guard let service = try? Service(to: "look", session: session),
                let state = service.answer(to: LocationCall(.status), within: 2)?.state
            else { return nil }
            return finding(state, session: session)
        }
    }

    /// The finding for a service; nil if it has nothing to do with locations.
    static func finding(_ state: LocationState, session: String) -> Finding? {
        guard state.updating || !state.places.isEmpty else { return nil }
        let subject = "locations of \(session)"
        let option = session == SessionName.standard ? "" : " --session \(session)"
        switch state.sourceState {
        case "available", "searching": return .good(subject, LocationText.source(state))
        default:
            return .note(
                subject, LocationText.source(state), "undersong location status\(option)")
        }
    }
}

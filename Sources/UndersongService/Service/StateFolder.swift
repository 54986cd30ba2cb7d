import FoundationEssentials

/// Where a session's queue and place are kept: the user's folder for state.
enum StateFolder {
    /// Nil where the environment names no folder at all.
    static func path(session: String) -> String? {
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return state + "/undersong/" + session
        }
        return environment["HOME"].map { $0 + "/.local/state/undersong/" + session }
    }
}

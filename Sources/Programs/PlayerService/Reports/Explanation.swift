package import UndersongAudioSession
package import UndersongBackground
package import UndersongLocation
package import UndersongStore

/// Why there is or is no sound: everything that has an influence on it.
package struct Explanation: Sendable {
    /// A client whose state counts.
    package struct HostClient: Sendable {
        /// The client's name; nil if it gave none, or has gone.
        package var name: String?
        /// The client's process id; nil if unknown.
        package var process: Int32?
        /// The client's state.
        package var state: ApplicationState
        /// Where that was observed.
        package var source: String
    }

    /// The state of the sound server.
    package struct Sound: Sendable {
        /// The server and its devices.
        package var report: SoundReport
        /// Since when no server answers, in nanoseconds of CLOCK_MONOTONIC; nil if one answers, or
        /// the loss was not noticed.
        package var lostSince: Int64?
    }

    /// What the session says of itself.
    package var report: SessionReport
    /// What the player is doing.
    package var status: PlayerStatus
    /// The clients whose states make up the host's.
    package var hostClients: [HostClient]
    /// The host state set by the user; nil if none.
    package var hostOverride: ApplicationState?
    /// The state of the login session.
    package var login: LoginState
    /// The names of the finite-length tasks that keep the host running.
    package var tasks: [String]
    /// The seconds that they have left; nil in the foreground.
    package var timeRemaining: Double?
    /// The sound server; nil if the output does not use one.
    package var sound: Sound?
    /// Locations, if anything of them is wanted.
    package var locations: LocationStatus?
    /// Remote notifications, if any are waiting.
    package var pushes: PushStatus?
    /// Why the queue cannot be saved to disk; nil if it can.
    package var storeTrouble: StoreTrouble?
}

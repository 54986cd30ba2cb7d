package import AudioSession
package import Background
package import Store

/// Why there is sound, or none: everything that has a say in it.
package struct Explanation: Sendable {
    /// A client whose state counts.
    package struct HostClient: Sendable {
        /// What it calls itself; nil: it has not said so, or has gone.
        package var name: String?
        /// Its process; nil: unknown.
        package var process: Int32?
        /// Where it is.
        package var state: ApplicationState
        /// Where that was seen.
        package var source: String
    }

    /// What the sound server has to do with it.
    package struct Sound: Sendable {
        /// The server and its devices.
        package var report: SoundReport
        /// Nanoseconds of CLOCK_MONOTONIC since which no server answers; nil: one does, or nobody
        /// has noticed.
        package var lostSince: Int64?
    }

    /// What the player does.
    package var status: PlayerStatus
    /// The clients whose states make the host's.
    package var hostClients: [HostClient]
    /// What the user has said of the host; nil: nothing.
    package var hostOverride: ApplicationState?
    /// What the login session says.
    package var login: LoginState
    /// Finite-length tasks that keep the host running, by name.
    package var tasks: [String]
    /// Seconds that they have left; nil in the foreground.
    package var timeRemaining: Double?
    /// The sound server; nil: the sound does not go to one.
    package var sound: Sound?
    /// Why the queue cannot be kept on the disk; nil: it is.
    package var storeTrouble: StoreTrouble?
}

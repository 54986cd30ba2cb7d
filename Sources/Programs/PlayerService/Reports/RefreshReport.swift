package import UndersongBackground

/// What is known of background fetches, refreshes and processing.
package struct RefreshReport: Sendable {
    package var interval: FetchInterval
    /// What is wanted, the next first.
    package var outlook: [RefreshScheduler.Outlook]
    package var running: [RefreshTask]
    /// The last runs, the latest first.
    package var runs: [RefreshRun]
    package var time: ScheduleTime
    package var availability: RefreshAvailability
    /// What the user would have to declare for fetches: the mode, the identifier.
    package var missing: [String]
    /// What counts where services of the machine do not answer.
    package var fallbacks: [String]
    /// Whether processing is done within two days.
    package var isPromised: Bool
    package var isShutDown: Bool
    package var badge: Int
}

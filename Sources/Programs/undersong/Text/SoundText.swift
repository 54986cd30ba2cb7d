import UndersongBackground
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Formats events about interruptions, devices and the sound server.
enum SoundText {
    /// The line for an event that explains why the sound stops, resumes or changes its device; nil
    /// for others.
    static func line(_ event: PlayerEvent) -> String? {
        switch event.kind {
        case .mediaServicesWereLost(let reason):
            "The sound server is gone: \(Columns.printable(reason)). Waiting for it ..."
        case .mediaServicesWereReset: "The sound server is back."
        case .routeChanged(let change): route(change, event.head.status)
        case .interruption(let event): interruption(event)
        default: nil
        }
    }

    /// `by a call (Ekiga)`
    static func interruption(_ source: InterruptionSource) -> String {
        switch source {
        case .call(let application):
            "by a call" + (application.isEmpty ? "" : " (\(Columns.printable(application)))")
        case .session(let name): "by the session \(Columns.printable(name))"
        case .command: "by 'undersong interrupt'"
        case .sleep: "by the machine's sleep"
        }
    }

    private static func interruption(_ event: InterruptionEvent) -> String {
        if event.hasBegun {
            return "Interrupted \(interruption(event.source))."
        }
        return event.shouldResume
            ? "The interruption is over." : "The interruption is over; playback does not resume."
    }

    private static func route(_ change: RouteChange, _ status: PlayingState) -> String? {
        let new = change.current.map { device($0) }
        switch change.reason {
        case .oldDeviceUnavailable, .noSuitableRouteForCategory:
            guard let old = change.previous else { return "There is no device to play on." }
            return "\(device(old)) is gone: \(outcome(status, new))."
        case .newDeviceAvailable, .override: return new.map { "The sound goes to \($0)." }
        case .unknown, .categoryChange, .wakeFromSleep, .routeConfigurationChange: return nil
        }
    }

    private static func outcome(_ status: PlayingState, _ device: String?) -> String {
        switch status {
        case .paused: "paused"
        case .waiting: "waiting for a device"
        case .playing: device.map { "the sound goes to \($0)" } ?? "waiting for a device"
        }
    }

    private static func device(_ device: OutputDevice) -> String {
        "\(Columns.printable(device.description)) (\(device.port.rawValue))"
    }
}

import UndersongCommandOptions
import UndersongControl

/// Formats events about interruptions, devices and the sound server.
enum SoundText {
    /// The line for an event that explains why the sound stops, resumes or changes its device; nil
    /// for others.
    static func line(_ event: PlayerEvent) -> String? {
        switch event.kind {
        case .mediaServicesWereLost:
            "The sound server is gone: \(printable(event.head.reason)). Waiting for it ..."
        case .mediaServicesWereReset: "The sound server is back."
        case .routeChange(let change): route(change, event.head)
        case .interruption(let event): interruption(event)
        default: nil
        }
    }

    /// `by a call (Ekiga)`
    static func interruption(_ source: String, by name: String?) -> String {
        switch source {
        case "call": "by a call" + (name.map { " (\(Columns.printable($0)))" } ?? "")
        case "session": "by the session \(printable(name))"
        case "command": "by 'undersong interrupt'"
        case "sleep": "by the machine's sleep"
        default: "by \(Columns.printable(source))"
        }
    }

    private static func interruption(_ event: PlayerEvent.Interruption) -> String {
        if event.type == "began" {
            return "Interrupted \(interruption(event.source, by: event.by))."
        }
        return event.shouldResume == true
            ? "The interruption is over." : "The interruption is over; playback does not resume."
    }

    private static func route(_ change: PlayerEvent.RouteChange, _ head: PlayerEvent.Head)
        -> String?
    {
        let new = change.route.map { device($0) }
        switch head.reason {
        case "oldDeviceUnavailable", "noSuitableRouteForCategory":
            guard let old = change.previous else { return "There is no device to play on." }
            return "\(device(old)) is gone: \(outcome(head.status, new))."
        case "newDeviceAvailable", "override": return new.map { "The sound goes to \($0)." }
        default: return nil
        }
    }

    private static func outcome(_ status: String, _ device: String?) -> String {
        switch status {
        case "paused": "paused"
        case "waiting": "waiting for a device"
        default: device.map { "the sound goes to \($0)" } ?? "waiting for a device"
        }
    }

    private static func device(_ device: PlayerEvent.Device) -> String {
        "\(Columns.printable(device.description)) (\(Columns.printable(device.port)))"
    }

    private static func printable(_ text: String?) -> String {
        Columns.printable(text ?? "unknown")
    }
}

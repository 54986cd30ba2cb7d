import UndersongBackground
import UndersongBase
import UndersongCommandOptions
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
        if event.hasBegun { return "Interrupted \(interruption(event.source))." }
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

/// Unusual volume and rate, in a word each: a user who hears nothing looks at the line first.
enum SoundMarks {
    /// The mark for a device that is muted or at volume 0.
    static let deviceSilent = "device muted"

    /// `repeat all`, `shuffle`, `will stop after this item`; empty if nothing is unusual.
    static func modes(repeat mode: RepeatMode?, isShuffled: Bool, stopAfter: StopCondition?)
        -> [String]
    {
        var marks: [String] = []
        if let mode, mode != .off { marks.append("repeat \(mode.rawValue)") }
        if isShuffled { marks.append("shuffle") }
        if let stopAfter { marks.append(SleepText.stop(after: stopAfter)) }
        return marks
    }

    /// `sleep 23:15` or `fading out`; nil if no sleep timer is running.
    static func sleep(_ sleep: SleepReport) -> String? {
        sleep.time.map { time in
            sleep.fading == true ? "fading out" : "sleep \(ClockText.timeOfDay(time))"
        }
    }

    /// `muted`, `vol 0`, `1.1×`; empty if nothing is unusual. The volume is in percent.
    static func marks(volume: Double, isMuted: Bool, rate: Double) -> [String] {
        var marks: [String] = []
        if isMuted { marks.append("muted") }
        if numberText(volume) == "0" { marks.append("vol 0") }
        if numberText(rate) != "1" { marks.append("\(numberText(rate))×") }
        return marks
    }
}

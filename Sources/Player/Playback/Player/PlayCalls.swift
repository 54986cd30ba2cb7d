import UndersongBase

/// The destination of a run's sound.
package enum OutputChoice: Codable, Hashable, Sendable {
    /// A PulseAudio server, by default the usual one; a sink on it, by default the server's
    /// default; and the file with the cookie to present, by default the service's own.
    case pulse(server: String?, device: String?, cookie: String? = nil)
    /// The same through libpulse-simple: commands take effect up to a quarter of a second late.
    case pulseSimple(server: String?, device: String?, cookie: String? = nil)
    /// Nowhere, in real time.
    case null
}

/// Replaces the queue and plays it from the start. The connection follows the run and gets
/// `SessionEnd` when it is over.
package struct Play: ControlCall, Hashable {
    /// The run that has begun.
    package struct Reply: Codable, Hashable, Sendable {
        /// The run's number, from 1; 0 if there was nothing to play.
        package var run: Int

        package init(run: Int) { self.run = run }
    }

    package static let method = "player.play"
    /// The files to play; nil for the current queue, from its position.
    package var files: Files?
    /// The output; nil for the previous one.
    package var output: OutputChoice?
    /// Overrides, for this run, whether the `audio` mode is declared.
    package var backgroundAudio: Bool?
    /// True to show a notification for each item of this run that begins, whatever the user has set.
    package var notify: Bool?
    /// The settings to change before playback begins.
    package var settings: SettingsChange?
    /// The time at which to stop playback; nil to keep the current sleep timer.
    package var sleep: SetSleep?

    package init(
        files: Files?, output: OutputChoice? = nil, backgroundAudio: Bool? = nil,
        notify: Bool? = nil, settings: SettingsChange? = nil, sleep: SetSleep? = nil
    ) {
        self.files = files
        self.output = output
        self.backgroundAudio = backgroundAudio
        self.notify = notify
        self.settings = settings
        self.sleep = sleep
    }
}

/// Requests when playback stops by itself.
package struct GetSleep: ControlCall {
    package typealias Reply = SleepReport
    package static let method = "sleep.status"

    package init() {}
}

/// Stops playback after a time or at a stop condition, whichever comes first, replacing any previous
/// setting. Without either, playback no longer stops by itself.
package struct SetSleep: ControlCall, Hashable {
    package typealias Reply = SleepReport
    package static let method = "sleep.set"
    /// The seconds until silence, by wall-clock time: above 0, 7 days at most.
    package var seconds: Double?
    /// The length of the fade before that, 0 to 3600 seconds; nil for 10.
    package var fade: Double?
    /// The condition after which to stop.
    package var after: StopCondition?

    package init(seconds: Double? = nil, fade: Double? = nil, after: StopCondition? = nil) {
        self.seconds = seconds
        self.fade = fade
        self.after = after
    }
}

/// Stops playback once after something, or after nothing, and leaves the sleep timer as it is.
package struct StopAfter: ControlCall, Hashable {
    package typealias Reply = SleepReport
    package static let method = "sleep.stopAfter"
    /// The condition after which to stop; nil for none.
    package var after: StopCondition?

    package init(_ after: StopCondition?) { self.after = after }
}

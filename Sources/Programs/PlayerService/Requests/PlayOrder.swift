package import UndersongAudioSession
package import UndersongPlayback

/// What to play, and how.
package struct PlayOrder: Sendable {
    /// What replaces the queue; nil to play the queue from its position.
    package var media: MediaNames?
    /// Where to send the sound; nil for the previous output.
    package var output: OutputOrder?
    /// Overrides, for this run, whether the `audio` mode is declared.
    package var backgroundAudio: Bool?
    /// The settings to change before playback begins.
    package var settings: SettingsChange?
    /// When to stop playback; nil to keep the current sleep timer.
    package var sleep: SleepOrder?

    package init(media: MediaNames? = nil) { self.media = media }
}

/// Where to send the sound of a run.
package struct OutputOrder: Sendable {
    /// The server and its device, or a replacement for them.
    package var destination: OutputDestination
    /// The file with the cookie to present to the server; nil for the service's own.
    package var cookie: String?

    package init(_ destination: OutputDestination, cookie: String? = nil) {
        self.destination = destination
        self.cookie = cookie
    }
}

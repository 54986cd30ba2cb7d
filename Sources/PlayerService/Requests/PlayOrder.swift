package import AudioSession
package import Playback

/// What to play, and how.
package struct PlayOrder: Sendable {
    /// What replaces the queue; nil: the queue as it is, from where it was left.
    package var media: MediaNames?
    /// Where the sound goes; nil: where it went.
    package var output: OutputOrder?
    /// Overrides, for this run, whether the `audio` mode is declared.
    package var backgroundAudio: Bool?
    /// What to change before it begins.
    package var settings: SettingsChange?
    /// When to stop by itself; nil: as was said before.
    package var sleep: SleepOrder?

    package init(media: MediaNames? = nil) { self.media = media }
}

/// Where the sound of a run goes.
package struct OutputOrder: Sendable {
    /// The server and its device, or what stands in for them.
    package var destination: OutputDestination
    /// The file with the cookie that the server is shown; nil: the service's own.
    package var cookie: String?

    package init(_ destination: OutputDestination, cookie: String? = nil) {
        self.destination = destination
        self.cookie = cookie
    }
}

/// How a player plays, apart from what and whether.
public struct PlayerSettings: Equatable, Sendable {
    /// 0 for silence to 1 for the samples as they are. It is the volume of the stream on a sound
    /// server, whose mixers may set it too; they show its cube root, 79 % for 0.5.
    public var volume: Float = 1
    /// Whether it is silent whatever the volume.
    public var isMuted = false
    /// Seconds of an item in one second, 0.5 to 2, with the pitch kept.
    public var rate = 1.0
    /// What comes after an item.
    public var modes = PlaybackModes()
    /// Which loudness items are brought to, by what their tags say.
    public var replayGain = ReplayGainMode.off
    /// Seconds for which an item goes on while the next begins, 0 to 12; 0 is gapless.
    public var crossfade = 0.0
    /// Whether long items go on where their files were left, instead of at their start.
    public var resumesItems = false
    /// Seconds to go back at most when a long item goes on behind a long pause, 0 to 600.
    public var skipBack = 0.0
    /// The device to play on, by its name; nil: the sound server's default one.
    public var outputDevice: String?
    /// What to do when the device is gone.
    public var unplugPolicy = UnplugPolicy.pause
    /// How it sounds beside others.
    public var mixing = MixingMode.exclusive
    /// Whether the machine is kept from going to sleep by itself while sound runs.
    public var inhibitsSleep = false

    /// Makes the settings of a new player: everything as it is, one item after the other.
    public init() {}
}

public import Foundation
import Synchronization

/// The commands that others may send to this process, from headset keys or a desktop's panel
/// (behaviour 2.6).
public final class MPRemoteCommandCenter: NSObject, Sendable {
    private static let center = {
        let center = MPRemoteCommandCenter()
        DesktopPlayer(center).follow()
        return center
    }()

    /// The command center of this process.
    public static func shared() -> MPRemoteCommandCenter { center }

    /// Pauses.
    public let pauseCommand: MPRemoteCommand
    /// Plays.
    public let playCommand: MPRemoteCommand
    /// Stops.
    public let stopCommand: MPRemoteCommand
    /// Plays or pauses.
    public let togglePlayPauseCommand: MPRemoteCommand
    /// Never sent here: sound has one language.
    public let enableLanguageOptionCommand: MPRemoteCommand
    /// Never sent here: sound has one language.
    public let disableLanguageOptionCommand: MPRemoteCommand
    /// Sets the rate.
    public let changePlaybackRateCommand: MPChangePlaybackRateCommand
    /// Sets what is repeated.
    public let changeRepeatModeCommand: MPChangeRepeatModeCommand
    /// Turns shuffling on or off.
    public let changeShuffleModeCommand: MPChangeShuffleModeCommand
    /// Goes to the next item.
    public let nextTrackCommand: MPRemoteCommand
    /// Goes to the previous item.
    public let previousTrackCommand: MPRemoteCommand
    /// Skips forward by some seconds.
    public let skipForwardCommand: MPSkipIntervalCommand
    /// Skips backward by some seconds.
    public let skipBackwardCommand: MPSkipIntervalCommand
    /// Seeks forward while a key is held.
    public let seekForwardCommand: MPRemoteCommand
    /// Seeks backward while a key is held.
    public let seekBackwardCommand: MPRemoteCommand
    /// Goes to a position.
    public let changePlaybackPositionCommand: MPChangePlaybackPositionCommand
    /// Rates the item.
    public let ratingCommand: MPRatingCommand
    /// Likes the item.
    public let likeCommand: MPFeedbackCommand
    /// Dislikes the item.
    public let dislikeCommand: MPFeedbackCommand
    /// Marks the item.
    public let bookmarkCommand: MPFeedbackCommand

    let observers = CommandObservers()
    let nowPlaying: MPNowPlayingInfoCenter

    /// Creates a command center without handlers, for tests; `nowPlaying` says whether something
    /// plays.
    package init(nowPlaying: MPNowPlayingInfoCenter = .default()) {
        self.nowPlaying = nowPlaying
        let observers = observers
        let onChange: @Sendable () -> Void = { observers.notify() }
        pauseCommand = MPRemoteCommand(onChange: onChange)
        playCommand = MPRemoteCommand(onChange: onChange)
        stopCommand = MPRemoteCommand(onChange: onChange)
        togglePlayPauseCommand = MPRemoteCommand(onChange: onChange)
        enableLanguageOptionCommand = MPRemoteCommand(onChange: onChange)
        disableLanguageOptionCommand = MPRemoteCommand(onChange: onChange)
        changePlaybackRateCommand = MPChangePlaybackRateCommand(onChange: onChange)
        changeRepeatModeCommand = MPChangeRepeatModeCommand(onChange: onChange)
        changeShuffleModeCommand = MPChangeShuffleModeCommand(onChange: onChange)
        nextTrackCommand = MPRemoteCommand(onChange: onChange)
        previousTrackCommand = MPRemoteCommand(onChange: onChange)
        skipForwardCommand = MPSkipIntervalCommand(onChange: onChange)
        skipBackwardCommand = MPSkipIntervalCommand(onChange: onChange)
        seekForwardCommand = MPRemoteCommand(onChange: onChange)
        seekBackwardCommand = MPRemoteCommand(onChange: onChange)
        changePlaybackPositionCommand = MPChangePlaybackPositionCommand(onChange: onChange)
        ratingCommand = MPRatingCommand(onChange: onChange)
        likeCommand = MPFeedbackCommand(onChange: onChange)
        dislikeCommand = MPFeedbackCommand(onChange: onChange)
        bookmarkCommand = MPFeedbackCommand(onChange: onChange)
    }

    /// All commands.
    var all: [MPRemoteCommand] {
        [
            pauseCommand, playCommand, stopCommand, togglePlayPauseCommand,
            enableLanguageOptionCommand, disableLanguageOptionCommand, changePlaybackRateCommand,
            changeRepeatModeCommand, changeShuffleModeCommand, nextTrackCommand,
            previousTrackCommand, skipForwardCommand, skipBackwardCommand, seekForwardCommand,
            seekBackwardCommand, changePlaybackPositionCommand, ratingCommand, likeCommand,
            dislikeCommand, bookmarkCommand,
        ]
    }
}

/// Observers of changes to the commands.
final class CommandObservers: Sendable {
    private let handlers = Mutex<[@Sendable () -> Void]>([])

    func add(_ handler: @escaping @Sendable () -> Void) {
        handlers.withLock { $0.append(handler) }
    }

    func notify() {
        for handler in handlers.withLock({ $0 }) { handler() }
    }
}

import Dispatch
public import Foundation
public import UndersongAVFoundation
import UndersongBackground
public import UndersongPlayback

extension MPRemoteCommandCenter {
    /// The interface for whatever sends commands.
    public var host: Host { Host(center: self) }

    /// A command to send, with its parameters.
    public enum Command: Hashable, Sendable {
        /// Play, pause or skip. If there is no handler for `toggle`, `Host` turns it into `resume`
        /// or `pause`. For chapters the handlers of whole items are called.
        case player(PlayerCommand)
        /// Skip forward by a number of seconds.
        case skipForward(TimeInterval)
        /// Skip backward by a number of seconds.
        case skipBackward(TimeInterval)
        /// Begin or end seeking forward.
        case seekForward(MPSeekCommandEventType)
        /// Begin or end seeking backward.
        case seekBackward(MPSeekCommandEventType)
        /// Go to this position, in seconds of the item.
        case changePlaybackPosition(TimeInterval)
        /// Play at this rate.
        case changePlaybackRate(Float)
        /// Repeat this.
        case changeRepeatMode(MPRepeatType)
        /// Shuffle this.
        case changeShuffleMode(MPShuffleType)
        /// Rate the item.
        case rating(Float)
        /// Like the item, or withdraw that.
        case like(isNegative: Bool)
        /// Dislike the item, or withdraw that.
        case dislike(isNegative: Bool)
        /// Bookmark the item, or withdraw that.
        case bookmark(isNegative: Bool)

        /// Play.
        public static let play = Command.player(.resume)
        /// Pause.
        public static let pause = Command.player(.pause)
        /// Play or pause.
        public static let togglePlayPause = Command.player(.toggle)
        /// Stop.
        public static let stop = Command.player(.stop)
        /// Skip to the next item.
        public static let nextTrack = Command.player(.next)
        /// Return to the previous item.
        public static let previousTrack = Command.player(.previous)
    }

    /// The side that sends commands: on Apple's systems the lock screen or a headset, here the
    /// desktop. Any thread may call it.
    public struct Host: Sendable {
        fileprivate let center: MPRemoteCommandCenter

        /// Sends a command on the main queue and calls `completion` there with the handlers'
        /// status, or `commandFailed` if the command is disabled or has no handler.
        public func send(
            _ command: Command,
            completion: @escaping @Sendable (MPRemoteCommandHandlerStatus) -> Void = { _ in }
        ) {
            let timestamp = center.nowPlaying.now()
            DispatchQueue.main.async {
                let event = center.event(center.resolved(command), at: timestamp)
                completion(event.command.send(event))
            }
        }

        /// Sends a command and returns the handlers' status.
        public func send(_ command: Command) async -> MPRemoteCommandHandlerStatus {
            await withCheckedContinuation { continuation in
                send(command) { continuation.resume(returning: $0) }
            }
        }

        /// Returns true if this process may be Now Playing: some command has a handler, and
        /// `session` is active and does not mix with others.
        public func isEligible(for session: AVAudioSession = .sharedInstance()) -> Bool {
            NowPlaying.isEligible(
                hasHandler: center.all.contains { $0.hasTarget },
                isSessionActive: session.isActive, isMixable: session.setup.isMixable)
        }

        /// Calls `handler` after each change of a command, on the thread that made it.
        public func onChange(_ handler: @escaping @Sendable () -> Void) {
            center.observers.add(handler)
        }
    }

    /// The command itself, or the one that an unhandled `togglePlayPause` stands for now.
    fileprivate func resolved(_ command: Command) -> Command {
        guard command == .player(.toggle), !togglePlayPauseCommand.isSupported else {
            return command
        }
        return .player(nowPlaying.host.playbackRate == 0 ? .resume : .pause)
    }

    fileprivate func event(_ command: Command, at time: TimeInterval) -> MPRemoteCommandEvent {
        switch command {
        case .player(let command): MPRemoteCommandEvent(remote(command), at: time)
        case .skipForward(let interval):
            MPSkipIntervalCommandEvent(skipForwardCommand, at: time, interval: interval)
        case .skipBackward(let interval):
            MPSkipIntervalCommandEvent(skipBackwardCommand, at: time, interval: interval)
        case .seekForward(let type): MPSeekCommandEvent(seekForwardCommand, at: time, type: type)
        case .seekBackward(let type): MPSeekCommandEvent(seekBackwardCommand, at: time, type: type)
        case .changePlaybackPosition(let position):
            MPChangePlaybackPositionCommandEvent(
                changePlaybackPositionCommand, at: time, positionTime: position)
        case .changePlaybackRate(let rate):
            MPChangePlaybackRateCommandEvent(
                changePlaybackRateCommand, at: time, playbackRate: rate)
        case .changeRepeatMode(let type):
            MPChangeRepeatModeCommandEvent(changeRepeatModeCommand, at: time, repeatType: type)
        case .changeShuffleMode(let type):
            MPChangeShuffleModeCommandEvent(changeShuffleModeCommand, at: time, shuffleType: type)
        case .rating(let rating): MPRatingCommandEvent(ratingCommand, at: time, rating: rating)
        case .like(let isNegative):
            MPFeedbackCommandEvent(likeCommand, at: time, isNegative: isNegative)
        case .dislike(let isNegative):
            MPFeedbackCommandEvent(dislikeCommand, at: time, isNegative: isNegative)
        case .bookmark(let isNegative):
            MPFeedbackCommandEvent(bookmarkCommand, at: time, isNegative: isNegative)
        }
    }
    private func remote(_ command: PlayerCommand) -> MPRemoteCommand {
        switch command {
        case .resume: playCommand
        case .pause: pauseCommand
        case .stop: stopCommand
        case .toggle: togglePlayPauseCommand
        case .next, .nextChapter: nextTrackCommand
        case .previous, .previousChapter: previousTrackCommand
        }
    }
}

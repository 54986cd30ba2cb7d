public import AVFoundation
import Background
import Dispatch
public import Foundation

extension MPRemoteCommandCenter {
    /// The hand of whatever gives commands.
    public var host: Host { Host(center: self) }

    /// A command that is to be given, with what it says.
    public enum Command: Hashable, Sendable {
        /// Play.
        case play
        /// Pause.
        case pause
        /// Stop.
        case stop
        /// Play or pause. Where nothing answers this itself, `Host` makes it one of the two.
        case togglePlayPause
        /// Go to the next item.
        case nextTrack
        /// Go to the previous item.
        case previousTrack
        /// Skip as many seconds.
        case skipForward(TimeInterval)
        /// Skip as many seconds back.
        case skipBackward(TimeInterval)
        /// Begin or end winding on.
        case seekForward(MPSeekCommandEventType)
        /// Begin or end winding back.
        case seekBackward(MPSeekCommandEventType)
        /// Go to as many seconds of the item.
        case changePlaybackPosition(TimeInterval)
        /// Play at this rate.
        case changePlaybackRate(Float)
        /// Play this again.
        case changeRepeatMode(MPRepeatType)
        /// Put this in random order.
        case changeShuffleMode(MPShuffleType)
        /// Rate the item.
        case rating(Float)
        /// Like the item, or take it back.
        case like(isNegative: Bool)
        /// Dislike the item, or take it back.
        case dislike(isNegative: Bool)
        /// Mark the item, or take it back.
        case bookmark(isNegative: Bool)
    }

    /// What gives commands: on Apple's systems the lock screen or a headset, here what serves a
    /// desktop. Any thread may call it.
    public struct Host: Sendable {
        fileprivate let center: MPRemoteCommandCenter

        /// Gives a command on the main queue and calls `completion` there with what its handlers
        /// say; `commandFailed` where the command is disabled or nobody answers it.
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

        /// Gives a command and returns what its handlers say.
        public func send(_ command: Command) async -> MPRemoteCommandHandlerStatus {
            await withCheckedContinuation { continuation in
                send(command) { continuation.resume(returning: $0) }
            }
        }

        /// Whether this process may be Now Playing: it answers a command, and `session` is active
        /// and lets no other sound beside it.
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

    /// The same command; for `togglePlayPause` that nobody answers, what it means now.
    fileprivate func resolved(_ command: Command) -> Command {
        guard command == .togglePlayPause, !togglePlayPauseCommand.isSupported else {
            return command
        }
        return nowPlaying.host.playbackRate == 0 ? .play : .pause
    }

    fileprivate func event(_ command: Command, at time: TimeInterval) -> MPRemoteCommandEvent {
        switch command {
        case .play: MPRemoteCommandEvent(playCommand, at: time)
        case .pause: MPRemoteCommandEvent(pauseCommand, at: time)
        case .stop: MPRemoteCommandEvent(stopCommand, at: time)
        case .togglePlayPause: MPRemoteCommandEvent(togglePlayPauseCommand, at: time)
        case .nextTrack: MPRemoteCommandEvent(nextTrackCommand, at: time)
        case .previousTrack: MPRemoteCommandEvent(previousTrackCommand, at: time)
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
}

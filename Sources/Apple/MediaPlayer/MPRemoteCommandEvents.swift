public import Foundation

/// A command that was sent.
open class MPRemoteCommandEvent: NSObject, @unchecked Sendable {
    // Sendable: constant, and so are the subclasses.

    /// The command.
    public let command: MPRemoteCommand

    /// The time at which it was sent, in seconds since the computer started.
    public let timestamp: TimeInterval

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval) {
        self.command = command
        self.timestamp = timestamp
    }
}

/// A request to skip.
public final class MPSkipIntervalCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// The seconds to skip, positive in both directions.
    public let interval: TimeInterval

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, interval: TimeInterval) {
        self.interval = interval
        super.init(command, at: timestamp)
    }
}

/// Seeking began or ended.
public final class MPSeekCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// The end of the seek that this is.
    public let type: MPSeekCommandEventType

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, type: MPSeekCommandEventType) {
        self.type = type
        super.init(command, at: timestamp)
    }
}

/// The two ends of a seek.
public enum MPSeekCommandEventType: UInt, Sendable {
    /// It begins.
    case beginSeeking = 0
    /// It ends.
    case endSeeking = 1
}

/// A request to change the position.
public final class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent,
    @unchecked Sendable
{
    /// The position in the item, in seconds.
    public let positionTime: TimeInterval

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, positionTime: TimeInterval) {
        self.positionTime = positionTime
        super.init(command, at: timestamp)
    }
}

/// A request to change the rate.
public final class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// The rate.
    public let playbackRate: Float

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, playbackRate: Float) {
        self.playbackRate = playbackRate
        super.init(command, at: timestamp)
    }
}

/// A request to change what is repeated.
public final class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// The part of the queue to repeat.
    public let repeatType: MPRepeatType

    /// True if the mode is to be kept for later sessions; always false here.
    public var preservesRepeatMode: Bool { false }

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, repeatType: MPRepeatType) {
        self.repeatType = repeatType
        super.init(command, at: timestamp)
    }
}

/// A request to change shuffling.
public final class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// The part of the queue to shuffle.
    public let shuffleType: MPShuffleType

    /// True if the mode is to be kept for later sessions; always false here.
    public var preservesShuffleMode: Bool { false }

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, shuffleType: MPShuffleType) {
        self.shuffleType = shuffleType
        super.init(command, at: timestamp)
    }
}

/// A rating of the item.
public final class MPRatingCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// The rating.
    public let rating: Float

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, rating: Float) {
        self.rating = rating
        super.init(command, at: timestamp)
    }
}

/// Feedback on the item.
public final class MPFeedbackCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// True if the feedback is withdrawn.
    public let isNegative: Bool

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, isNegative: Bool) {
        self.isNegative = isNegative
        super.init(command, at: timestamp)
    }
}

public import Foundation

/// A command that was given.
open class MPRemoteCommandEvent: NSObject, @unchecked Sendable {
    // Sendable: constant, and so are the subclasses.

    /// The command.
    public let command: MPRemoteCommand

    /// When it was given, in seconds since the computer started.
    public let timestamp: TimeInterval

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval) {
        self.command = command
        self.timestamp = timestamp
    }
}

/// Some seconds were to be skipped.
public final class MPSkipIntervalCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// The seconds, also backwards above 0.
    public let interval: TimeInterval

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, interval: TimeInterval) {
        self.interval = interval
        super.init(command, at: timestamp)
    }
}

/// Winding has begun or ended.
public final class MPSeekCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Which of the two.
    public let type: MPSeekCommandEventType

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, type: MPSeekCommandEventType) {
        self.type = type
        super.init(command, at: timestamp)
    }
}

/// Whether winding begins or ends.
public enum MPSeekCommandEventType: UInt, Sendable {
    /// It begins.
    case beginSeeking = 0
    /// It ends.
    case endSeeking = 1
}

/// A position was chosen.
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

/// A rate was chosen.
public final class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// The rate.
    public let playbackRate: Float

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, playbackRate: Float) {
        self.playbackRate = playbackRate
        super.init(command, at: timestamp)
    }
}

/// What is to be played again was chosen.
public final class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// What is to be played again.
    public let repeatType: MPRepeatType

    /// Whether it holds for later as well; always false here.
    public var preservesRepeatMode: Bool { false }

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, repeatType: MPRepeatType) {
        self.repeatType = repeatType
        super.init(command, at: timestamp)
    }
}

/// Random order was chosen or ended.
public final class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// What is to be in random order.
    public let shuffleType: MPShuffleType

    /// Whether it holds for later as well; always false here.
    public var preservesShuffleMode: Bool { false }

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, shuffleType: MPShuffleType) {
        self.shuffleType = shuffleType
        super.init(command, at: timestamp)
    }
}

/// The item was rated.
public final class MPRatingCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// The rating.
    public let rating: Float

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, rating: Float) {
        self.rating = rating
        super.init(command, at: timestamp)
    }
}

/// Something was said of the item.
public final class MPFeedbackCommandEvent: MPRemoteCommandEvent, @unchecked Sendable {
    /// Whether it was taken back.
    public let isNegative: Bool

    init(_ command: MPRemoteCommand, at timestamp: TimeInterval, isNegative: Bool) {
        self.isNegative = isNegative
        super.init(command, at: timestamp)
    }
}

public import Foundation
import Synchronization

/// Skips by some seconds.
public final class MPSkipIntervalCommand: MPRemoteCommand, @unchecked Sendable {
    private let intervals = Mutex<[NSNumber]>([10])

    /// The intervals to offer, in seconds; a button shows the first. 10 by default.
    public var preferredIntervals: [NSNumber] {
        get { intervals.withLock { $0 } }
        set {
            intervals.withLock { $0 = newValue }
            reportChange()
        }
    }
}

/// Changes the position in the item.
public final class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {}

/// Changes the playback rate.
public final class MPChangePlaybackRateCommand: MPRemoteCommand, @unchecked Sendable {
    private let rates = Mutex<[NSNumber]>([])

    /// The rates that may be requested; none by default.
    public var supportedPlaybackRates: [NSNumber] {
        get { rates.withLock { $0 } }
        set {
            rates.withLock { $0 = newValue }
            reportChange()
        }
    }
}

/// Changes what is repeated.
public final class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let type = Mutex(MPRepeatType.off)

    /// The current repeat mode.
    public var currentRepeatType: MPRepeatType {
        get { type.withLock { $0 } }
        set {
            type.withLock { $0 = newValue }
            reportChange()
        }
    }
}

/// Changes what is shuffled.
public final class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let type = Mutex(MPShuffleType.off)

    /// The current shuffle mode.
    public var currentShuffleType: MPShuffleType {
        get { type.withLock { $0 } }
        set {
            type.withLock { $0 = newValue }
            reportChange()
        }
    }
}

/// Rates the item.
public final class MPRatingCommand: MPRemoteCommand, @unchecked Sendable {
    private let range = Mutex((minimum: Float(0), maximum: Float(0)))

    /// The lowest rating.
    public var minimumRating: Float {
        get { range.withLock { $0.minimum } }
        set {
            range.withLock { $0.minimum = newValue }
            reportChange()
        }
    }

    /// The highest rating.
    public var maximumRating: Float {
        get { range.withLock { $0.maximum } }
        set {
            range.withLock { $0.maximum = newValue }
            reportChange()
        }
    }
}

/// Gives feedback on the item: like, dislike, bookmark.
public final class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
    private struct Face: Sendable {
        var isActive = false
        var title = ""
        var shortTitle = ""
    }

    private let face = Mutex(Face())

    /// True if the feedback was already given for this item.
    public var isActive: Bool {
        get { face.withLock { $0.isActive } }
        set {
            face.withLock { $0.isActive = newValue }
            reportChange()
        }
    }

    /// The name to show to people.
    public var localizedTitle: String {
        get { face.withLock { $0.title } }
        set {
            face.withLock { $0.title = newValue }
            reportChange()
        }
    }

    /// A short name to show where there is little room.
    public var localizedShortTitle: String {
        get { face.withLock { $0.shortTitle } }
        set {
            face.withLock { $0.shortTitle = newValue }
            reportChange()
        }
    }
}

/// The repeat modes.
public enum MPRepeatType: Int, Sendable {
    /// Nothing.
    case off = 0
    /// The item.
    case one = 1
    /// The queue.
    case all = 2
}

/// The shuffle modes.
public enum MPShuffleType: Int, Sendable {
    /// Nothing.
    case off = 0
    /// The items.
    case items = 1
    /// Albums or playlists.
    case collections = 2
}

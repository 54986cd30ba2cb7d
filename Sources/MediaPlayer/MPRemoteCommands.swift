public import Foundation
import Synchronization

/// Skips by some seconds.
public final class MPSkipIntervalCommand: MPRemoteCommand, @unchecked Sendable {
    private let intervals = Mutex<[NSNumber]>([10])

    /// The seconds that may be skipped; the first is what a button says. 10 at first.
    public var preferredIntervals: [NSNumber] {
        get { intervals.withLock { $0 } }
        set {
            intervals.withLock { $0 = newValue }
            tellChange()
        }
    }
}

/// Goes to a position of the item.
public final class MPChangePlaybackPositionCommand: MPRemoteCommand, @unchecked Sendable {}

/// Plays faster or slower.
public final class MPChangePlaybackRateCommand: MPRemoteCommand, @unchecked Sendable {
    private let rates = Mutex<[NSNumber]>([])

    /// The rates that may be asked for; none at first.
    public var supportedPlaybackRates: [NSNumber] {
        get { rates.withLock { $0 } }
        set {
            rates.withLock { $0 = newValue }
            tellChange()
        }
    }
}

/// Plays items again.
public final class MPChangeRepeatModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let type = Mutex(MPRepeatType.off)

    /// What is played again now.
    public var currentRepeatType: MPRepeatType {
        get { type.withLock { $0 } }
        set {
            type.withLock { $0 = newValue }
            tellChange()
        }
    }
}

/// Plays in random order.
public final class MPChangeShuffleModeCommand: MPRemoteCommand, @unchecked Sendable {
    private let type = Mutex(MPShuffleType.off)

    /// What is in random order now.
    public var currentShuffleType: MPShuffleType {
        get { type.withLock { $0 } }
        set {
            type.withLock { $0 = newValue }
            tellChange()
        }
    }
}

/// Rates the item.
public final class MPRatingCommand: MPRemoteCommand, @unchecked Sendable {
    private let range = Mutex((minimum: Float(0), maximum: Float(0)))

    /// The worst rating.
    public var minimumRating: Float {
        get { range.withLock { $0.minimum } }
        set {
            range.withLock { $0.minimum = newValue }
            tellChange()
        }
    }

    /// The best rating.
    public var maximumRating: Float {
        get { range.withLock { $0.maximum } }
        set {
            range.withLock { $0.maximum = newValue }
            tellChange()
        }
    }
}

/// Says something of the item: like, dislike, bookmark.
public final class MPFeedbackCommand: MPRemoteCommand, @unchecked Sendable {
    private struct Face: Sendable {
        var isActive = false
        var title = ""
        var shortTitle = ""
    }

    private let face = Mutex(Face())

    /// Whether it was said of this item already.
    public var isActive: Bool {
        get { face.withLock { $0.isActive } }
        set {
            face.withLock { $0.isActive = newValue }
            tellChange()
        }
    }

    /// Its name for people.
    public var localizedTitle: String {
        get { face.withLock { $0.title } }
        set {
            face.withLock { $0.title = newValue }
            tellChange()
        }
    }

    /// Its name for people where there is little room.
    public var localizedShortTitle: String {
        get { face.withLock { $0.shortTitle } }
        set {
            face.withLock { $0.shortTitle = newValue }
            tellChange()
        }
    }
}

/// What is played again.
public enum MPRepeatType: Int, Sendable {
    /// Nothing.
    case off = 0
    /// The item.
    case one = 1
    /// The queue.
    case all = 2
}

/// What is in random order.
public enum MPShuffleType: Int, Sendable {
    /// Nothing.
    case off = 0
    /// The items.
    case items = 1
    /// Albums or playlists.
    case collections = 2
}

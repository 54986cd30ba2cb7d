/// Names one passage; a later one has a higher number.
package struct PassageID: Hashable, Comparable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: PassageID, right: PassageID) -> Bool { left.number < right.number }
}

/// A place in the stream from which on it is replaced.
package enum StreamCut: Equatable, Sendable {
    /// The first frame that is not heard yet.
    case now
    /// Behind the last frame of a passage.
    case after(PassageID)
}

/// One uninterrupted stretch of an item on its way through the stream. The same item gives another
/// passage each time that it is played or sought in.
package struct Passage: Equatable, Sendable {
    package var id: PassageID
    package var item: QueueItem
    /// The item's time at which it begins; nil: where the stream is heard now, in the same item.
    package var start: CMTime?
    /// Whether `start` is where the item's file was left once, which may be shorter by now.
    package var isResumed = false
    /// The first of those before it, of the same item, whose place it takes and which were not known
    /// to be heard: where some of them was after all, it goes on behind that instead of at `start`.
    package var replaced: PassageID?
    package var settings: PassageSettings

    package init(
        id: PassageID, item: QueueItem, start: CMTime?, settings: PassageSettings = .init()
    ) {
        self.id = id
        self.item = item
        self.start = start
        self.settings = settings
    }
}

/// How a passage is brought into the stream.
package struct PassageSettings: Equatable, Sendable {
    /// Seconds of the item in one second, 0.5 to 2; the pitch is kept.
    package var rate = 1.0
    /// Which loudness the item is brought to.
    package var replayGain = ReplayGainMode.off
    /// Decibels that it is louder where it is brought to a loudness.
    package var preamplification = 0.0
    /// Seconds for which the passage before it, when heard to its end, goes on while it begins.
    package var crossfade = 0.0
    /// Seconds within which it falls silent and ends; nil: it does not.
    package var fadeOut: Double?
    /// The item's time before which it ends; nil: it does not before its own end.
    package var stopTime: CMTime?

    /// Whether nothing follows it, since it ends before its item does.
    package var endsEarly: Bool { fadeOut != nil || stopTime != nil }

    package init() {}

    /// What to multiply samples by that are to be as loud as `gain` says.
    package func factor(of gain: ReplayGain) -> Double {
        gain.factor(replayGain, preamplification: preamplification)
    }
}

extension PlayerSettings {
    /// What of the settings a passage is brought into the stream with.
    package var passageSettings: PassageSettings {
        var passage = PassageSettings()
        passage.rate = rate
        passage.replayGain = replayGain
        passage.preamplification = preamplification
        passage.crossfade = crossfade
        return passage
    }
}

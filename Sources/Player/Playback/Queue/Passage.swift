/// Identifies a passage; later ones have higher numbers.
package struct PassageID: Hashable, Comparable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: PassageID, right: PassageID) -> Bool { left.number < right.number }
}

/// The place in the stream from which its content is replaced.
package enum StreamCut: Equatable, Sendable {
    /// The first frame that has not been heard.
    case now
    /// After the last frame of a passage.
    case after(PassageID)
}

/// One uninterrupted stretch of an item within the stream. Each time an item is played or sought in
/// it gets a new passage.
package struct Passage: Equatable, Sendable {
    package var id: PassageID
    package var item: QueueItem
    /// The item's time at which the passage begins; nil for where the stream is heard now, in the
    /// same item.
    package var start: CMTime?
    /// True if `start` is a saved position in the item's file, which may be shorter by now.
    package var isResumed = false
    /// The first of the previous passages of the same item that this one replaces and that were not
    /// known to be heard. If part of them was heard after all, this one continues after that part
    /// instead of at `start`.
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

/// The processing of a passage for the stream.
package struct PassageSettings: Equatable, Sendable {
    /// The playback rate, 1/32 to 32.
    package var rate = 1.0
    /// The change of pitch in cents, -2400 to 2400, whatever the rate.
    package var pitch = 0.0
    /// The ReplayGain mode.
    package var replayGain = ReplayGainMode.off
    /// Extra gain in decibels for items with ReplayGain.
    package var preamplification = 0.0
    /// The seconds for which the previous passage, if heard to its end, overlaps with this one.
    package var crossfade = 0.0
    /// The seconds over which the passage fades in from its start; nil for no fade.
    package var fadeIn: Double?
    /// The seconds over which the passage fades out and ends; nil for no fade.
    package var fadeOut: Double?
    /// The item's time before which the passage ends; nil for the end of the item.
    package var stopTime: CMTime?

    /// True if nothing follows the passage because it ends before its item does.
    package var endsEarly: Bool { fadeOut != nil || stopTime != nil }

    package init() {}

    /// The factor by which to multiply samples to apply `gain`.
    package func factor(of gain: ReplayGain) -> Double {
        gain.factor(replayGain, preamplification: preamplification)
    }
}

extension PlayerSettings {
    /// The settings that apply to passages.
    package var passageSettings: PassageSettings {
        var passage = PassageSettings()
        passage.rate = rate
        passage.pitch = pitch
        passage.replayGain = replayGain
        passage.preamplification = preamplification
        passage.crossfade = crossfade
        return passage
    }
}

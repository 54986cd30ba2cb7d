/// The rules for what is heard in several goes, as audiobooks and podcasts are: which files those
/// are, which of their positions are worth keeping, and where they go on. All times are seconds.
package enum LongForm {
    /// A file that lasts so long, or longer, is remembered.
    private static let shortest = 1200.0
    /// Nothing is kept of a file before this.
    private static let beginning = 30.0
    /// What counts as heard to the end is at most so much from it, and at most this part of it: of
    /// an hour a minute, and of twenty minutes 36 seconds.
    private static let end = 60.0
    private static let endPart = 0.03
    /// It goes on so much before where it was left, so that one finds into it again.
    private static let overlap = 5.0

    /// Whether a file of that length is remembered.
    package static func isLong(_ duration: Double) -> Bool {
        duration.isFinite && duration >= shortest
    }

    /// What to keep of a file that was heard up to `seconds` of `duration`, at `date`; nil: nothing,
    /// and what was kept before stays.
    package static func position(
        at seconds: Double, of duration: Double, date: Double
    ) -> FilePosition? {
        guard isLong(duration) else { return nil }
        if duration - seconds <= min(end, duration * endPart) {
            return FilePosition(seconds: 0, duration: duration, isFinished: true, lastPlayed: date)
        }
        guard seconds >= beginning else { return nil }
        return FilePosition(
            seconds: seconds, duration: duration, isFinished: false, lastPlayed: date)
    }

    /// Where an item goes on whose file was left at `position`; nil: where it begins anyway. Items
    /// that are a part of a file only always begin there.
    package static func resumeTime(of item: QueueItem, from position: FilePosition?) -> CMTime? {
        guard let position, !position.isFinished, item.isWhole else { return nil }
        let seconds = position.seconds - overlap
        return seconds > 0 ? CMTime(value: Int64(seconds * 1000), timescale: 1000) : nil
    }

    /// Seconds to go back when an item of `duration` goes on behind a pause, of at most `setting`:
    /// the longer the pause, the more.
    package static func skipBack(
        behind pause: Double, of duration: Double, setting: Double
    ) -> Double {
        guard isLong(duration), setting > 0 else { return 0 }
        return switch pause {
        case 3600...: setting
        case 300...: setting * 2 / 3
        case 30...: setting / 3
        default: 0
        }
    }
}

extension QueueItem {
    /// Whether it plays all of its source.
    package var isWhole: Bool { start <= .zero && end == nil }
}

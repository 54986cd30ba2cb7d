/// Rules for audiobooks, podcasts and other files heard in several sittings: which files qualify,
/// which positions are worth saving, and where playback resumes. All times are in seconds.
package enum ResumePolicy {
    /// The positions of files of at least this duration are saved.
    private static let shortest = 1200.0
    /// Positions before this one are not saved.
    private static let beginning = 30.0
    /// A file counts as finished at most this far from its end, and at most this fraction of its
    /// duration from it: one minute for an hour, 36 seconds for twenty minutes.
    private static let end = 60.0
    private static let endPart = 0.03
    /// The seconds before the saved position at which playback resumes, to help the listener find
    /// the thread.
    private static let overlap = 5.0

    /// True if positions in a file of that duration are saved.
    package static func isLong(_ duration: Double) -> Bool {
        duration.isFinite && duration >= shortest
    }

    /// The position to save for a file heard up to `seconds` of `duration`, at `date`. Nil means to
    /// save nothing and keep the previous position.
    package static func position(
        at seconds: Double, of duration: Double, date: Double
    ) -> ResumePoint? {
        guard isLong(duration) else { return nil }
        if duration - seconds <= min(end, duration * endPart) {
            return ResumePoint(seconds: 0, duration: duration, isFinished: true, lastPlayed: date)
        }
        guard seconds >= beginning else { return nil }
        return ResumePoint(
            seconds: seconds, duration: duration, isFinished: false, lastPlayed: date)
    }

    /// The time at which an item resumes whose file was left at `position`; nil if it starts where
    /// it normally does. Items that are part of a file always start there.
    package static func resumeTime(of item: QueueItem, from position: ResumePoint?) -> CMTime? {
        guard let position, !position.isFinished, item.isWhole else { return nil }
        let seconds = position.seconds - overlap
        return seconds > 0 ? CMTime(value: Int64(seconds * 1000), timescale: 1000) : nil
    }

    /// The seconds to skip back, at most `setting`, when an item of `duration` resumes after a
    /// pause. Longer pauses skip back further.
    package static func skipBack(
        after pause: Double, of duration: Double, setting: Double
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
    /// True if the item plays all of its source.
    package var isWhole: Bool { start <= .zero && end == nil }
}

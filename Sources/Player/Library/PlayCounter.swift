package import UndersongBase

/// Counts how much of each track is heard, and decides whether that was a play, a skip or neither.
///
/// A play is half of a track, or four minutes of it, however often it is paused, sought in or
/// stopped meanwhile. A skip is a track that was left for another one before that.
package struct PlayCounter: Sendable {
    /// The track that an item plays: a file, or a part of one.
    package struct Subject: Hashable, Sendable {
        package var path: FilePath
        package var part: TrackPart?

        package init(path: FilePath, part: TrackPart? = nil) {
            self.path = path
            self.part = part
        }
    }

    /// A change of the sound that is heard. Times are in seconds of the item's file.
    package enum Input: Hashable, Sendable {
        /// An item is heard from `time` on. The length is that of the part of the file that it
        /// plays; nil if unknown. A stream from elsewhere has no subject.
        case began(item: Int, Subject?, length: Double?, time: Double)
        /// The length of the item that is heard is known.
        case measured(length: Double?)
        /// The item was heard up to `time`, and may be heard further.
        case reached(Double)
        /// The item is heard from `time` on, after what was reported last.
        case jumped(to: Double)
        /// The item was heard to its end, at `time`.
        case ended(at: Double)
        /// The item was left for another one, or was removed, at `time`.
        case left(at: Double)
        /// There is no sound any more; the item stays the current one.
        case stopped
    }

    /// A change of a track's count.
    package enum Count: Hashable, Sendable {
        case played(Subject)
        case skipped(Subject)
    }

    /// The seconds of a long track that are a play.
    package static let enough = 240.0

    /// The item that is heard, or was when the sound stopped.
    private struct Hearing {
        var item: Int
        var subject: Subject
        var length: Double?
        /// The time from which on it is heard since the last jump.
        var start: Double
        /// The time that was reported last.
        var last: Double
        /// The seconds that were heard before `start`.
        var seconds = 0.0
        var isCounted = false
        var hasStopped = false

        /// The seconds that are a play.
        var enough: Double { min(length.map { $0 / 2 } ?? .infinity, PlayCounter.enough) }
    }

    private var hearing: Hearing?

    package init() {}

    /// Handles an input. Returns the change of a count, if there is one.
    package mutating func handle(_ input: Input) -> Count? {
        switch input {
        case .began(let item, let subject, let length, let time):
            return begin(item, subject, length, time)
        case .measured(let length):
            hearing?.length = length
            return nil
        case .reached(let time): return reach(time)
        case .jumped(let time):
            let count = hearing.flatMap { reach($0.last) }
            if let hearing { self.hearing?.seconds += max(0, hearing.last - hearing.start) }
            hearing?.start = time
            hearing?.last = time
            return count
        case .ended(let time):
            let count = reach(time)
            hearing = nil
            return count
        case .left(let time):
            let count = reach(time)
            defer { hearing = nil }
            guard let hearing, !hearing.isCounted else { return count }
            return .skipped(hearing.subject)
        case .stopped:
            let count = hearing.flatMap { reach($0.last) }
            hearing?.hasStopped = true
            return count
        }
    }

    /// Begins with an item. It continues if the same one was stopped where it begins now.
    private mutating func begin(
        _ item: Int, _ subject: Subject?, _ length: Double?, _ time: Double
    ) -> Count? {
        guard let subject else {
            hearing = nil
            return nil
        }
        if let hearing, hearing.item == item, hearing.hasStopped, hearing.subject == subject,
            abs(hearing.last - time) < 1, time > (subject.part?.start ?? 0)
        {
            self.hearing?.seconds += max(0, hearing.last - hearing.start)
            self.hearing?.start = time
            self.hearing?.last = time
            self.hearing?.hasStopped = false
            return nil
        }
        hearing = Hearing(item: item, subject: subject, length: length, start: time, last: time)
        return nil
    }

    /// Counts a play once enough was heard.
    private mutating func reach(_ time: Double) -> Count? {
        guard var current = hearing else { return nil }
        defer { hearing = current }
        current.last = max(current.last, time)
        let seconds = current.seconds + max(0, current.last - current.start)
        guard !current.isCounted, seconds > 0, seconds >= current.enough else { return nil }
        current.isCounted = true
        return .played(current.subject)
    }
}

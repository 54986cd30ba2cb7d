/// The next observations, looked up many crossings at a time: each of a hundred ticks a second
/// finds its own in one place instead of being computed with cold caches. Allocates nothing after
/// its creation, unless the observer does.
package struct Agenda: Sendable {
    package typealias Entry = (observation: TimelineObserver.Observation, frame: Int)

    /// The number of crossings looked up at a time: a third of a second's worth.
    static let length = 32

    /// Has already advanced past the crossings in `entries`, but past nothing else in them.
    private var observer: TimelineObserver
    /// Crossings, followed by at most one observation of another kind.
    private var entries: [Entry] = []
    /// The number of entries already reported.
    private var reportedCount = 0

    package init(_ observer: TimelineObserver) {
        self.observer = observer
        entries.reserveCapacity(Self.length)
    }

    /// The next observation and its frame, or nil if none is known yet.
    package var next: Entry? { reportedCount < entries.count ? entries[reportedCount] : nil }

    /// The passage being heard.
    package var passage: Timeline.Segment? { observer.passage }

    /// The exact time of `frame` in the current item, or nil if no item is being heard.
    package func time(at frame: Int) -> (item: ItemID, time: CMTime)? { observer.time(at: frame) }

    /// Looks everything up again because `timeline` has changed, or because `change` modifies the
    /// observer.
    package mutating func update(
        in timeline: Timeline, change: (inout TimelineObserver) -> Void = { _ in }
    ) {
        for (observation, _) in entries[reportedCount...].reversed() {
            observer.retreat(before: observation)
        }
        entries.removeAll(keepingCapacity: true)
        reportedCount = 0
        change(&observer)
        lookUp(in: timeline)
    }

    /// Moves past `next`, which must not be nil. Returns the passage that the observer has finished
    /// with and that must then leave the timeline.
    package mutating func advance() -> PassageID? {
        defer { reportedCount += 1 }
        // The observer has already advanced past crossings.
        return reportedCount == entries.count - 1
            ? observer.advance(pastOther: entries[reportedCount].observation) : nil
    }

    /// Looks up the following observations once all known ones are reported.
    package mutating func lookUp(in timeline: Timeline) {
        guard reportedCount == entries.count else { return }
        entries.removeAll(keepingCapacity: true)
        reportedCount = 0
        while entries.count < Self.length, let entry = observer.next(in: timeline) {
            entries.append(entry)
            guard case .crossed = entry.observation else { return }
            observer.advance(past: entry.observation)
        }
    }
}

extension TimelineObserver {
    /// Moves past an observation that is not a crossing.
    fileprivate mutating func advance(pastOther observation: Observation) -> PassageID? {
        if case .crossed = observation { return nil }
        return advance(past: observation)
    }
}

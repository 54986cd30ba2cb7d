/// What an observer tells next, looked up many crossings at a time: each of a hundred ticks a second
/// then finds its own in one place, instead of working it out with cold caches. Takes no memory
/// after it was made, as long as the observer does not.
package struct Agenda: Sendable {
    package typealias Entry = (observation: TimelineObserver.Observation, frame: Int)

    /// Crossings that are looked up at a time: a third of a second's.
    static let length = 32

    /// It has gone past the crossings in `entries` already, and past nothing else in them.
    private var observer: TimelineObserver
    /// Crossings, and behind them at most one observation of another kind.
    private var entries: [Entry] = []
    /// So many of them are told.
    private var toldCount = 0

    package init(_ observer: TimelineObserver) {
        self.observer = observer
        entries.reserveCapacity(Self.length)
    }

    /// The next observation and the frame it belongs to, or nil when none is known yet.
    package var next: Entry? { toldCount < entries.count ? entries[toldCount] : nil }

    /// The passage that is heard.
    package var passage: Timeline.Segment? { observer.passage }

    /// The exact time of `frame` within the current item, or nil when none is heard.
    package func time(at frame: Int) -> (item: ItemID, time: CMTime)? { observer.time(at: frame) }

    /// Looks everything up anew, since `timeline` is not what it was, or since `change` makes the
    /// observer another.
    package mutating func update(
        in timeline: Timeline, change: (inout TimelineObserver) -> Void = { _ in }
    ) {
        for (observation, _) in entries[toldCount...].reversed() {
            observer.retreat(before: observation)
        }
        entries.removeAll(keepingCapacity: true)
        toldCount = 0
        change(&observer)
        lookUp(in: timeline)
    }

    /// Goes past `next`, which is not nil. Returns the passage that the observer has finished with,
    /// which then has to leave the timeline.
    package mutating func advance() -> PassageID? {
        defer { toldCount += 1 }
        // Crossings lie behind the observer already.
        return toldCount == entries.count - 1
            ? observer.advance(pastOther: entries[toldCount].observation) : nil
    }

    /// Looks up what follows, once everything that was known is told.
    package mutating func lookUp(in timeline: Timeline) {
        guard toldCount == entries.count else { return }
        entries.removeAll(keepingCapacity: true)
        toldCount = 0
        while entries.count < Self.length, let entry = observer.next(in: timeline) {
            entries.append(entry)
            guard case .crossed = entry.observation else { return }
            observer.advance(past: entry.observation)
        }
    }
}

extension TimelineObserver {
    /// Goes past an observation that is no crossing.
    fileprivate mutating func advance(pastOther observation: Observation) -> PassageID? {
        if case .crossed = observation { return nil }
        return advance(past: observation)
    }
}

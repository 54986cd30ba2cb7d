/// A wish to be told when an item's time crosses certain values.
package struct TimeWatch: Equatable, Sendable {
    package enum Times: Equatable, Sendable {
        /// Every multiple of a positive number of seconds.
        case every(CMTime)
        /// These times, in rising order.
        case at([CMTime])
    }

    package var id: WatchID
    package var times: Times

    package init(id: WatchID, times: Times) {
        self.id = id
        self.times = times
    }
}

/// Turns "this frame is heard now" into what observers are told, in order: passages beginning and
/// ending, and each time on an item's own timeline that somebody watches for.
///
/// Each observation is told once, however late or early it is asked for.
package struct TimelineObserver: Sendable {
    package enum Observation: Equatable, Sendable {
        /// The passage's first frame is heard.
        case began(Timeline.Segment)
        /// The item's time has crossed `time`, which the watch was set on.
        case crossed(watch: WatchID, ItemID, time: CMTime)
        /// The item's last frame has been heard; `time` is where that is.
        case ended(ItemID, time: CMTime)
        /// A jump has cut the passage short; `time` is the first that was not heard.
        case left(ItemID, time: CMTime)
    }

    private struct Watch {
        var watch: TimeWatch
        /// Which multiple or which entry comes next.
        var next: Int64 = 0

        var nextTime: CMTime? {
            switch watch.times {
            case .every(let interval):
                CMTime(value: next * interval.value, timescale: interval.timescale)
            case .at(let times):
                next < times.count ? times[Int(next)] : nil
            }
        }
    }

    private let sampleRate: Int
    private var watches: [Watch] = []
    private var current: Timeline.Segment?

    package init(sampleRate: Int, watches: [TimeWatch] = []) {
        self.sampleRate = sampleRate
        self.watches = watches.map { Watch(watch: $0) }
    }

    /// Begins to watch, from `frame` on.
    package mutating func add(_ watch: TimeWatch, at frame: Int) {
        watches.append(Watch(watch: watch))
        guard let current else { return }
        let time = current.time(at: frame, sampleRate: sampleRate)
        place(watches.count - 1, at: time, inclusive: frame == current.start && !current.isJump)
    }

    package mutating func remove(watch id: WatchID) { watches.removeAll { $0.watch.id == id } }

    /// The next observation and the frame it belongs to, or nil when `timeline` holds none yet.
    package func next(in timeline: Timeline) -> (observation: Observation, frame: Int)? {
        guard let current else {
            return timeline.first.map { (.began($0), $0.start) }
        }
        guard let segment = timeline[current.passage] else {
            // Cut before anything of it was heard.
            return (.left(current.item, time: current.origin), current.start)
        }
        let crossing = nextCrossing(in: segment)
        guard let end = segment.end else { return crossing }
        if let crossing, crossing.frame <= end { return crossing }
        let time = endTime(of: segment, at: end)
        return segment.isComplete
            ? (.ended(segment.item, time: time), end) : (.left(segment.item, time: time), end)
    }

    /// Goes past the observation that `next` told. Returns the passage that it has finished with,
    /// which then has to leave the timeline.
    @discardableResult
    package mutating func advance(past observation: Observation) -> PassageID? {
        switch observation {
        case .began(let segment):
            current = segment
            for index in watches.indices {
                place(index, at: segment.origin, inclusive: !segment.isJump)
            }
        case .crossed(let id, _, _):
            if let index = watches.firstIndex(where: { $0.watch.id == id }) {
                watches[index].next += 1
            }
        case .ended, .left:
            defer { current = nil }
            return current?.passage
        }
        return nil
    }

    /// Takes a crossing back that `advance` went past, the last one first; nothing else comes back.
    package mutating func retreat(before observation: Observation) {
        guard case .crossed(let id, _, _) = observation,
            let index = watches.firstIndex(where: { $0.watch.id == id })
        else { return }
        watches[index].next -= 1
    }

    /// The exact time of `frame` within the current item, or nil when none is heard.
    package func time(at frame: Int) -> (item: ItemID, time: CMTime)? {
        current.map { ($0.item, $0.time(at: frame, sampleRate: sampleRate)) }
    }

    /// The passage that is heard.
    package var passage: Timeline.Segment? { current }

    private func nextCrossing(
        in segment: Timeline.Segment
    ) -> (observation: Observation, frame: Int)? {
        var earliest: (observation: Observation, frame: Int)?
        for watch in watches {
            guard let time = watch.nextTime else { continue }
            let frame = segment.frame(of: time, sampleRate: sampleRate)
            if let earliest, earliest.frame <= frame { continue }
            // The end of an item stands for a multiple that falls on it.
            if case .every = watch.watch.times, let end = segment.end,
                segment.time(at: end, sampleRate: sampleRate) <= time
            {
                continue
            }
            earliest = (.crossed(watch: watch.watch.id, segment.item, time: time), frame)
        }
        return earliest
    }

    /// Lets a watch begin with its first time behind `time`, or at it when that counts too.
    private mutating func place(_ index: Int, at time: CMTime, inclusive: Bool) {
        switch watches[index].watch.times {
        case .every(let interval):
            let units = Int128(time.value) * Int128(interval.timescale)
            let length = Int128(interval.value) * Int128(time.timescale)
            let (quotient, rest) = units.quotientAndRemainder(dividingBy: length)
            watches[index].next = Int64(quotient) + (rest > 0 || !inclusive ? 1 : 0)
        case .at(let times):
            let passed = times.prefix { inclusive ? $0 < time : $0 <= time }
            watches[index].next = Int64(passed.count)
        }
    }

    /// An end that falls on the grid is told in the grid's timescale, since it stands for that tick.
    private func endTime(of segment: Timeline.Segment, at end: Int) -> CMTime {
        let exact = segment.time(at: end, sampleRate: sampleRate)
        for watch in watches {
            if case .every = watch.watch.times, let time = watch.nextTime, time == exact {
                return time
            }
        }
        return exact
    }
}

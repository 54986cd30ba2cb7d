/// A request to be notified when an item's time crosses certain values.
package struct TimeWatch: Equatable, Sendable {
    package enum Times: Equatable, Sendable {
        /// Every multiple of a positive number of seconds.
        case every(CMTime)
        /// These times, in ascending order.
        case at([CMTime])
    }

    package var id: WatchID
    package var times: Times

    package init(id: WatchID, times: Times) {
        self.id = id
        self.times = times
    }
}

/// Turns "this frame is being heard" into observations, in order: passages that begin and end, and
/// each watched time on an item's own timeline.
///
/// Each observation is reported once, no matter how late or early it is requested.
package struct TimelineObserver: Sendable {
    package enum Observation: Equatable, Sendable {
        /// The passage's first frame is being heard.
        case began(Timeline.Segment)
        /// The item's time has crossed `time`, which was being watched.
        case crossed(watch: WatchID, ItemID, time: CMTime)
        /// The item's last frame has been heard; `time` is its end.
        case ended(ItemID, time: CMTime)
        /// A jump has cut the passage off; `time` is the first time not heard.
        case left(ItemID, time: CMTime)
    }

    private struct Watch {
        var watch: TimeWatch
        /// The index of the next multiple or entry.
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

    /// Starts watching, from `frame` on.
    package mutating func add(_ watch: TimeWatch, at frame: Int) {
        watches.append(Watch(watch: watch))
        guard let current else { return }
        let time = current.time(at: frame, sampleRate: sampleRate)
        place(watches.count - 1, at: time, inclusive: frame == current.start && !current.isJump)
    }

    package mutating func remove(watch id: WatchID) { watches.removeAll { $0.watch.id == id } }

    /// The next observation and its frame, or nil if `timeline` has none yet.
    package func next(in timeline: Timeline) -> (observation: Observation, frame: Int)? {
        guard let current else {
            return timeline.first.map { (.began($0), $0.start) }
        }
        guard let segment = timeline[current.passage] else {
            // Cut off before any of it was heard.
            return (.left(current.item, time: current.origin), current.start)
        }
        let crossing = nextCrossing(in: segment)
        guard let end = segment.end else { return crossing }
        if let crossing, crossing.frame <= end { return crossing }
        let time = endTime(of: segment, at: end)
        return segment.isComplete
            ? (.ended(segment.item, time: time), end) : (.left(segment.item, time: time), end)
    }

    /// Moves past the observation returned by `next`. Returns the passage that is finished and must
    /// then leave the timeline.
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

    /// Undoes the advance past a crossing, the latest first; other observations cannot be undone.
    package mutating func retreat(before observation: Observation) {
        guard case .crossed(let id, _, _) = observation,
            let index = watches.firstIndex(where: { $0.watch.id == id })
        else { return }
        watches[index].next -= 1
    }

    /// The exact time of `frame` in the current item, or nil if no item is being heard.
    package func time(at frame: Int) -> (item: ItemID, time: CMTime)? {
        current.map { ($0.item, $0.time(at: frame, sampleRate: sampleRate)) }
    }

    /// The passage being heard.
    package var passage: Timeline.Segment? { current }

    private func nextCrossing(
        in segment: Timeline.Segment
    ) -> (observation: Observation, frame: Int)? {
        var earliest: (observation: Observation, frame: Int)?
        for watch in watches {
            guard let time = watch.nextTime else { continue }
            let frame = segment.frame(of: time, sampleRate: sampleRate)
            if let earliest, earliest.frame <= frame { continue }
            // The end of an item replaces a multiple that coincides with it.
            if case .every = watch.watch.times, let end = segment.end,
                segment.time(at: end, sampleRate: sampleRate) <= time
            {
                continue
            }
            earliest = (.crossed(watch: watch.watch.id, segment.item, time: time), frame)
        }
        return earliest
    }

    /// Sets a watch to its first time after `time`, or at it if `inclusive`.
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

    /// An end that coincides with a multiple is reported in that multiple's timescale, as it
    /// replaces it.
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

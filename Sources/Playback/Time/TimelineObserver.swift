/// Turns "this frame is heard now" into what an observer is told, in order: items beginning and
/// ending, and one tick for each multiple of the interval on the item's own timeline.
///
/// Each observation is told once, however late or early it is asked for.
package struct TimelineObserver: Sendable {
    package enum Observation: Equatable, Sendable {
        /// The item's first frame is heard.
        case began(ItemID)
        /// The item's time has crossed `time`, a multiple of the interval.
        case tick(ItemID, time: CMTime)
        /// The item's last frame has been heard; `time` is its exact length.
        case ended(ItemID, time: CMTime)
    }

    private let sampleRate: Int
    /// Seconds between ticks as a fraction, or nil when nobody wants ticks.
    private let interval: CMTime?
    private var current: ItemID?
    private var nextTick: Int64 = 0

    /// Precondition: the interval is a positive number of seconds.
    package init(sampleRate: Int, interval: CMTime?) {
        precondition(interval.map { $0.isNumeric && $0 > .zero } ?? true)
        self.sampleRate = sampleRate
        self.interval = interval
    }

    /// The next observation and the frame it belongs to, or nil when `timeline` holds none yet.
    package func next(in timeline: Timeline) -> (observation: Observation, frame: Int)? {
        guard let segment = timeline.first else { return nil }
        guard segment.item == current else { return (.began(segment.item), segment.start) }
        let tick = tick(in: segment)
        guard let end = segment.end else { return tick }
        let time = endTime(of: segment, at: end)
        if let tick, case .tick(_, let tickTime) = tick.observation, tickTime < time { return tick }
        return (.ended(segment.item, time: time), end)
    }

    /// Goes past the observation that `next` told; at an end the timeline's first item has to go.
    package mutating func advance(past observation: Observation) {
        switch observation {
        case .began(let item):
            current = item
            nextTick = 0
        case .tick:
            nextTick += 1
        case .ended:
            current = nil
        }
    }

    /// The exact time of `frame` within the current item, or nil when none is heard.
    package func time(at frame: Int, in timeline: Timeline) -> (item: ItemID, time: CMTime)? {
        guard let segment = timeline.first, segment.item == current else { return nil }
        return (segment.item, CMTime(value: Int64(frame - segment.start), timescale: timescale))
    }

    private var timescale: Int32 { Int32(sampleRate) }

    /// The first frame at or behind the tick's time. The next tick is looked for from `nextTick`.
    private func tick(in segment: Timeline.Segment) -> (observation: Observation, frame: Int)? {
        guard let interval else { return nil }
        let time = CMTime(value: nextTick * interval.value, timescale: interval.timescale)
        let scale = Int128(interval.timescale)
        let frame = Int((Int128(time.value) * Int128(sampleRate) + scale - 1) / scale)
        return (.tick(segment.item, time: time), segment.start + frame)
    }

    /// An end that falls on the grid is told in the grid's timescale, since it stands for that tick.
    private func endTime(of segment: Timeline.Segment, at end: Int) -> CMTime {
        let exact = CMTime(value: Int64(end - segment.start), timescale: timescale)
        guard let interval else { return exact }
        let onGrid = CMTime(value: nextTick * interval.value, timescale: interval.timescale)
        return onGrid == exact ? onGrid : exact
    }
}

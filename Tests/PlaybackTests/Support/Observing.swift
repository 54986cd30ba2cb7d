import UndersongPlayback

/// A passage that plays the item of the same number.
func segment(
    _ number: Int, from start: Int, to end: Int? = nil, origin: CMTime = .zero, rate: Double = 1,
    isJump: Bool = false
) -> Timeline.Segment {
    Timeline.Segment(
        passage: PassageID(number), item: ItemID(number), start: start, origin: origin, rate: rate,
        isJump: isJump, end: end)
}

extension TimelineObserver {
    /// An observer for the session's own periodic times, if any.
    init(sampleRate: Int, interval: CMTime?) {
        self.init(
            sampleRate: sampleRate,
            watches: interval.map { [TimeWatch(id: .interval, times: .every($0))] } ?? [])
    }

    /// Reports everything up to `frame` in order, as the clock thread does.
    mutating func report(
        upTo frame: Int, in timeline: inout Timeline
    ) -> [(observation: Observation, frame: Int)] {
        var reported: [(observation: Observation, frame: Int)] = []
        while let next = next(in: timeline), next.frame <= frame {
            reported.append(next)
            if let done = advance(past: next.observation) { timeline.remove(done) }
        }
        return reported
    }
}

extension TimelineObserver.Observation {
    /// A time of the session's own watch.
    static func tick(_ item: Int, _ time: CMTime) -> Self {
        .crossed(watch: .interval, ItemID(item), time: time)
    }

    /// The reported time; nil for a beginning.
    var time: CMTime? {
        switch self {
        case .began: nil
        case .crossed(_, _, let time), .ended(_, let time), .left(_, let time): time
        }
    }
}

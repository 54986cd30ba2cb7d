import Playback

extension TimelineObserver {
    /// Tells everything up to `frame` in order, as the clock thread does.
    mutating func tell(
        upTo frame: Int, in timeline: inout Timeline
    ) -> [(observation: Observation, frame: Int)] {
        var told: [(observation: Observation, frame: Int)] = []
        while let next = next(in: timeline), next.frame <= frame {
            told.append(next)
            advance(past: next.observation)
            if case .ended = next.observation { timeline.removeFirst() }
        }
        return told
    }
}

extension TimelineObserver.Observation {
    /// The time that is told, nil for a beginning.
    var time: CMTime? {
        switch self {
        case .began: nil
        case .tick(_, let time), .ended(_, let time): time
        }
    }
}

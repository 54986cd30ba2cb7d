public import UndersongPlayback

/// Times of every item that are reported in events.
public enum TimeEvents: Hashable, Sendable {
    /// Every multiple of a positive interval.
    case every(CMTime)
    /// These times.
    case at([CMTime])

    /// The watch for these times; `number` distinguishes it from others of its kind.
    func watch(_ number: Int) -> TimeWatch {
        switch self {
        case .every(let interval): TimeWatch(id: .addedInterval(number), times: .every(interval))
        case .at(let times): TimeWatch(id: .addedBoundaries(number), times: .at(times.sorted()))
        }
    }
}

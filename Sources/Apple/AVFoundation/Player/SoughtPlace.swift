import UndersongPlayback

/// The target of a seek, until the engine reports a position from there. Positions heard before the
/// seek may still be reported after it and must not end it.
struct SoughtPlace {
    /// The seconds by which a segment's first frame may differ from the seek's target.
    private static let tolerance = 0.001

    /// Less than the length of a sample, in seconds.
    private static let sample = 1.0 / 400_000

    /// The seek's target; nil while the engine reports the position.
    private(set) var time: CMTime?
    /// The target of the last seek, and the place of the sample from which it plays.
    private var landing: (target: CMTime, place: CMTime)?

    /// Starts a seek to `time`.
    mutating func go(to time: CMTime) { (self.time, landing) = (time, nil) }

    /// Reports that a segment of the item starts to be heard at `time`.
    mutating func began(at time: CMTime) {
        guard let target = self.time else { return }
        if abs(time.seconds - target.seconds) < Self.tolerance {
            (self.time, landing) = (nil, (target, time))
        }
    }

    /// The seek's target as long as the sample where it landed is heard; otherwise `time`.
    func exact(_ time: CMTime) -> CMTime {
        guard let landing, abs(time.seconds - landing.place.seconds) < Self.sample else {
            return time
        }
        return landing.target
    }

    /// Ends the seek: the item has ended or changed, or the seek has failed.
    mutating func forget() { (time, landing) = (nil, nil) }
}

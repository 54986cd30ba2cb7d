import Playback

/// The target of a seek, until the engine reports a position from there. Positions heard before the
/// seek may still be reported after it and must not end it.
struct SoughtPlace {
    /// How far, in seconds, a segment's first frame may be from the seek's target.
    private static let tolerance = 0.001

    /// The seek's target; nil while the engine reports the position.
    private(set) var time: CMTime?

    /// Starts a seek to `time`.
    mutating func go(to time: CMTime) { self.time = time }

    /// Reports that a segment of the item starts to be heard at `time`.
    mutating func began(at time: CMTime) {
        guard let sought = self.time else { return }
        if abs(time.seconds - sought.seconds) < Self.tolerance { self.time = nil }
    }

    /// Ends the seek: the item has ended or changed, or the seek has failed.
    mutating func forget() { time = nil }
}

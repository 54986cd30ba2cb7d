import Playback

/// Where a seek has led, until what is heard says so itself. What was heard before the seek may still
/// be told of afterwards, and must not end it.
struct SoughtPlace {
    /// Seconds by which a stretch's first frame may lie beside the time that was sought.
    private static let tolerance = 0.001

    /// The time that was sought; nil when what is heard tells the time.
    private(set) var time: CMTime?

    /// It is to go to `time`.
    mutating func go(to time: CMTime) { self.time = time }

    /// A stretch of the item begins to be heard at `time`.
    mutating func began(at time: CMTime) {
        guard let sought = self.time else { return }
        if abs(time.seconds - sought.seconds) < Self.tolerance { self.time = nil }
    }

    /// There is nothing more to wait for: the item is over, another one has come, or the seek has
    /// failed.
    mutating func forget() { time = nil }
}

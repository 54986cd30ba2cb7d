/// Decides which fixes of a replayed track are due. Times are in nanoseconds of CLOCK_MONOTONIC.
package struct TrackReplay: Sendable {
    /// The track.
    package let track: Track
    /// Seconds of the track per second.
    package let speed: Double
    /// The number of its fixes that were due.
    package private(set) var count = 0
    /// The offset at which it was stopped, in seconds from the track's start.
    private var offset = 0.0
    /// The time at which the track began, as if it had never been stopped; nil while it is stopped.
    private var start: Int64?

    /// Creates a replay at `speed`, which is more than 0.
    package init(_ track: Track, speed: Double) {
        self.track = track
        self.speed = speed
    }

    /// True if all fixes were due.
    package var isOver: Bool { count >= track.fixes.count }

    /// Begins, or continues where it was stopped.
    package mutating func begin(at now: Int64) {
        start = now - Self.nanoseconds(offset / speed)
    }

    /// Stops, until `begin`.
    package mutating func end(at now: Int64) {
        guard let start = start.take() else { return }
        offset = max(0, Double(now - start) / 1e9 * speed)
    }

    /// The time at which the next fix is due; nil if there is none, or it is stopped.
    package var nextDue: Int64? {
        guard let start, !isOver else { return nil }
        return start + Self.nanoseconds(seconds(count) / speed)
    }

    /// Removes the fixes that are due, and returns them. Of those that are late, after the program was
    /// stopped, only the last one counts.
    package mutating func popDue(at now: Int64) -> [LocationFix] {
        guard start != nil else { return [] }
        var due: [LocationFix] = []
        while let time = nextDue, time <= now {
            if Double(now - time) / 1e9 > FixValidation.patience {
                due.removeAll(keepingCapacity: true)
            }
            due.append(track.fixes[count])
            count += 1
        }
        return due
    }

    /// A century is as good as never.
    private static func nanoseconds(_ seconds: Double) -> Int64 {
        Int64((min(seconds, 3e9) * 1e9).rounded(.up))
    }

    /// The seconds from the first fix to this one.
    private func seconds(_ index: Int) -> Double {
        track.fixes[index].time - track.fixes[0].time
    }
}

import Synchronization

/// The frames of a ring that the consuming thread has claimed, and its permission to claim more.
///
/// Both are in one atomic word, so that the other thread can stop it at an exact frame without a
/// lock and without waiting for it.
struct FrameClaims: ~Copyable, Sendable {
    /// The state at one moment.
    struct Moment {
        fileprivate let word: UInt64

        /// The first unclaimed frame.
        var position: Int { Int(word >> 16) }
        var isStopped: Bool { word & 1 != 0 }
    }

    /// The position, above 16 bits: the lowest of these is set while claiming is stopped, the
    /// others count the stops, so that a claim fails if there was a stop since its moment.
    private let word = Atomic<UInt64>(0)

    var now: Moment { Moment(word: word.load(ordering: .acquiring)) }

    /// Claims `count` frames from the moment's position. Returns false if anything changed since or
    /// claiming is stopped. Only the consuming thread calls it.
    func claim(_ count: Int, at moment: Moment) -> Bool {
        guard !moment.isStopped else { return false }
        return word.compareExchange(
            expected: moment.word, desired: moment.word + UInt64(count) << 16,
            ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Stops claims and returns the first unclaimed frame. Only the other thread calls this and
    /// `allow`.
    func stop() -> Int {
        Moment(word: word.bitwiseOr(1, ordering: .acquiringAndReleasing).newValue).position
    }

    /// Allows claims again.
    func allow() {
        let moment = Moment(word: word.load(ordering: .relaxed))
        guard moment.isStopped else { return }
        // Only this thread changes the word while claims are stopped.
        let count = UInt16(truncatingIfNeeded: moment.word) &+ 1
        word.store(moment.word & ~0xFFFF | UInt64(count), ordering: .releasing)
    }
}

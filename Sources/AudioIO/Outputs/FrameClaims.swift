import Synchronization

/// Which frames of a ring are claimed by the thread that takes them, and whether it may claim more.
///
/// Both are in one word, so that the other thread can stop it at an exact frame, without a lock and
/// without waiting for it.
struct FrameClaims: ~Copyable, Sendable {
    /// What held at one moment.
    struct Moment {
        fileprivate let word: UInt64

        /// The first frame that is not claimed.
        var position: Int { Int(word >> 16) }
        var isStopped: Bool { word & 1 != 0 }
    }

    /// The position above 16 bits: the lowest says that claiming is stopped, the others count the
    /// stops, so that a claim fails if there was a stop since its moment.
    private let word = Atomic<UInt64>(0)

    var now: Moment { Moment(word: word.load(ordering: .acquiring)) }

    /// Claims `count` frames from the moment's position on; false if something has changed since, or
    /// claiming is stopped. Only the thread that takes frames calls it.
    func claim(_ count: Int, at moment: Moment) -> Bool {
        guard !moment.isStopped else { return false }
        return word.compareExchange(
            expected: moment.word, desired: moment.word + UInt64(count) << 16,
            ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Stops the claims and returns the first frame that is not claimed. Only the other thread calls
    /// it, as it does `allow`.
    func stop() -> Int {
        Moment(word: word.bitwiseOr(1, ordering: .acquiringAndReleasing).newValue).position
    }

    /// Lets claims continue.
    func allow() {
        let moment = Moment(word: word.load(ordering: .relaxed))
        guard moment.isStopped else { return }
        // Nobody else changes the word meanwhile.
        let count = UInt16(truncatingIfNeeded: moment.word) &+ 1
        word.store(moment.word & ~0xFFFF | UInt64(count), ordering: .releasing)
    }
}

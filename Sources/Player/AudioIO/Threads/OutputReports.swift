import Synchronization
import UndersongBase

/// Passes the output thread's reports to the clock thread, in order and without a lock: a ring with
/// one producer and one consumer.
///
/// Unchecked because the slots are plain memory; each is written before `produced` passes it, and
/// read before `consumed` does.
@safe
final class OutputReports: @unchecked Sendable {
    /// Far more than the engine can make the output report before it handles the first one.
    private static let capacity = 256

    private let slots: UnsafeMutablePointer<OutputReport>
    private let produced = Atomic<Int>(0)
    private let consumed = Atomic<Int>(0)

    init() { unsafe slots = .allocate(capacity: Self.capacity) }

    deinit {
        while pop() != nil {}
        unsafe slots.deallocate()
    }

    /// True if there is no report. Any thread.
    var isEmpty: Bool {
        produced.load(ordering: .acquiring) == consumed.load(ordering: .acquiring)
    }

    /// Adds a report; returns false if the ring is full. The output thread only.
    func put(_ report: OutputReport) -> Bool {
        let position = produced.load(ordering: .relaxed)
        guard position - consumed.load(ordering: .acquiring) < Self.capacity else { return false }
        unsafe (slots + position % Self.capacity).initialize(to: report)
        produced.store(position + 1, ordering: .sequentiallyConsistent)
        return true
    }

    /// Removes the oldest report; nil if there is none. The clock thread only.
    func pop() -> OutputReport? {
        let position = consumed.load(ordering: .relaxed)
        guard position != produced.load(ordering: .sequentiallyConsistent) else { return nil }
        let report = unsafe (slots + position % Self.capacity).move()
        consumed.store(position + 1, ordering: .releasing)
        return report
    }
}

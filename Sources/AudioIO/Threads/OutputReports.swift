import Synchronization
import Threads

/// Carries what the output thread reports to the clock thread, in order and without a lock: a ring
/// with one producer and one consumer.
///
/// Unchecked because the slots are plain memory; each is written before `produced` passes it, and read
/// before `consumed` does.
@safe
final class OutputReports: @unchecked Sendable {
    /// Far more than the engine can make the output report before it has heard of the first.
    private static let capacity = 256

    private let slots: UnsafeMutablePointer<OutputReport>
    private let produced = Atomic<Int>(0)
    private let consumed = Atomic<Int>(0)

    init() { unsafe slots = .allocate(capacity: Self.capacity) }

    deinit {
        while take() != nil {}
        unsafe slots.deallocate()
    }

    /// Whether there is nothing to take. Any thread.
    var isEmpty: Bool {
        produced.load(ordering: .acquiring) == consumed.load(ordering: .acquiring)
    }

    /// Puts a report in; false when the ring is full. The output thread only.
    func put(_ report: OutputReport) -> Bool {
        let position = produced.load(ordering: .relaxed)
        guard position - consumed.load(ordering: .acquiring) < Self.capacity else { return false }
        unsafe (slots + position % Self.capacity).initialize(to: report)
        produced.store(position + 1, ordering: .sequentiallyConsistent)
        return true
    }

    /// Takes the oldest report out; nil: there is none. The clock thread only.
    func take() -> OutputReport? {
        let position = consumed.load(ordering: .relaxed)
        guard position != produced.load(ordering: .sequentiallyConsistent) else { return nil }
        let report = unsafe (slots + position % Self.capacity).move()
        consumed.store(position + 1, ordering: .releasing)
        return report
    }
}

import Synchronization
import UndersongBase

/// Work that any thread posts for another one, which performs it in order. Neither side takes a
/// lock or waits for the other.
@safe
final class WorkList: @unchecked Sendable {
    // Unchecked: an entry belongs to the thread that creates it until it is in the list, and to the
    // thread that performs the work once it is removed.
    @safe
    private final class Entry {
        let work: @Sendable () -> Void
        var previous: Unmanaged<Entry>?

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    private let last = unsafe Atomic<UnsafeMutableRawPointer?>(nil)
    private let wakeup = Wakeup()

    deinit { _ = popAll() }

    /// Becomes readable when there is work.
    var descriptor: Int32 { wakeup.descriptor }

    /// Posts work. Any thread.
    func post(_ work: @escaping @Sendable () -> Void) {
        let entry = unsafe Unmanaged.passRetained(Entry(work))
        var expected = unsafe last.load(ordering: .relaxed)
        while true {
            unsafe entry.takeUnretainedValue().previous = unsafe expected.map {
                unsafe Unmanaged<Entry>.fromOpaque($0)
            }
            let (isExchanged, original) = unsafe last.weakCompareExchange(
                expected: expected, desired: entry.toOpaque(), ordering: .acquiringAndReleasing)
            if isExchanged { break }
            unsafe expected = original
        }
        wakeup.post()
    }

    /// Performs the posted work in order. One thread only.
    func perform() {
        wakeup.clear()
        for entry in popAll() { entry.work() }
    }

    private func popAll() -> [Entry] {
        var next = unsafe last.exchange(nil, ordering: .acquiringAndReleasing)
            .map { unsafe Unmanaged<Entry>.fromOpaque($0) }
        var entries: [Entry] = []
        while let entry = unsafe next?.takeRetainedValue() {
            unsafe next = entry.previous
            entries.append(entry)
        }
        return entries.reversed()
    }
}

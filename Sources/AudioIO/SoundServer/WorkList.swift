import Synchronization
import Threads

/// Work that any thread leaves for another one, which does it in order. Neither side takes a lock or
/// waits for the other.
@safe
final class WorkList: @unchecked Sendable {
    // Unchecked: an entry belongs to the thread that makes it until it is in the list, and to the
    // thread that does the work once it is out of it.
    @safe
    private final class Entry {
        let work: @Sendable () -> Void
        var previous: Unmanaged<Entry>?

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }

    private let last = unsafe Atomic<UnsafeMutableRawPointer?>(nil)
    private let wakeup = Wakeup()

    deinit { _ = takeAll() }

    /// What can be read once there is work.
    var descriptor: Int32 { wakeup.descriptor }

    /// Leaves work. Any thread.
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

    /// Does what has been left, in the order in which it was. One thread only.
    func perform() {
        wakeup.clear()
        for entry in takeAll() { entry.work() }
    }

    private func takeAll() -> [Entry] {
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

import CLinux
import Glibc

/// A counting semaphore: the one way in which the threads of the sound path wake each other.
/// Posting neither blocks nor allocates nor locks, so the output thread may do it.
@safe
final class Semaphore: @unchecked Sendable {
    // Unchecked: the pointee lives as long as this object, and sem_t is made for many threads.
    private let raw: UnsafeMutablePointer<sem_t>

    init() {
        unsafe raw = .allocate(capacity: 1)
        unsafe sem_init(raw, 0, 0)
    }

    deinit {
        unsafe sem_destroy(raw)
        unsafe raw.deallocate()
    }

    func post() { unsafe sem_post(raw) }

    func wait() { while unsafe sem_wait(raw) != 0 && errno == EINTR {} }

    /// Waits until it is posted, at most until `deadline`; false when the deadline came first.
    @discardableResult
    func wait(until deadline: Int64) -> Bool {
        var time = HostTime.deadline(max(deadline, 0))
        while unsafe sem_clockwait(raw, CLOCK_MONOTONIC, &time) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
